// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact_report.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "stages/self_collision/exact_samples.h"
#include "stages/self_collision/exact_windows.h"

namespace clipmill::collision {
namespace {

constexpr double kPercent = 100.0;

double percentOf(std::size_t part, std::size_t whole) {
  return whole ? kPercent * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

double deepestAt(const DepthTable& depths, std::size_t sample) {
  double deepest = 0.0;
  for (std::size_t pair = 0; pair < depths.pairCount(); ++pair) {
    deepest = std::max(deepest, depths.at(sample, pair).depth_m);
  }
  return deepest;
}

struct DepthNumbers {
  double inside_percent = 0.0, frames_percent = 0.0, midpoints_percent = 0.0;
  double deepest_percent = 0.0;
  std::size_t runs = 0;
};

DepthNumbers numbersOf(const DepthTable& depths, double tolerance_m, double height_m) {
  DepthNumbers numbers;
  std::size_t inside = 0, vertices = 0, frames = 0, deep_frames = 0, midpoints = 0, deep_mids = 0;
  bool was_deep = false;
  for (std::size_t sample = 0; sample < depths.sampleCount(); ++sample) {
    const double depth_m = deepestAt(depths, sample);
    const bool is_deep = depth_m > tolerance_m;
    const bool is_frame = ClipSamples::isFrame(sample);
    (is_frame ? frames : midpoints) += 1;
    (is_frame ? deep_frames : deep_mids) += is_deep ? 1 : 0;
    numbers.runs += is_deep && !was_deep ? 1 : 0;
    was_deep = is_deep;
    numbers.deepest_percent = std::max(numbers.deepest_percent, kPercent * depth_m / height_m);
    for (std::size_t pair = 0; is_frame && pair < depths.pairCount(); ++pair) {
      inside += depths.at(sample, pair).inside_count;
      vertices += depths.at(sample, pair).vertex_count;
    }
  }
  numbers.inside_percent = percentOf(inside, vertices);
  numbers.frames_percent = percentOf(deep_frames, frames);
  numbers.midpoints_percent = percentOf(deep_mids, midpoints);
  return numbers;
}

// Of all shoulders, or of all hips: the root mean square.
double jerkOf(const LimbPoser& poser, const Motion& motion, bool of_legs) {
  double sum = 0.0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < poser.limbCount(); ++i) {
    if (poser.limb(i).is_leg != of_legs) continue;
    std::vector<Quat> rotations;
    for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
      rotations.push_back(
          motion.localsOf(frame)[static_cast<std::size_t>(poser.limb(i).upper)].rotation);
    }
    const double jerk = rmsJerk_radps3(rotations, motion.grid.fps);
    sum += jerk * jerk;
    ++count;
  }
  return count ? std::sqrt(sum / static_cast<double>(count)) : 0.0;
}

struct ChangeNumbers {
  double mean_deg = 0.0, frames_percent = 0.0;
};

// Of every limb the largest turn of its joints, averaged over the limbs and frames that changed.
ChangeNumbers changeOf(const LimbPoser& poser, const Motion& source, const Motion& result) {
  std::size_t changed_frames = 0, changed_limbs = 0;
  double sum_deg = 0.0;
  for (std::size_t frame = 0; frame < source.grid.frame_count; ++frame) {
    bool is_changed = false;
    for (std::size_t i = 0; i < poser.limbCount(); ++i) {
      double most = 0.0;
      for (const int joint : poser.limb(i).joints()) {
        const std::size_t j = static_cast<std::size_t>(joint);
        const Quat &from = source.localsOf(frame)[j].rotation,
                   &to = result.localsOf(frame)[j].rotation;
        if (from == to) continue;
        most = std::max(most, angleBetween(normalizedOrIdentity(from), normalizedOrIdentity(to)));
      }
      if (!(most > 0.0)) continue;
      sum_deg += most / kDegree;
      ++changed_limbs;
      is_changed = true;
    }
    changed_frames += is_changed ? 1 : 0;
  }
  return {changed_limbs ? sum_deg / static_cast<double>(changed_limbs) : 0.0,
          percentOf(changed_frames, source.grid.frame_count)};
}

struct TouchNumbers {
  std::size_t touching = 0, kept = 0;  // frames
};

TouchNumbers touchesOf(const FreedClip& clip, std::size_t pair) {
  TouchNumbers numbers;
  for (std::size_t sample = 0; sample < clip.before.depths.sampleCount(); ++sample) {
    if (!ClipSamples::isFrame(sample) || !clip.before.touches[pair][sample]) continue;
    ++numbers.touching;
    numbers.kept += clip.touches_after[pair][sample] ? 1 : 0;
  }
  return numbers;
}

void addContacts(const FreedClip& clip, StageResult& report) {
  std::size_t touching = 0, kept = 0;
  for (std::size_t pair = 0; pair < clip.before.touches.size(); ++pair) {
    const TouchNumbers numbers = touchesOf(clip, pair);
    touching += numbers.touching;
    kept += numbers.kept;
  }
  if (touching == 0) return;
  report.metrics.push_back({"contacts_kept_percent", kPercent, percentOf(kept, touching)});
}

void addSeries(const FreedClip& clip, const SelfPenetration& skin, StageResult& report) {
  const double percent = kPercent / skin.height_m();
  for (std::size_t pair = 0; pair < skin.pairs().size(); ++pair) {
    Series series{"depth_percent", skin.pairs()[pair].name, {}, {}};
    for (std::size_t sample = 0; sample < clip.after.sampleCount(); sample += 2) {
      series.before.push_back(percent * clip.before.depths.at(sample, pair).depth_m);
      series.after.push_back(percent * clip.after.at(sample, pair).depth_m);
    }
    report.series.push_back(std::move(series));
  }
}

void warnOfDepths(const FreedClip& clip, const SelfPenetration& skin, StageResult& report) {
  const double step_s = 0.5 / clip.source.grid.fps;
  for (std::size_t pair = 0; pair < skin.pairs().size(); ++pair) {
    std::vector<bool> is_deep;
    for (std::size_t sample = 0; sample < clip.after.sampleCount(); ++sample) {
      is_deep.push_back(clip.after.at(sample, pair).depth_m > clip.before.tolerance_m);
    }
    for (const Window& window : findWindows(is_deep, step_s, 0.0, false)) {
      double deepest_m = 0.0;
      for (std::size_t s = window.first; s <= window.last; ++s) {
        deepest_m = std::max(deepest_m, clip.after.at(s, pair).depth_m);
      }
      const auto timeOf = [&](std::size_t sample) {
        return fixedText(static_cast<double>(sample) * step_s, 2);
      };
      report.warnings.add("limb_stays_inside", "a limb could not be freed from what it runs into",
                          clip.source.clip_name + ": " + skin.pairs()[pair].name + ", " +
                              timeOf(window.first) + " to " + timeOf(window.last) + " s, " +
                              fixedText(kPercent * deepest_m / skin.height_m(), 1) +
                              " % of the height deep");
    }
  }
}

void warnOfContacts(const FreedClip& clip, const SelfPenetration& skin,
                    const std::vector<std::string>& reasons, StageResult& report) {
  std::size_t lost = 0;
  std::string places;
  for (std::size_t pair = 0; pair < skin.pairs().size(); ++pair) {
    const TouchNumbers numbers = touchesOf(clip, pair);
    if (numbers.kept == numbers.touching) continue;
    lost += numbers.touching - numbers.kept;
    places += (places.empty() ? ": " : "; ") + skin.pairs()[pair].name + ", " +
              std::to_string(numbers.touching - numbers.kept) + " of " +
              std::to_string(numbers.touching) + " frames, " + reasons[pair];
  }
  if (lost == 0) return;
  report.warnings.add("contact_given_up", "parts that touched on purpose no longer do",
                      clip.source.clip_name + places, lost);
}

}  // namespace

