// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "core/warnings.h"
#include "scene/scene.h"
#include "scene/skin_surface.h"
#include "stages/tet_bake/surface/bones.h"

namespace clipmill::stages::tet_bake {

/// A joint with a large twist about its bone, relative to the bone above it.
struct TwistedJoint {
  std::uint32_t above = 0;  ///< Node: the next one above `joint` that moves skin.
  std::uint32_t joint = 0;  ///< Node.
  Vec3 axis{0.0};           ///< Of the limb at bind, metric world, unit.
  std::size_t steps = 1;    ///< Twist joints on either of the two.
  /// Twist of `joint` about the axis relative to `above`, without the swing of the axis: one per
  /// frame of all clips, radians, continuous from frame to frame. Fades to 0 where a swing of 120
  /// to 160 degrees leaves it undetermined. A clip with more than 270 degrees has 0 in all frames.
  std::vector<double> rotations_rad;
};

/// The joints that share skin with the bone above them and twist relative to it by more than 120
/// degrees in any frame, ascending by node. None where either is bound with shear or non-uniform
/// scale, because a rotation there would shear the skin. `warnings` report clips beyond 270
/// degrees.
std::vector<TwistedJoint> findTwistedJoints(const Scene& scene, const SkinSurface& surface,
                                            const std::vector<BakeBone>& bones,
                                            std::span<const Motion> motions, Warnings& warnings);

}  // namespace clipmill::stages::tet_bake
