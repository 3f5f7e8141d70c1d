// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/math.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/skin/chain_skin.h"

namespace clipmill::stages::dynamic_bones {

/// Adds strips of two points each on the axes of bones that move no vertex. `worlds`:
/// metric_from_node in the rest pose, one a node; `strips_m`: vertices of the strips there.
void addBareBones(const Scene& scene, const Rig& rig, std::span<const Affine> worlds,
                  std::span<const Vec3> strips_m, ChainSkin& skin);

/// How chains hold a vertex of a strip.
struct StripVertex {
  std::optional<std::size_t> surface;  ///< That it stays out of; none where its chain avoids none.
  /// Its path under a rotation of its whole chain about the first joint, by the angle in radians:
  /// the distance from that joint, times the weight of the chain's joints.
  double arm_m = 0.0;
};

/// Sets ChainSkin::points of the strips, without their distances: vertices and points on long
/// edges, of each bone at most 16 that are far from each other. `size_m`: of the body. Returns all
/// vertices.
std::vector<StripVertex> findSkinPoints(const Scene& scene, const Rig& rig,
                                        std::span<const Affine> worlds,
                                        std::span<const Vec3> strips_m, double size_m,
                                        ChainSkin& skin);

}  // namespace clipmill::stages::dynamic_bones
