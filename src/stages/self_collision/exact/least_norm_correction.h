// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "stages/self_collision/exact/clip_context.h"
#include "stages/self_collision/exact/limb_pose.h"
#include "stages/self_collision/exact/skin_trial.h"

namespace clipmill::stages::self_collision {

/// Bounds of the clearance of a pair, metres. Clearance is negative where the pair penetrates.
struct ClearanceLimits {
  std::size_t pair = 0;
  double min_m = 0.0;
  double max_m = std::numeric_limits<double>::infinity();  ///< Infinity: no contact is needed.
};

/// A pose in which a correction must keep clearance limits.
struct ConstrainedPose {
  std::vector<Transform> locals;
  std::vector<double> weights;
  std::vector<LimbChange> changes;  ///< To which the correction is added, one per limb.
  std::vector<ClearanceLimits> limits;
};

/// A sample of a clip with all its corrections, without limits yet.
ConstrainedPose constrainedPoseAt(ClipContext& clip, std::size_t sample);

/// kGrip: both arms, whose hands hold one thing; they have one shift and rotation of both hands,
/// and a swivel each. kPitchedGrip: besides, one pitch of both arms.
enum class LimbsAs { kSingle, kGrip, kPitchedGrip };

/// Small joint corrections of some limbs that bring all pairs of all poses within their limits.
/// Each limb has a shift of wrist or ankle, a rotation of shoulder or hip and a swivel of elbow or
/// knee, so that hands in contact can move together. Each is found by steps of least norm (damped
/// least squares, J^T (J J^T + d^2 I)^-1 r, with the Jacobian of contact points carried by bones)
/// over the limits that are or were violated, and then scaled down as long as a few steps repair
/// it. There are three starting points: no change; a shift forward; rotations and swivels alone.
/// `contact_distance_m` sets the length scale of damping and margins. `as`: how the
/// limbs move together.
///
/// Returns the corrections found, by ascending norm, each one change per limb.
std::vector<std::vector<LimbChange>> leastNormCorrections(const SkinTrial& character,
                                                          std::span<const std::size_t> limbs,
                                                          std::span<const ConstrainedPose> poses,
                                                          double contact_distance_m,
                                                          LimbsAs as = LimbsAs::kSingle);

}  // namespace clipmill::stages::self_collision
