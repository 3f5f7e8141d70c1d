// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/clip_report.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "core/to_size.h"
#include "core/units.h"
#include "stages/self_collision/exact/clip_samples.h"

namespace clipmill::stages::self_collision {
namespace {

double percentOf(std::size_t part, std::size_t whole) {
  return whole ? kPercent * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

struct DepthSummary {
  double vertices_percent = 0.0, frames_percent = 0.0, midpoints_percent = 0.0;
  double max_percent = 0.0;
  std::size_t intervals = 0;
};

DepthSummary summaryOf(const DepthTable& depths, double tolerance_m, double height_m) {
  DepthSummary summary;
  std::size_t penetrating_vertices = 0, vertices = 0, frames = 0, penetrating_frames = 0,
              midpoints = 0, penetrating_midpoints = 0;
  bool was_penetrating = false;
  for (std::size_t sample = 0; sample < depths.sampleCount(); ++sample) {
    const double depth_m = depths.maxDepth_m(sample);
    const bool is_penetrating = depth_m > tolerance_m;
    const bool is_frame = ClipSamples::isFrame(sample);
    (is_frame ? frames : midpoints) += 1;
    (is_frame ? penetrating_frames : penetrating_midpoints) += is_penetrating ? 1 : 0;
    summary.intervals += is_penetrating && !was_penetrating ? 1 : 0;
    was_penetrating = is_penetrating;
    summary.max_percent = std::max(summary.max_percent, kPercent * depth_m / height_m);
    for (std::size_t pair = 0; is_frame && pair < depths.pairCount(); ++pair) {
      penetrating_vertices += depths.at(sample, pair).penetrating_count;
      vertices += depths.at(sample, pair).vertex_count;
    }
  }
  summary.vertices_percent = percentOf(penetrating_vertices, vertices);
  summary.frames_percent = percentOf(penetrating_frames, frames);
  summary.midpoints_percent = percentOf(penetrating_midpoints, midpoints);
  return summary;
}

// Of one joint of all arms or of all legs, where they have it: the root mean square.
double jerkOf(const LimbPoser& poser, const Motion& motion, bool of_legs,
              int MovableLimb::*joint_of) {
  double sum = 0.0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < poser.limbCount(); ++i) {
    const int joint = poser.limb(i).*joint_of;
    if (poser.limb(i).is_leg != of_legs || joint < 0) continue;
    std::vector<Quat> rotations;
    for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
      rotations.push_back(motion.localsOf(frame)[toSize(joint)].rotation);
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

// The largest rotation of the joints of a limb, averaged over the limbs and frames that changed.
ChangeNumbers changeOf(const LimbPoser& poser, const Motion& source, const Motion& result) {
  std::size_t changed_frames = 0, changed_limbs = 0;
  double sum_deg = 0.0;
  for (std::size_t frame = 0; frame < source.grid.frame_count; ++frame) {
    bool is_changed = false;
    for (std::size_t i = 0; i < poser.limbCount(); ++i) {
      double max_rad = 0.0;
      for (const int joint : poser.limb(i).joints()) {
        const std::size_t j = toSize(joint);
        const Quat &from = source.localsOf(frame)[j].rotation,
                   &to = result.localsOf(frame)[j].rotation;
        if (from == to) continue;
        max_rad =
            std::max(max_rad, angleBetween(normalizedOrIdentity(from), normalizedOrIdentity(to)));
      }
      if (!(max_rad > 0.0)) continue;
      sum_deg += max_rad / kDegree;
      ++changed_limbs;
      is_changed = true;
    }
    changed_frames += is_changed ? 1 : 0;
  }
  return {changed_limbs ? sum_deg / static_cast<double>(changed_limbs) : 0.0,
          percentOf(changed_frames, source.grid.frame_count)};
}

struct ContactCounts {
  std::size_t frames = 0, kept = 0;
};

ContactCounts contactsOf(const ClipComparison& clip, std::size_t pair) {
  ContactCounts counts;
  for (std::size_t sample = 0; sample < clip.before.depths.sampleCount(); ++sample) {
    if (!ClipSamples::isFrame(sample) || !clip.before.contacts[pair][sample]) continue;
    ++counts.frames;
    counts.kept += clip.contacts_after[pair][sample] ? 1 : 0;
  }
  return counts;
}

void addContacts(const ClipComparison& clip, StageResult& report) {
  std::size_t frames = 0, kept = 0;
  for (std::size_t pair = 0; pair < clip.before.contacts.size(); ++pair) {
    const ContactCounts counts = contactsOf(clip, pair);
    frames += counts.frames;
    kept += counts.kept;
  }
  if (frames == 0) return;
  report.metrics.push_back({"contacts_kept_percent", kPercent, percentOf(kept, frames)});
}

void addSeries(const ClipComparison& clip, const penetration::SelfPenetration& skin,
               StageResult& report) {
  const double percent = kPercent / skin.height_m();
  for (std::size_t pair = 0; pair < skin.pairs().size(); ++pair) {
    Series series{"penetration_percent", skin.pairs()[pair].name, {}, {}};
    for (std::size_t sample = 0; sample < clip.after.sampleCount(); sample += 2) {
      series.before.push_back(percent * clip.before.depths.at(sample, pair).depth_m);
      series.after.push_back(percent * clip.after.at(sample, pair).depth_m);
    }
    report.series.push_back(std::move(series));
  }
}

void warnOfPenetration(const ClipComparison& clip, const penetration::SelfPenetration& skin,
                       StageResult& report) {
  const double step_s = 0.5 / clip.source.grid.fps;
  for (std::size_t pair = 0; pair < skin.pairs().size(); ++pair) {
    std::vector<bool> is_penetrating;
    for (std::size_t sample = 0; sample < clip.after.sampleCount(); ++sample) {
      is_penetrating.push_back(clip.after.at(sample, pair).depth_m > clip.before.tolerance_m);
    }
    for (const Window& window : findWindows(is_penetrating, step_s, 0.0, false)) {
      double max_m = 0.0;
      for (std::size_t s = window.first; s <= window.last; ++s) {
        max_m = std::max(max_m, clip.after.at(s, pair).depth_m);
      }
      const auto timeOf = [&](std::size_t sample) {
        return fixedText(static_cast<double>(sample) * step_s, 2);
      };
      report.warnings.add("penetration_remains", "a limb still penetrates another part of the body",
                          clip.source.clip_name + ": " + skin.pairs()[pair].name + ", " +
                              timeOf(window.first) + " to " + timeOf(window.last) + " s, " +
                              fixedText(kPercent * max_m / skin.height_m(), 1) +
                              " % of the height");
    }
  }
}

void warnOfDroppedContacts(const ClipComparison& clip, const penetration::SelfPenetration& skin,
                           const std::vector<std::string>& reasons, StageResult& report) {
  std::size_t dropped = 0;
  std::string pairs;
  for (std::size_t pair = 0; pair < skin.pairs().size(); ++pair) {
    const ContactCounts counts = contactsOf(clip, pair);
    if (counts.kept == counts.frames) continue;
    dropped += counts.frames - counts.kept;
    pairs += (pairs.empty() ? ": " : "; ") + skin.pairs()[pair].name + ", " +
             std::to_string(counts.frames - counts.kept) + " of " + std::to_string(counts.frames) +
             " frames, " + reasons[pair];
  }
  if (dropped == 0) return;
  report.warnings.add("contact_dropped", "a deliberate contact is no longer one",
                      clip.source.clip_name + pairs, dropped);
}

}  // namespace

void warnOfSideEffects(const ClipComparison& clip, const penetration::SelfPenetration& skin,
                       const std::vector<std::string>& reasons, StageResult& report) {
  warnOfDroppedContacts(clip, skin, reasons, report);
}

void reportClip(const ClipComparison& clip, const penetration::SelfPenetration& skin,
                StageResult& report) {
  const double tolerance_m = clip.before.tolerance_m;
  const DepthSummary before = summaryOf(clip.before.depths, tolerance_m, skin.height_m());
  const DepthSummary after = summaryOf(clip.after, tolerance_m, skin.height_m());
  const auto add = [&](const char* name, double from, double to) {
    report.metrics.push_back({name, from, to});
  };
  add("penetrating_vertices_percent", before.vertices_percent, after.vertices_percent);
  add("penetrating_frames_percent", before.frames_percent, after.frames_percent);
  add("penetrating_midpoints_percent", before.midpoints_percent, after.midpoints_percent);
  add("max_penetration_percent", before.max_percent, after.max_percent);
  add("penetration_intervals", static_cast<double>(before.intervals),
      static_cast<double>(after.intervals));
  const auto addJerk = [&](const char* name, bool of_legs, int MovableLimb::*joint) {
    add(name, jerkOf(clip.poser, clip.source, of_legs, joint),
        jerkOf(clip.poser, clip.result, of_legs, joint));
  };
  addJerk("clavicle_jerk_radps3", false, &MovableLimb::clavicle);
  addJerk("shoulder_jerk_radps3", false, &MovableLimb::upper);
  addJerk("elbow_jerk_radps3", false, &MovableLimb::lower);
  addJerk("wrist_jerk_radps3", false, &MovableLimb::end);
  addJerk("hip_jerk_radps3", true, &MovableLimb::upper);
  addJerk("knee_jerk_radps3", true, &MovableLimb::lower);
  const ChangeNumbers change = changeOf(clip.poser, clip.source, clip.result);
  add("mean_change_deg", 0.0, change.mean_deg);
  add("changed_frames_percent", 0.0, change.frames_percent);
  addContacts(clip, report);
  addSeries(clip, skin, report);
  warnOfPenetration(clip, skin, report);
}

}  // namespace clipmill::stages::self_collision
