// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/math.h"
#include "stages/self_collision/exact/correction_layers.h"
#include "stages/self_collision/exact/limb_groups.h"
#include "stages/self_collision/exact/limb_pose.h"

namespace clipmill::stages::self_collision {

/// The point of largest penetration of a group at a sample. Vectors are along the axes of
/// LimbPoser::axesOf() of the group's first limb.
struct PenetrationSite {
  Vec3 exit_direction{0.0};           ///< Of the group's first limb; any length.
  std::vector<Vec3> root_offset;      ///< From shoulder or hip to the point, one per limb.
  std::vector<Vec3> clavicle_offset;  ///< Likewise from the clavicle; zero without one.
  std::vector<Vec3> end_offset;       ///< Likewise from wrist or ankle.
  std::vector<bool> is_pinned;        ///< The limb's end must keep its world position.
  /// Of a single arm: the other arm, if they are in deliberate contact.
  std::optional<std::size_t> companion;
  bool is_gripped = false;  ///< Both hands hold one thing.
  /// The limb is in deliberate contact with a part outside of the group; other limbs move first.
  std::vector<bool> has_contact;
};

/// The standard modes that may resolve a group: swivel with the end fixed; rotation and shift of
/// the limb in the frontal plane, along other axes of the body and along the exit direction; for
/// single arms also the clavicle, by 10 degrees at most, and the hand. An arm in contact with the
/// other arm moves it along. Of two limbs, both move in opposite directions, or one of them moves.
/// Where both hands hold one thing: swivels, and shifts and rotations of both hands as one.
std::vector<CorrectionMode> candidateModes(const PairGroup& group, const LimbPoser& poser,
                                           const PenetrationSite& site, double max_rotation_rad);

/// Modes of arms whose hands hold one thing that keep the jerk of the elbows: pitches of both arms,
/// alone and with swivels. None for a character without two hands.
std::vector<CorrectionMode> pitchModes(const PairGroup& group, const LimbPoser& poser,
                                       double max_rotation_rad);

}  // namespace clipmill::stages::self_collision
