// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "stages/blend/settings.h"
#include "stages/stage.h"

namespace clipmill::stages::blend {

/// Blends each motion with the other clips of the settings: see BlendMode. A motion that is itself
/// the only other clip stays as it is where there are others to work on.
///
/// In a fade and a mix the characters are first aligned on the ground (alignParts()), unless root
/// positions are blended. Frames at which the clip itself has all the weight show it bit for bit;
/// those at which another clip has all of it show that clip, rotated about the vertical and shifted
/// as a whole. Clips may have other frame rates, lengths and morphs; the result has the rate of the
/// first. Where the frames are other ones than those of the clip, all animated tracks are marked as
/// modified, else only those that a mask lets through.
///
/// Metrics of a clip: duration_s, aligned_yaw_deg and aligned_shift_m (of the last clip, at the
/// end). Series: weight, of each other clip. Errors: kRecipe for settings that do not go together,
/// those of findOtherClip(), maskFactors(), planFade(), planMix() and findRootMotionJoint().
Result<std::vector<StageResult>> runBlend(const StageInput& input, const BlendSettings& settings);

/// The stage as the registry lists it.
StageType blendType();

}  // namespace clipmill::stages::blend
