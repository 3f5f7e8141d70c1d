// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/edit/trim.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/text.h"
#include "humanoid/humanoid.h"
#include "locomotion/foot_contacts.h"
#include "locomotion/foot_slide.h"
#include "scene/resample.h"
#include "stages/edit/each_motion.h"

namespace clipmill::stages::edit {
namespace {

constexpr double kSameInstant_s = 1e-9;
constexpr int kDigits = 3;

double lengthOf(const TimeGrid& grid) { return grid.end_s - grid.start_s; }

std::string seconds(double time_s) { return fixedText(time_s, kDigits) + " s"; }

struct Span {
  double start_s = 0.0, end_s = 0.0;
};

// The kept part, from the start of the clip.
Result<Span> keptPart(const Motion& motion, const TrimSettings& settings) {
  const double fps = motion.grid.fps, length_s = lengthOf(motion.grid);
  const auto at = [&](const std::optional<std::int64_t>& frame, double time_s) {
    return frame ? static_cast<double>(*frame) / fps : time_s;
  };
  Span span{at(settings.start_frame, settings.start_s),
            at(settings.end_frame, settings.end_s.value_or(length_s))};
  if (span.end_s > length_s + kSameInstant_s || span.start_s > length_s + kSameInstant_s) {
    return Error{ErrorCode::kRecipe, "trim",
                 "the part from " + seconds(span.start_s) + " to " + seconds(span.end_s) +
                     " is not within '" + motion.clip_name + "', which lasts " + seconds(length_s),
                 "give times within the clip"};
  }
  if (span.end_s - span.start_s <= kSameInstant_s) {
    return Error{
        ErrorCode::kRecipe, "trim",
        "the part from " + seconds(span.start_s) + " to " + seconds(span.end_s) + " has no length",
        "let it end later than it starts"};
  }
  span.end_s = std::min(span.end_s, length_s);
  return span;
}

Status trimOne(const Scene& scene, const TrimSettings& settings, const Motion& motion,
               StageResult& result) {
  CLIPMILL_TRY(const Span span, keptPart(motion, settings));
  result.motion = copyOf(motion);
  const double length_s = lengthOf(motion.grid), start_s = motion.grid.start_s;
  const bool is_whole = span.start_s <= kSameInstant_s && length_s - span.end_s <= kSameInstant_s;
  if (!is_whole) {
    const TimeGrid grid = makeGrid(start_s, start_s + span.end_s - span.start_s, motion.grid.fps);
    std::vector<double> source_s = timesOf(grid);
    for (double& time_s : source_s) time_s += span.start_s;
    source_s.back() = start_s + span.end_s;
    result.motion = resampled(scene, motion, grid, source_s);
  }
  result.metrics = {{"duration_s", length_s, lengthOf(result.motion.grid)}};
  return {};
}

double newLengthOf(const RetimeSettings& settings, const Motion& motion) {
  return settings.duration_s.value_or(lengthOf(motion.grid) * settings.time_scale);
}

TimeGrid retimedGrid(const RetimeSettings& settings, const Motion& motion) {
  const double start_s = motion.grid.start_s;
  return makeGrid(start_s, start_s + newLengthOf(settings, motion),
                  settings.result_fps.value_or(motion.grid.fps));
}

// The frames of the result are poses of the clip, so that planted feet need no lock. Between frames
// players interpolate, and feet slide where those are far apart.
void measureFeet(const Scene& scene, const humanoid::HumanoidMap& humanoid, const Motion& motion,
                 StageResult& result) {
  const auto slideIn = [&](const Motion& of) {
    return locomotion::measureFootSlide(locomotion::traceFeet(scene, humanoid, of));
  };
  const std::vector<Metric> slide =
      locomotion::slideMetrics(slideIn(motion), slideIn(result.motion));
  result.metrics.insert(result.metrics.end(), slide.begin(), slide.end());
  locomotion::warnWhereFeetSlide(slide, motion.clip_name,
                                 "planted feet drift by at least 5 mm more than in the source, "
                                 "between frames that are too far apart or in contacts that get "
                                 "too short: give a higher result_fps",
                                 result.warnings);
}

Status retimeOne(const StageInput& input, const humanoid::HumanoidMap& humanoid,
                 const RetimeSettings& settings, const Motion& motion, StageResult& result) {
  const double length_s = lengthOf(motion.grid), start_s = motion.grid.start_s;
  if (settings.duration_s && !(length_s > 0.0)) {
    return Error{ErrorCode::kRecipe, "duration_s",
                 "'" + motion.clip_name + "' has no length to scale", "leave duration_s out"};
  }
  const double new_s = newLengthOf(settings, motion);
  const TimeGrid grid = retimedGrid(settings, motion);
  const bool is_same = std::abs(new_s - length_s) <= kSameInstant_s && grid.fps == motion.grid.fps;
  result.motion = copyOf(motion);
  if (!is_same || settings.reverse) {
    std::vector<double> source_s = timesOf(grid);
    const bool is_as_long = new_s == length_s && !settings.reverse;
    for (double& time_s : source_s) {
      if (is_as_long) continue;
      const double part = new_s > 0.0 ? (time_s - start_s) / new_s : 0.0;
      time_s = start_s + length_s * (settings.reverse ? 1.0 - part : part);
    }
    result.motion = resampled(input.scene, motion, grid, source_s);
  }
  result.metrics = {{"duration_s", length_s, lengthOf(result.motion.grid)},
                    {"fps", motion.grid.fps, result.motion.grid.fps}};
  if (humanoid.origin != humanoid::HumanoidMap::Origin::kNone) {
    measureFeet(input.scene, humanoid, motion, result);
  }
  return {};
}

}  // namespace

Result<std::vector<StageResult>> runTrim(const StageInput& input, const TrimSettings& settings) {
  return edit::eachMotion(input, [&](const Motion& motion, StageResult& result) {
    return trimOne(input.scene, settings, motion, result);
  });
}

Result<std::vector<StageResult>> runRetime(const StageInput& input,
                                           const RetimeSettings& settings) {
  std::vector<PlannedMotion> planned;
  for (const Motion& motion : input.motions) {
    planned.push_back({motion.clip_name, retimedGrid(settings, motion)});
  }
  CLIPMILL_CHECK(checkMotionSizes(input.scene.skeleton, planned, input.max_motion_bytes));
  const humanoid::HumanoidMap humanoid = humanoid::findHumanoid(input.scene);
  return edit::eachMotion(input, [&](const Motion& motion, StageResult& result) {
    return retimeOne(input, humanoid, settings, motion, result);
  });
}

StageType trimType() {
  return makeStageType<TrimSettings>("trim", "Keep a part of a clip.", trimTable(), runTrim);
}

StageType retimeType() {
  return makeStageType<RetimeSettings>(
      "retime", "Play a clip faster, slower, backwards or at another frame rate.", retimeTable(),
      runRetime);
}

}  // namespace clipmill::stages::edit
