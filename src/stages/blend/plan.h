// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "core/result.h"
#include "stages/blend/settings.h"

namespace clipmill::blend {

/// Which instant of a clip each frame of the result shows, and how much of it.
struct PartPlan {
  std::vector<double> time_s;       ///< Within the clip.
  std::vector<int> cycles;          ///< How many whole clips were played before it.
  std::vector<double> weight;       ///< 0..1; those of all parts sum to one, unless they are added.
  std::vector<double> mean_weight;  ///< Over the time from the frame before.
};

/// When what plays: the clip itself is the first part.
struct BlendPlan {
  TimeGrid grid;
  std::vector<PartPlan> parts;
  /// Parts follow one another, and each makes its own steps whole; else they weigh as the parts do.
  bool in_turn = false;
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

/// `from` goes over into `to` in a window: alone before it, the other alone after it, to its end.
/// With BlendSettings::sync both are at the same part of their cycles at all times, the pace in the
/// window is the weighted mean of both, and the result ends where a cycle of `to` does. Errors:
/// kRecipe for a window of no length or longer than what the clips have for it.
Result<BlendPlan> planFade(const PartClip& from, const PartClip& to, const BlendSettings& settings);

/// All clips at once, on the frames of the first, whose weight is what the others leave. Others run
/// from their begin and are held at their end. With `sync` all are at the same part of their
/// cycles, for one cycle, at the weighted mean of their paces; others count `pace_part` of their
/// weight in it: what a mask leaves to the node that carries the way. Errors: kRecipe for weights
/// of the others that sum to more than one, and for a clip of no length where steps are to be kept.
Result<BlendPlan> planMix(std::span<const PartClip> clips, bool sync, double pace_part);

/// The same for clips that are added to the first: it plays alone, at its pace.
Result<BlendPlan> planAdd(std::span<const PartClip> clips, bool sync);

/// One after another, on the frames of the first; one that has ended is held while others play.
BlendPlan planConcat(std::span<const PartClip> clips);

}  // namespace clipmill::blend
