// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/limits.h"
#include "core/result.h"
#include "core/warnings.h"
#include "scene/scene.h"

namespace clipmill::retarget {

/// Clips in the form of a VRMA file.
struct VrmAnimation {
  Scene scene;  ///< In metres, facing +z; FaceSetup::is_animation is set.
  Warnings warnings;
};

/// The clips `clips` of `scene` for a character in a T-pose without rotations at rest: one node for
/// each humanoid role, below the role that VRM 1.0 names as its parent; one for each expression
/// that shows in a clip; one for the gaze. Joints are where those of the character are: in the rest
/// pose of VRM files, else in the bind pose with arms rotated to +-x and legs to -y, feet as high
/// as before. Motion comes by transferClip() at `fps`, or the frames of each clip where that is 0:
/// a position of the hips, rotations of all others; eyes are left to the gaze.
///
/// Errors: kUnsupported for a file without a human character, and those of transferClip();
/// kNotFound without clips; kLimit. Warnings: vrma_role_missing for roles that VRM requires, and
/// those of transferClip().
Result<VrmAnimation> vrmAnimationOf(const Scene& scene, std::span<const int> clips, double fps,
                                    const io::Limits& limits);

}  // namespace clipmill::retarget
