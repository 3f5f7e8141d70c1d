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
#include "stages/tet_bake/surface/bake_surface.h"
#include "stages/tet_bake/surface/bones.h"

namespace clipmill::tet_bake {

/// A joint that turns far about its bone, against the bone above it.
struct TwistedJoint {
  std::uint32_t above = 0;  ///< Node: the next one above `joint` that moves skin.
  std::uint32_t joint = 0;  ///< Node.
  Vec3 axis{0.0};           ///< Of the limb at bind, metric world, unit.
  std::size_t steps = 1;    ///< Twist joints on either of the two.
  /// By how much `joint` turns about the axis against `above`, without the swing of the axis: one a
  /// frame of all clips, radians, without jumps from frame to frame. Goes to 0 where a swing of 120
  /// to 160 degrees leaves it open. A clip in which it goes beyond 270 degrees has 0 in all frames.
  std::vector<double> turns_rad;
};

/// The joints that share skin with the bone above them and turn against it by more than 120 degrees
/// in any frame, ascending by node. None where either is bound with shear or uneven scales, for
/// what turns there would be sheared. Tells in `warnings` of clips that wind the skin up.
std::vector<TwistedJoint> findTwistedJoints(const Scene& scene, const BakeSurface& surface,
                                            const std::vector<BakeBone>& bones,
                                            std::span<const Motion> motions, Warnings& warnings);

}  // namespace clipmill::tet_bake
