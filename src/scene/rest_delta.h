// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/motion.h"
#include "core/result.h"
#include "scene/node_match.h"

namespace clipmill {

/// The part of transferClip() for figures with other rest poses: turns and places the matched nodes
/// of `result`, which is at rest, and marks them as touched. Returns the scale of lengths. Error:
/// kUnsupported where the target has no room for a place.
Result<double> applyRestDelta(const Scene& source, const Motion& motion, const Scene& target,
                              const NodeMatch& match, Motion& result);

}  // namespace clipmill
