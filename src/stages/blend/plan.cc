// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/blend/plan.h"

#include <algorithm>
#include <cmath>

#include "core/smooth_step.h"
#include "core/text.h"

namespace clipmill::stages::blend {
namespace {

constexpr double kSameInstant_s = 1e-9;
constexpr double kSamePhase = 1e-9;
constexpr int kDigits = 3;

double lengthOf(const TimeGrid& grid) { return grid.end_s - grid.start_s; }

std::string seconds(double time_s) { return fixedText(time_s, kDigits) + " s"; }

std::string quoted(const std::string& name) { return "'" + name + "'"; }

// A time that rounding may have moved past an end is that end.
double snapped(const TimeGrid& grid, double time_s) {
  if (std::abs(time_s - grid.end_s) < kSameInstant_s) return grid.end_s;
  return std::clamp(time_s, grid.start_s, grid.end_s);
}

// How much of a part there is at a frame, and in the mean since the frame before.
struct FrameWeight {
  double now = 0.0, mean = 0.0;

  FrameWeight rest() const { return {1.0 - now, 1.0 - mean}; }
};

void append(PartPlan& part, double time_s, int cycles, const FrameWeight& weight) {
  part.time_s.push_back(time_s);
  part.cycles.push_back(cycles);
  part.weight.push_back(weight.now);
  part.mean_weight.push_back(weight.mean);
}

// The instant at so many cycles from the start; a whole number of them is the end of the last.
void appendPhase(PartPlan& part, const TimeGrid& grid, double phase, const FrameWeight& weight) {
  const double whole = std::max(std::ceil(phase - kSamePhase) - 1.0, 0.0);
  append(part, snapped(grid, grid.start_s + (phase - whole) * lengthOf(grid)),
         static_cast<int>(whole), weight);
}

// Start and end of the overlap, in the time of the clip that it leaves.
struct Window {
  double start_s = 0.0, length_s = 0.0;

