// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "stages/blend/settings.h"
#include "stages/stage.h"

namespace clipmill {

/// Blends each motion with the other clips of the settings: BlendMode says how. A motion that is
/// itself the only other clip stays as it is where there are others to work on.
///
/// In a fade and a mix the figures are first brought together on the ground (alignParts()), unless
/// root motion is blended by places. Frames at which the clip itself has all the weight show it bit
/// for bit; those at which another clip has all of it show that clip, turned about the vertical and
/// shifted as a whole. Clips may have other frame rates, lengths and morphs; the result has the
/// rate of the first. Where the frames are other ones than those of the clip, all that it moves is
/// touched, else only what a mask lets through.
///
/// Metrics of a clip: duration_s, aligned_turn_deg and aligned_shift_m (of the last clip, at the
/// end). Series: weight, of each other clip. Errors: kRecipe for settings that do not go together,
/// those of findOtherClip(), maskFactors(), planFade(), planMix() and findCarrier().
Result<std::vector<StageResult>> runBlend(const StageInput& input, const BlendSettings& settings);

}  // namespace clipmill
