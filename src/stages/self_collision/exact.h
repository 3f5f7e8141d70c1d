// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/motion.h"
#include "core/result.h"
#include "scene/humanoid.h"
#include "scene/scene.h"
#include "scene/self_penetration.h"
#include "stages/self_collision/exact_settings.h"
#include "stages/stage.h"

namespace clipmill {

/// Brings arms and legs out of the body wherever the skin itself, at frames and at the midpoints
/// between them, is deeper inside than the tolerance. Limbs are moved by one mode a window: elbow
/// swivel, a turn or a shift of the wrist outwards in the frontal plane or on the way out, collar
/// bone, hand; hips and ankles likewise, feet that stand keep their place. What is found at the
/// samples is made a smooth envelope that is nowhere less, added to the clip as a change, measured,
/// and raised where it is not enough, at most four times. A window is kept if it is better by all
/// measures; else it stays as in the clip and is reported. Parts that touch on purpose still do.
///
/// Nothing outside of the eased windows changes, to the bit. Metrics, before and after:
///   limb_vertices_inside_percent, frames_deeper_percent, midpoints_deeper_percent,
///   deepest_percent (of the figure's height), deep_runs, shoulder_jerk_radps3, hip_jerk_radps3,
///   mean_change_deg, changed_frames_percent, contacts_kept_percent.
/// Series: depth_percent of each pair. Warnings: limb_stays_inside, window_left_as_it_was,
/// contact_given_up, jerk_above_limit.
Result<StageResult> freeClip(const Scene& scene, const HumanoidMap& map,
                             const SelfPenetration& skin, const ExactSettings& settings,
                             const Motion& motion);

}  // namespace clipmill
