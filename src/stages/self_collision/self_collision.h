// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/result.h"
#include "stages/self_collision/settings.h"
#include "stages/stage.h"

namespace clipmill {

/// Brings arms and legs of a human figure out of the body and of each other. Needs the meshes that
/// are skinned to it. Only rotations of arms and legs are written, and only of those that had to
/// move.
///
/// Metrics of a clip, by both methods, on the skin and before and after: see freeClip(). By
/// reference also, in percent: key_frames_hit_percent and skipped_frames_hit_percent, of the frames
/// that were solved and of those that slerp filled, by the skin deeper than the tolerance, and
/// key_frames_boxes_hit_percent, skipped_frames_boxes_hit_percent by the boxes and spheres.
/// Warnings: those of freeClip(), touches_at_rest, no_free_angle, pose_is_no_number, limb_missing,
/// hand_missing. Errors: those of chooseFigure() and SelfPenetration::make(); kUnsupported where
/// the map does not tell which way the body faces.
Result<std::vector<StageResult>> runSelfCollision(const StageInput& input,
                                                  const SelfCollisionSettings& settings);

/// Notes the figure that was found; the settings stay as they are. Errors: those of chooseFigure().
Result<ResolvedSettings> resolveSelfCollision(const Scene& scene,
                                              const SelfCollisionSettings& settings);

}  // namespace clipmill