void warnOfLosses(const FreedClip& clip, const SelfPenetration& skin, double jerk_ratio,
                  const std::vector<std::string>& reasons, StageResult& report) {
  warnOfContacts(clip, skin, reasons, report);
  for (const bool of_legs : {false, true}) {
    const double before = std::max(jerkOf(clip.poser, clip.source, of_legs), kStillJerk_radps3);
    const double ratio = jerkOf(clip.poser, clip.result, of_legs) / before;
    if (ratio <= jerk_ratio) continue;
    report.warnings.add("jerk_above_limit", "no smoother change frees the limbs",
                        clip.source.clip_name + (of_legs ? ": hips" : ": shoulders") +
                            ", jerk times " + fixedText(ratio, 2));
  }
}

void reportFreedClip(const FreedClip& clip, const SelfPenetration& skin, StageResult& report) {
  const double tolerance_m = clip.before.tolerance_m;
  const DepthNumbers before = numbersOf(clip.before.depths, tolerance_m, skin.height_m());
  const DepthNumbers after = numbersOf(clip.after, tolerance_m, skin.height_m());
  const auto add = [&](const char* name, double from, double to) {
    report.metrics.push_back({name, from, to});
  };
  add("limb_vertices_inside_percent", before.inside_percent, after.inside_percent);
  add("frames_deeper_percent", before.frames_percent, after.frames_percent);
  add("midpoints_deeper_percent", before.midpoints_percent, after.midpoints_percent);
  add("deepest_percent", before.deepest_percent, after.deepest_percent);
  add("deep_runs", static_cast<double>(before.runs), static_cast<double>(after.runs));
  add("shoulder_jerk_radps3", jerkOf(clip.poser, clip.source, false),
      jerkOf(clip.poser, clip.result, false));
  add("hip_jerk_radps3", jerkOf(clip.poser, clip.source, true),
      jerkOf(clip.poser, clip.result, true));
  const ChangeNumbers change = changeOf(clip.poser, clip.source, clip.result);
  add("mean_change_deg", 0.0, change.mean_deg);
  add("changed_frames_percent", 0.0, change.frames_percent);
  addContacts(clip, report);
  addSeries(clip, skin, report);
  warnOfDepths(clip, skin, report);
}

}  // namespace clipmill::collision
