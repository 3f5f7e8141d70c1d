// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "anim/motion.h"
#include "stages/self_collision/proxies.h"
#include "stages/self_collision/reference.h"
#include "stages/stage.h"

namespace clipmill::stages::self_collision {

/// The frames of a clip with penetration or overlap, before and after.
struct FrameMarks {
  std::vector<bool> before, after;
};

/// Adds the share of solved frames, and of interpolated ones, with penetration of the skin and with
/// overlap of the proxies.
void addFrameShares(const FrameMarks& of_skin, const FrameMarks& of_boxes, StageResult& report);

/// Adds warnings about parts that the method cannot test, and angles that it does not find.
void addReferenceWarnings(const Proxies& proxies, const ReferenceCounts& counts,
                          StageResult& report);

}  // namespace clipmill::stages::self_collision
