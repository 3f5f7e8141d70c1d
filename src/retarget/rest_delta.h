// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "anim/motion.h"
#include "core/result.h"
#include "retarget/node_match.h"
#include "retarget/source_rest.h"

namespace clipmill::retarget {

/// What applyRestDelta() did, for people.
struct RestDeltaNote {
  double scale = 1.0;                 ///< Of lengths.
  Quat rotation = kIdentityRotation;  ///< RestAlignment::rotation.
  std::string rest;                   ///< RestPose::origin of the source.
  double rest_confidence = 1.0;       ///< humanoid::restPoseConfidence() of it.
};

/// The part of transferClip() for characters with other rest poses: rotates and positions the
/// matched nodes of `result`, which is at rest, and marks them as modified. Error: kUnsupported
/// where the target cannot have a position.
Result<RestDeltaNote> applyRestDelta(const Scene& source, const Motion& motion, const Scene& target,
                                     const NodeMatch& match, const RestChoice& choice,
                                     Motion& result, Warnings& warnings);

}  // namespace clipmill::retarget
