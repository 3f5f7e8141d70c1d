// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/stretch/window_plan.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "core/to_size.h"

namespace clipmill::stages::stretch {
namespace {

// Key times are stored as floats; the last frame may lie a little after the end of the clip.
constexpr double kSameInstant_s = 1e-4;

Error faulty(const std::string& location, const std::string& message, const std::string& remedy) {
  return {ErrorCode::kRecipe, location.empty() ? "stretch" : location, message, remedy};
}

bool allFinite(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double n) { return std::isfinite(n); });
}

Status checkTarget(const TargetSettings& target, const std::string& location) {
  for (const std::vector<double>* numbers : {&target.distance_m, &target.to_m, &target.bone_at_m}) {
    if (!allFinite(*numbers)) return faulty(location, "has a number that is not finite", "");
  }
  if (target.distance_m.size() > 1) {
    return faulty(location, "has several values of distance_m, which ask for an output each",
                  "give one");
  }
  if (!target.to_m.empty() && target.to_m.size() != 3) {
    return faulty(location, "to_m needs 3 numbers, not " + std::to_string(target.to_m.size()),
                  "give x,y,z in metres, y up");
  }
  if (target.bone.empty() != target.bone_at_m.empty() ||
      (!target.bone_at_m.empty() && target.bone_at_m.size() != 3)) {
    return faulty(location, "bone and bone_at_m belong together",
                  "give a node and x,y,z in metres");
  }
  const int count = static_cast<int>(!target.distance_m.empty()) +
                    static_cast<int>(!target.to_m.empty()) + static_cast<int>(!target.bone.empty());
  if (count > 1) {
    return faulty(location, "has more than one of distance_m, to_m and bone", "give one of them");
  }
  if (!target.bone.empty() || !target.at_s) return {};
  return faulty(location, "at_s is for bone alone", "end the window there instead");
}

// The frame nearest to a time that counts from the start of the clip.
Result<std::size_t> frameAt(double time_s, const TimeGrid& grid, const std::string& location,
                            const std::string& clip_name, Warnings& warnings) {
  const double length_s = grid.end_s - grid.start_s;
  if (!(time_s >= 0.0) || time_s > length_s + kSameInstant_s) {
    return faulty(location,
                  "names the time " + numberText(time_s) + " s, and clip '" + clip_name + "' has " +
                      fixedText(length_s, 3) + " s",
                  "keep within the clip");
  }
  const std::size_t last = grid.frame_count - 1;
  const double at = std::floor(time_s * grid.fps + 0.5);
  std::size_t frame = std::min(toSize(at), last);
  const auto distance_s = [&](std::size_t f) {
    return std::abs(grid.timeOf(f) - grid.start_s - time_s);
  };
  if (distance_s(last) < distance_s(frame)) frame = last;
  if (distance_s(frame) > kSameInstant_s) {
    warnings.add("window_between_frames", "an end of a window was moved to the nearest frame",
                 location.empty() ? clip_name : location);
  }
  return frame;
}

Result<Window> windowOf(const StretchWindow& settings, const TimeGrid& grid, double clip_fps,
                        const std::string& location, const std::string& clip_name,
                        Warnings& warnings) {
  const auto timeOf = [&](const std::optional<std::int64_t>& frame, std::optional<double> time_s) {
    return frame ? static_cast<double>(*frame) / clip_fps : time_s;
  };
  Window window{0, grid.frame_count - 1, &settings, location};
  const double start_s = *timeOf(settings.start_frame, settings.start_s);
  std::optional<double> end_s = timeOf(settings.end_frame, settings.end_s);
  if (settings.at_s) {
    if (end_s && *settings.at_s > *end_s) {
      return faulty(location, "at_s lies after the end of its window", "end the window later");
    }
    end_s = settings.at_s;
  }
  CLIPMILL_TRY(window.first, frameAt(start_s, grid, location, clip_name, warnings));
  if (end_s) {
    CLIPMILL_TRY(window.last, frameAt(*end_s, grid, location, clip_name, warnings));
  }
  if (window.first >= window.last) {
    return faulty(location, "has no length in clip '" + clip_name + "'",
                  "let it end at least one frame after its start");
  }
  return window;
}

Result<std::vector<Window>> givenWindows(const StretchSettings& settings, const TimeGrid& grid,
                                         double clip_fps, const std::string& clip_name,
                                         Warnings& warnings) {
  std::vector<Window> windows;
  for (std::size_t i = 0; i < settings.window.size(); ++i) {
    const std::string location = "window " + std::to_string(i + 1);
    CLIPMILL_CHECK(checkTarget(settings.window[i], location));
    if (!hasTarget(settings.window[i]) && settings.yaw != YawPolicy::kMatch) {
      return faulty(location, "has no target", "give distance_m, to_m, or bone and bone_at_m");
    }
    CLIPMILL_TRY(Window window,
                 windowOf(settings.window[i], grid, clip_fps, location, clip_name, warnings));
    windows.push_back(std::move(window));
  }
  std::stable_sort(windows.begin(), windows.end(),
                   [](const Window& a, const Window& b) { return a.first < b.first; });
  for (std::size_t i = 1; i < windows.size(); ++i) {
    if (windows[i].first < windows[i - 1].last) {
      return faulty(windows[i].location, "overlaps " + windows[i - 1].location,
                    "let one end where the other starts");
    }
  }
  return windows;
}

}  // namespace

bool hasTarget(const TargetSettings& target) {
  return !target.distance_m.empty() || !target.to_m.empty() || !target.bone.empty() ||
         !target.bone_at_m.empty() || target.rise_m != 0.0 || target.yaw_deg != 0.0;
}

Result<std::vector<Window>> planWindows(const StretchSettings& settings, const TimeGrid& grid,
                                        double clip_fps, const std::string& clip_name,
                                        Warnings& warnings) {
  CLIPMILL_CHECK(checkTarget(settings, ""));
  const bool whole = hasTarget(settings) || settings.yaw == YawPolicy::kMatch;
  if (!settings.window.empty()) {
    if (whole) {
      return faulty("", "has a target for the whole clip besides windows",
                    "make the target a window too, or leave it out");
    }
    return givenWindows(settings, grid, clip_fps, clip_name, warnings);
  }
  if (!whole) return std::vector<Window>();
  Window window{0, grid.frame_count - 1, &settings, ""};
  if (settings.at_s) {
    CLIPMILL_TRY(window.last, frameAt(*settings.at_s, grid, "at_s", clip_name, warnings));
    if (window.last == 0) return faulty("at_s", "is the start of the clip", "give a later time");
  }
  return std::vector<Window>{window};
}

}  // namespace clipmill::stages::stretch
