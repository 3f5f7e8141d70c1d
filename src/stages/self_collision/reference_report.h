// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "anim/motion.h"
#include "scene/humanoid.h"
#include "stages/self_collision/proxies.h"
#include "stages/self_collision/reference.h"
#include "stages/stage.h"

namespace clipmill::collision {

/// At which frames of a clip something is hit, before and after.
struct FrameHits {
  std::vector<bool> before, after;
};

/// Adds how many of the frames that were solved, and of those that slerp filled, hit something: by
/// the skin and by the boxes.
void addFrameHits(const FrameHits& on_skin, const FrameHits& by_boxes, StageResult& report);

/// Warns of what the method could not see or not do.
void addReferenceWarnings(const Proxies& proxies, const HumanoidMap& map,
                          const ReferenceCounts& counts, StageResult& report);

}  // namespace clipmill::collision
