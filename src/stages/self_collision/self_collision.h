// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/result.h"
#include "stages/self_collision/settings.h"
#include "stages/stage.h"

namespace clipmill::stages::self_collision {

/// Resolves penetration of the arms and legs of a humanoid with its body and with each other. Needs
/// skinned meshes. Writes only rotations of arm and leg joints, and only of joints that change.
///
/// Metrics of both methods, measured on the skin: see self_collision::resolveClip(). `reference`
/// adds, in percent: key_frames_penetrating_percent and skipped_frames_penetrating_percent, of the
/// solved and of the interpolated frames, with penetration of the skin above the tolerance;
/// key_frames_boxes_overlap_percent and skipped_frames_boxes_overlap_percent with overlap of the
/// proxies. Warnings: those of resolveClip(), overlap_at_rest, no_free_angle, pose_not_finite,
/// limb_missing, hand_missing. Errors: those of chooseCharacter() and SelfPenetration::make();
/// kUnsupported if the map does not determine the facing direction of the body.
Result<std::vector<StageResult>> runSelfCollision(const StageInput& input,
                                                  const SelfCollisionSettings& settings);

/// Adds a note about the humanoid that was found; the settings stay as they are. Errors: those of
/// chooseCharacter().
Result<ResolvedSettings> resolveSelfCollision(const Scene& scene,
                                              const SelfCollisionSettings& settings);

/// The stage as the registry lists it.
StageType selfCollisionType();

}  // namespace clipmill::stages::self_collision
