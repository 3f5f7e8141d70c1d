// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/springs/clip_cycle.h"

/// Cycles without the repeated first frame: the last frame is one frame step before the first one.
namespace clipmill::stages::dynamic_bones {

/// The clip with its missing step: it ends one frame of the clip as authored later, in its first
/// pose, moved on by the root motion of the whole cycle (`decision.back`). Nothing where the frames
/// of `clip` do not divide its length, or the step is no whole number of them.
std::optional<Motion> withMissingStep(const CycleDecision& decision, const Scene& scene,
                                      const Motion& clip);

/// Removes the frames of the missing step from a motion that withMissingStep() made of `clip`.
void removeMissingStep(const Motion& clip, Motion& motion);

}  // namespace clipmill::stages::dynamic_bones
