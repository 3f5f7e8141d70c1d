// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/motion.h"
#include "core/result.h"
#include "retarget/node_match.h"

namespace clipmill::retarget {

/// The part of transferClip() for characters with other rest poses: rotates and positions the
/// matched nodes of `result`, which is at rest, and marks them as modified. Returns the scale of
/// lengths. Error: kUnsupported where the target cannot have a position.
Result<double> applyRestDelta(const Scene& source, const Motion& motion, const Scene& target,
                              const NodeMatch& match, Motion& result, Warnings& warnings);

}  // namespace clipmill::retarget
