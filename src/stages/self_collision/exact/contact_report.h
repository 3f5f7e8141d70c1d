// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/motion.h"
#include "penetration/self_penetration.h"
#include "scene/scene.h"
#include "stages/self_collision/exact/clip_measures.h"
#include "stages/self_collision/exact/skin_trial.h"
#include "stages/stage.h"

namespace clipmill::stages::self_collision {

/// Adds the list of the deliberate contacts and grips of a clip, and what became of them. Metrics,
/// over its frames: contact_gap_mm and max_contact_gap_mm, mean and largest distance of parts in
/// contact (0 where they penetrate); grips_kept_percent, and the largest grip_error_mm and
/// grip_error_deg, of clips in which both hands hold one thing. Warnings: contact_moved, with the
/// pairs of which a gap grows by more than 0.3 % of the height, and the new distance; grip_broken,
/// with the frames.
void reportContacts(const Scene& scene, const penetration::SelfPenetration& skin,
                    const ClipMeasures& source, const Motion& result, SkinTrial& trial,
                    StageResult& report);

}  // namespace clipmill::stages::self_collision
