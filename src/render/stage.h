// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/math.h"
#include "render/camera.h"
#include "render/character.h"
#include "render/film.h"
#include "render/surface.h"

namespace clipmill::render {

/// What all images of a sheet share: where the eye, the light and the ground are.
struct Stage {
  Camera camera;
  Lights lights;
  double ground_m = 0.0;  ///< Height of the ground.
  double grid_m = 1.0;    ///< Between two lines of the ground.
  Vec3 centre{0.0};       ///< Of what is shown.
  double radius_m = 1.0;  ///< Of what is shown, horizontally; the ground fades beyond it.
};

/// What is drawn over the character itself.
struct Overlay {
  const std::vector<Vec3>* path = nullptr;     ///< Of the root; drawn on the ground.
  Vec3 root{0.0};                              ///< Where the root is now.
  bool has_joints = true;                      ///< Whether joints and bones are drawn.
  const std::vector<bool>* changed = nullptr;  ///< Nodes to be shown in the accent colour.
};

/// Lights for a camera with these axes: the key from above, left of the eye, the fill from the
/// right.
Lights lightsFor(const CameraAxes& axes);

/// Draws ground, shadow, root trajectory, character and joints into `film`. Returns the number of
/// triangles that could not be drawn.
std::size_t drawStage(Film& film, const Stage& stage, const Character& character,
                      const CharacterPose& pose, const Overlay& overlay);

}  // namespace clipmill::render
