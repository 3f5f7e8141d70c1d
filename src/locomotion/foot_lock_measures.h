// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "anim/motion.h"
#include "locomotion/foot_contacts.h"
#include "locomotion/foot_lock_move.h"
#include "scene/scene.h"

namespace clipmill::locomotion {

/// A planted end farther than this from its target has left it.
inline constexpr double kPlanted_m = 0.005;

/// How feet slide relative to the ground in the source (`before`) and in `stretched`, while they
/// are planted: foot_skate_cm, the mean of skateIn(), and planted_drift_mm, the largest of
/// driftIn() over all contacts. Values without a contact are unset. `result_on_spot`: the ground
/// moves under the result as it does under the source; else it rests.
std::vector<Metric> slideMetrics(const Scene& scene, const FeetTrace& source,
                                 const Motion& stretched, std::span<const LimbTask> tasks,
                                 bool result_on_spot);

}  // namespace clipmill::locomotion