  double end_s() const { return start_s + length_s; }
  double part(double time_s) const { return std::clamp((time_s - start_s) / length_s, 0.0, 1.0); }
  // The integral of the weight over time.
  double area_s(BlendEase ease, double time_s) const {
    return length_s * easedArea(ease, part(time_s)) + std::max(time_s - end_s(), 0.0);
  }
  FrameWeight weightAt(BlendEase ease, const TimeGrid& grid, std::size_t frame) const {
    const double now_s = grid.timeOf(frame);
    const double weight = easedShare(ease, part(now_s));
    if (frame == 0) return {weight, weight};
    const double before_s = grid.timeOf(frame - 1);
    return {weight, (area_s(ease, now_s) - area_s(ease, before_s)) / (now_s - before_s)};
  }
};

Result<Window> windowOf(const PartClip& from, const PartClip& to, const BlendSettings& settings) {
  const double length_s = settings.window_frames
                              ? static_cast<double>(*settings.window_frames) / from.grid.fps
                              : settings.window_s;
  if (!(length_s > 0.0)) {
    return recipeError("window_s", "a fade needs a window longer than " + seconds(length_s),
                       "make it longer, or join the clips with concat");
  }
  const double start_s =
      settings.at_s ? from.grid.start_s + *settings.at_s : from.grid.end_s - length_s;
  if (start_s < from.grid.start_s - kSameInstant_s ||
      start_s + length_s > from.grid.end_s + kSameInstant_s) {
    return recipeError("window_s",
                       "an overlap of " + seconds(length_s) + " from " +
                           seconds(start_s - from.grid.start_s) + " does not lie within " +
                           quoted(from.name) + ", which lasts " + seconds(lengthOf(from.grid)),
                       "make window_s shorter, or move at_s");
  }
  const double left_s = lengthOf(to.grid) - (settings.sync ? 0.0 : settings.enter_s);
  if (left_s < length_s - kSameInstant_s && !(settings.sync && left_s > 0.0)) {
    return recipeError("window_s",
                       quoted(to.name) + " has " + seconds(std::max(left_s, 0.0)) +
                           " for an overlap of " + seconds(length_s),
                       "make window_s shorter");
  }
  return Window{std::max(start_s, from.grid.start_s), length_s};
}

BlendPlan planPlainFade(const PartClip& from, const PartClip& to, const Window& window,
                        const BlendSettings& settings) {
  const double entered_s = to.grid.start_s + settings.enter_s;
  BlendPlan plan;
  plan.grid =
      makeGrid(from.grid.start_s, window.start_s + (to.grid.end_s - entered_s), from.grid.fps);
  plan.parts.resize(2);
  for (std::size_t frame = 0; frame < plan.grid.frame_count; ++frame) {
    const double time_s = plan.grid.timeOf(frame);
    const FrameWeight weight = window.weightAt(settings.ease, plan.grid, frame);
    append(plan.parts[0], snapped(from.grid, time_s), 0, weight.rest());
    append(plan.parts[1], snapped(to.grid, entered_s + (time_s - window.start_s)), 0, weight);
  }
  return plan;
}

BlendPlan planSyncedFade(const PartClip& from, const PartClip& to, const Window& window,
                         const BlendSettings& settings) {
  const double slow_hz = 1.0 / lengthOf(from.grid), fast_hz = 1.0 / lengthOf(to.grid);
  const auto phaseAt = [&](double time_s) {
    const double area = easedArea(settings.ease, window.part(time_s));
    const double before_s = std::min(time_s, window.end_s()) - from.grid.start_s;
    const double after_s = std::max(time_s - window.end_s(), 0.0);
    return before_s * slow_hz + (fast_hz - slow_hz) * window.length_s * area + after_s * fast_hz;
  };
  const double over = phaseAt(window.end_s());
  double last = std::ceil(over - kSamePhase);
  if (last - over < kSamePhase) last += 1.0;  // a cycle of the other clip at least
  BlendPlan plan;
  plan.grid = makeGrid(from.grid.start_s, window.end_s() + (last - over) / fast_hz, from.grid.fps);
  plan.parts.resize(2);
  for (std::size_t frame = 0; frame < plan.grid.frame_count; ++frame) {
    const double time_s = plan.grid.timeOf(frame);
    const FrameWeight weight = window.weightAt(settings.ease, plan.grid, frame);
    appendPhase(plan.parts[0], from.grid, phaseAt(time_s), weight.rest());
    appendPhase(plan.parts[1], to.grid, phaseAt(time_s), weight);
  }
  return plan;
}

Status checkSync(std::span<const PartClip> clips) {
  for (const PartClip& clip : clips) {
    if (lengthOf(clip.grid) > 0.0) continue;
    return recipeError("sync", quoted(clip.name) + " has no length, and so no step to keep",
                       "leave out sync");
  }
  return {};
}

// All clips from their start; `clock` is the frames of the result.
BlendPlan planTogether(std::span<const PartClip> clips, const TimeGrid& clock, bool sync,
                       double first_weight) {
  BlendPlan plan{clock, std::vector<PartPlan>(clips.size()), false};
  for (std::size_t frame = 0; frame < clock.frame_count; ++frame) {
    const double gone_s = clock.timeOf(frame) - clock.start_s;
    for (std::size_t i = 0; i < clips.size(); ++i) {
      const TimeGrid& grid = clips[i].grid;
      const double part = i == 0 ? first_weight : clips[i].weight;
      const FrameWeight weight{part, part};
      if (sync) {
        appendPhase(plan.parts[i], grid, gone_s / lengthOf(clock), weight);
      } else {
        append(plan.parts[i], snapped(grid, grid.start_s + gone_s), 0, weight);
      }
    }
  }
  return plan;
}

}  // namespace

double easedShare(BlendEase ease, double s) {
  return ease == BlendEase::kLinear ? s : smoothStep(s);
}

double easedArea(BlendEase ease, double s) {
  return ease == BlendEase::kLinear ? 0.5 * s * s : s * s * s * (1.0 - 0.5 * s);
}

Result<BlendPlan> planFade(const PartClip& from, const PartClip& to,
                           const BlendSettings& settings) {
  CLIPMILL_TRY(const Window window, windowOf(from, to, settings));
  if (settings.sync) return planSyncedFade(from, to, window, settings);
  return planPlainFade(from, to, window, settings);
}

Result<BlendPlan> planMix(std::span<const PartClip> clips, bool sync, double pace_part) {
  constexpr double kRounding = 1e-9;
  double others = 0.0;
  for (const PartClip& clip : clips.subspan(1)) others += clip.weight;
  if (others > 1.0 + kRounding) {
    return recipeError("with.weight",
                       "the weights of the other clips sum to " + fixedText(others, kDigits) +
                           ", which leaves less than nothing for " + quoted(clips[0].name),
                       "let them sum to 1 or less");
  }
  const double first_weight = std::max(1.0 - others, 0.0);
  TimeGrid clock = clips[0].grid;
  if (sync) {
    CLIPMILL_CHECK(checkSync(clips));
    double pace_hz = (1.0 - pace_part * (1.0 - first_weight)) / lengthOf(clock);
    for (const PartClip& clip : clips.subspan(1)) {
      pace_hz += pace_part * clip.weight / lengthOf(clip.grid);
    }
    clock = makeGrid(clock.start_s, clock.start_s + 1.0 / pace_hz, clock.fps);
  }
  return planTogether(clips, clock, sync, first_weight);
}

Result<BlendPlan> planAdd(std::span<const PartClip> clips, bool sync) {
  if (sync) CLIPMILL_CHECK(checkSync(clips));
  return planTogether(clips, clips[0].grid, sync, 1.0);
}

BlendPlan planConcat(std::span<const PartClip> clips) {
  const TimeGrid& first = clips[0].grid;
  double length_s = 0.0;
  for (const PartClip& clip : clips) length_s += lengthOf(clip.grid);
  BlendPlan plan{makeGrid(first.start_s, first.start_s + length_s, first.fps),
                 std::vector<PartPlan>(clips.size()), true};
  for (std::size_t frame = 0; frame < plan.grid.frame_count; ++frame) {
    const double time_s = plan.grid.timeOf(frame);
    double start_s = first.start_s;
    bool is_over = false;  // the first clip that has not ended yet plays
    for (std::size_t i = 0; i < clips.size(); ++i) {
      const TimeGrid& grid = clips[i].grid;
      const double end_s = start_s + lengthOf(grid);
      const bool plays = !is_over && (time_s <= end_s + kSameInstant_s || i + 1 == clips.size());
      append(plan.parts[i], snapped(grid, grid.start_s + (time_s - start_s)), 0,
             plays ? FrameWeight{1.0, 1.0} : FrameWeight{});
      is_over = is_over || plays;
      start_s = end_s;
    }
  }
  return plan;
}

}  // namespace clipmill::stages::blend
