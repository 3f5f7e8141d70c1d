// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "core/math.h"
#include "render/camera.h"
#include "render/character.h"
#include "render/film.h"
#include "render/surface.h"

namespace clipmill::render {

/// Which surfaces the key light reaches: depths seen from it (L. Williams 1978).
class KeyLightMap {
 public:
  KeyLightMap(const std::vector<PosedMesh>& meshes, const Vec3& to_light);
  /// 1 where the light reaches `point` on a surface with that unit normal, 0 in shadow. `jitter`
  /// (-1..1, two axes) moves the probe, so that many samples of a pixel see a soft edge.
  double litAt(const Vec3& point, const Vec3& normal, const Vec2& jitter) const;

 private:
  CameraAxes axes_;
  Vec3 low_{0.0};
  double texel_m_ = 0.0;  // 0 where there is nothing to see
  std::vector<float> nearest_;
};

/// Draws the meshes of a character over `film`: depth buffer and shading at kSamples x kSamples
/// samples a pixel, averaged as light. Partly transparent surfaces cover a part of the samples, in
/// a fixed pattern, so that no order of drawing matters. Nothing is drawn of triangles with corners
/// that are NaN or infinite or not in front of the eye; returns how many there were.
std::size_t drawMeshes(Film& film, const Camera& camera, const std::vector<PosedMesh>& meshes,
                       const std::vector<Surface>& surfaces, const Lights& lights);

/// Part of each pixel (row by row, 0..1) that lies in the shadow of the meshes on the ground plane
/// y = ground_m, for a round lamp around `to_light`: planar shadows of kShadowLights points of it,
/// each of which darkens a pixel at most once however many triangles overlap there.
std::vector<float> shadowCover(int width, int height, const Camera& camera,
                               const std::vector<PosedMesh>& meshes, const Vec3& to_light,
                               double ground_m);

}  // namespace clipmill::render
