// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "core/result.h"
#include "stages/blend/settings.h"

namespace clipmill::stages::blend {

/// Time and weight of a clip at each frame of the result.
struct PartPlan {
  std::vector<double> time_s;       ///< Within the clip.
  std::vector<int> cycles;          ///< Whole cycles of the clip before it.
  std::vector<double> weight;       ///< 0..1; those of all parts sum to one, unless they are added.
  std::vector<double> mean_weight;  ///< Over the time from the frame before.
};

/// Times and weights of all parts; the clip itself is the first.
struct BlendPlan {
  TimeGrid grid;
  std::vector<PartPlan> parts;
  /// Parts follow one another, and each makes its own steps whole; else they weigh as the parts do.
  bool in_sequence = false;
};

/// A clip as a plan sees it.
struct PartClip {
  TimeGrid grid;
  std::string name;  ///< For errors.
  double weight = 1.0;
};

/// The share of a window that is done where the part `s` of its time is, both 0..1.
double easedShare(BlendEase ease, double s);
/// Its integral from 0 to s.
double easedArea(BlendEase ease, double s);

/// `from` cross-fades into `to` in a window: alone before it, the other alone after it, to its end.
/// With BlendSettings::sync both are at the same part of their cycles at all times, the pace in the
/// window is the weighted mean of both, and the result ends where a cycle of `to` does. Errors:
/// kRecipe for a window of no length or longer than the clips.
Result<BlendPlan> planFade(const PartClip& from, const PartClip& to, const BlendSettings& settings);

/// All clips at once, on the frames of the first, which has the remaining weight. Others run from
/// their start and are held at their end. With `sync` all are at the same part of their cycles, for
/// one cycle, at the weighted mean of their paces; others count `pace_part` of their weight in it:
/// the mask factor of the root-motion joint. Errors: kRecipe for weights of the others that sum to
/// more than one, and for a clip of no length where steps are to be kept.
Result<BlendPlan> planMix(std::span<const PartClip> clips, bool sync, double pace_part);

/// The same for clips that are added to the first: it plays alone, at its pace.
Result<BlendPlan> planAdd(std::span<const PartClip> clips, bool sync);

/// One after another, on the frames of the first; one that has ended is held while others play.
BlendPlan planConcat(std::span<const PartClip> clips);

}  // namespace clipmill::stages::blend
