// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/motion.h"
#include "core/result.h"
#include "humanoid/humanoid.h"
#include "penetration/self_penetration.h"
#include "retarget/contact_goals.h"
#include "scene/scene.h"
#include "stages/self_collision/settings.h"
#include "stages/stage.h"

namespace clipmill::stages::self_collision {

/// Resolves the self-penetration of arms and legs of one clip. Penetration is measured on the skin,
/// at all frames and at the midpoints between them. In each window of penetrating samples the limbs
/// move by one mode: swivel of the elbow, rotation or shift of the arm outwards, along an axis of
/// the body or along the exit direction, clavicle, hand; hips and ankles likewise, while planted
/// feet keep their position. The amounts that the samples need become a smooth envelope that is
/// nowhere smaller, which is added to the clip as a change. The result is measured and the amounts
/// are raised where they are too small, in four rounds at most. A window is kept if no measure is
/// worse and one is better than in the source; else it stays as in the source and a warning names
/// it. Deliberate contacts are kept where possible.
///
/// Nothing outside of the eased windows changes, to the bit. Metrics, before and after:
///   penetrating_vertices_percent, penetrating_frames_percent, penetrating_midpoints_percent,
///   max_penetration_percent (of the character's height), penetration_intervals,
///   clavicle_jerk_radps3, shoulder_jerk_radps3, elbow_jerk_radps3, wrist_jerk_radps3,
///   hip_jerk_radps3, knee_jerk_radps3, mean_change_deg, changed_frames_percent, max_rotation_deg,
///   contacts_kept_percent, and those of reportContacts().
/// `contacts`: those of the character from which the clip was retargeted. They count in place of
/// those that are found in the clip, and their points are goals (goalCandidates()); metrics
/// contact_error_mm and contact_error_percent, the mean distance of the points from their goals,
/// and max_contact_error_mm. Where goals leave more penetration than there is without them, or
/// points farther away, they are left out, with the warning contact_goals_dropped. Where vertices
/// remain within the body at any depth, lower tolerances are tried too (goalCostOf()), and the jerk
/// limit holds by rmsQuaternionJerk_radps3() too.
/// Series: penetration_percent of each pair. Warnings: penetration_remains, window_not_improved,
/// contact_dropped, and those of reportLimits() and reportContacts().
Result<StageResult> resolveClip(const Scene& scene, const humanoid::HumanoidMap& map,
                                const penetration::SelfPenetration& skin,
                                const SelfCollisionSettings& settings, const Motion& motion,
                                const retarget::ClipContacts* contacts = nullptr);

}  // namespace clipmill::stages::self_collision
