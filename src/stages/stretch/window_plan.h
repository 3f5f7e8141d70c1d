// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "core/result.h"
#include "core/warnings.h"
#include "stages/stretch/settings.h"

namespace clipmill::stages::stretch {

/// Frames of a motion, both included, between which a target is to be reached.
struct Window {
  std::size_t first = 0;
  std::size_t last = 0;
  const TargetSettings* target = nullptr;
  std::string location;  ///< "window 2", for messages; empty for the whole clip.
};

/// Whether the settings name an end position, a rotation or a rise.
bool hasTarget(const TargetSettings& target);

/// The windows in the order of time; the whole clip where the settings name none but a target; none
/// where they name neither. Ends between two frames go to the nearer one (warning
/// window_between_frames). `clip_fps` is the rate in which settings count frames.
/// Errors, kRecipe: a window outside of the clip or without length, two that overlap, a target that
/// is none or several at once, or whose numbers are not finite.
Result<std::vector<Window>> planWindows(const StretchSettings& settings, const TimeGrid& grid,
                                        double clip_fps, const std::string& clip_name,
                                        Warnings& warnings);

}  // namespace clipmill::stages::stretch
