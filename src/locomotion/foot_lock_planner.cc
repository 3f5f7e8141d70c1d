// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_lock_planner.h"

#include <algorithm>
#include <utility>

#include "core/math.h"
#include "locomotion/foot_lock_pelvis.h"

namespace clipmill::locomotion {

// The frames of a contact, in order. Where the seam of a cycle cuts it, the frames up to the last
// of the clip come first, and its first frame, which has the same pose, is left out.
struct ContactFrames {
  std::vector<std::size_t> frames;
  std::size_t at_seam = 0;  // how many come up to the seam, and 0 without one
};

namespace {

// Share of the acceleration that a gentler release has.
constexpr double kGentlerShare = 0.5;

// The ends of a limb in the frame of the ground, which rests under a result that travels.
EndFrames endsOnGround(const FeetTrace& feet, EndFrames ends, bool result_on_spot) {
  if (feet.treadmill_mps == Vec3(0.0)) return ends;
  for (std::size_t i = 0; i < ends.times_s.size(); ++i) {
    const Vec3 moved = feet.treadmill_mps * (ends.source_times_s[i] - feet.start_s);
    ends.source[i].translation -= moved;
    if (!result_on_spot) continue;
    ends.carried[i].translation -= moved;
    if (!ends.reach.empty()) ends.reach[i].hip_m -= moved;
  }
  return ends;
}

// Removes frames that widenedToFrames() added where the leg does not reach there without a drop
// of the hips. True where there are any.
bool narrow(const LimbTask& task, std::vector<PlantedSpan>& spans) {
  const auto isTooFar = [&](std::size_t i) {
    return !task.support.isInNarrowSpan(task.ends.source_times_s[i]) &&
           dropToReach(task.hip_m[i], task.plannedAt(i), task.reach_m[i]) > 0.0;
  };
  bool is_narrowed = false;
  for (PlantedSpan& span : spans) {
    const PlantedSpan wide = span;
    if (span.first < span.last && isTooFar(span.first)) ++span.first;
    if (span.first < span.last && isTooFar(span.last)) --span.last;
    is_narrowed = is_narrowed || span.first != wide.first || span.last != wide.last;
  }
  return is_narrowed;
}

void append(std::size_t first, std::size_t last, std::vector<std::size_t>& frames) {
  for (std::size_t i = first; i <= last; ++i) frames.push_back(i);
}

std::vector<ContactFrames> contactsOf(const std::vector<PlantedSpan>& spans, bool is_cycle,
                                      std::size_t frame_count) {
  const bool is_cut = is_cycle && spans.size() > 1 && spans.front().first == 0 &&
                      spans.back().last + 1 == frame_count;
  std::vector<ContactFrames> contacts;
  for (std::size_t s = is_cut ? 1 : 0; s < spans.size(); ++s) {
    append(spans[s].first, spans[s].last, contacts.emplace_back().frames);
  }
  if (is_cut) {
    contacts.back().at_seam = contacts.back().frames.size();
    append(1, spans.front().last, contacts.back().frames);
  }
  return contacts;
}

// The `count` frames from `first` on as one span, or as two where the seam is among them.
void addSpans(const ContactFrames& contact, std::size_t first, std::size_t count,
              std::vector<PlantedSpan>& spans) {
  const std::size_t from = contact.frames[first], to = contact.frames[first + count - 1];
  if (first >= contact.at_seam || first + count < contact.at_seam) {
    spans.push_back({from, to});
    return;
  }
  const std::size_t last = contact.frames[contact.at_seam - 1];
  spans.push_back({from, last});
  spans.push_back({0, to == last ? 0 : to});
}

}  // namespace

double LimbPlanner::planEnd(LimbTask& task) const {
  EndFrames in_body = task.ends;
  for (std::size_t i = 0; task.limb.is_leg && i < in_body.times_s.size(); ++i)
    in_body.reach.push_back({task.hip_m[i], task.reach_m[i], max_drop_ * task.length_m[i]});
  const EndFrames ends = endsOnGround(feet_, std::move(in_body), on_spot_);
  std::vector<PlantedSpan> all = plantedSpansOf(task.support, ends);
  const PlanSettings settings = settingsFor(ends);
  task.plan = planLimb(task.support, ends, settings, all);
  if (!task.limb.is_leg) return 0.0;
  if (narrow(task, all)) task.plan = planLimb(task.support, ends, settings, all);
  std::vector<PlantedSpan> kept;
  double dropped_s = 0.0;
  for (const ContactFrames& contact : contactsOf(all, settings.is_cycle, ends.times_s.size())) {
    dropped_s += shorten(task, contact, kept);
  }
  std::sort(kept.begin(), kept.end(),
            [](const PlantedSpan& a, const PlantedSpan& b) { return a.first < b.first; });
  if (dropped_s > 0.0) task.plan = planLimb(task.support, ends, settings, std::move(kept));
  PlanSettings gentler = settings;
  gentler.release_mps2 *= kGentlerShare;
  task.gentler_plan = planLimb(task.support, ends, gentler, task.plan.planted_spans);
  return dropped_s;
}

void LimbPlanner::planKnee(LimbTask& task) const {
  if (!task.kneels()) return;
  const EndFrames ends = endsOnGround(feet_, task.knee_ends, on_spot_);
  task.knee_plan =
      planLimb(task.knee_support, ends, settingsFor(ends), plantedSpansOf(task.knee_support, ends));
  for (std::size_t i = 0; i < ends.times_s.size(); ++i) {
    double share = 0.0;
    for (const PlantedSpan& span : task.knee_plan.planted_spans) {
      const double away_s = std::max({0.0, ends.times_s[span.first] - ends.times_s[i],
                                      ends.times_s[i] - ends.times_s[span.last]});
      const double u = settings_.release_s > 0.0 ? away_s / settings_.release_s : away_s;
      if (u < 1.0) share = std::max(share, (1.0 - u) * (1.0 - u) * (1.0 + 2.0 * u));
    }
    task.knee_share.push_back(share);
  }
}

PlanSettings LimbPlanner::settingsFor(const EndFrames& ends) const {
  PlanSettings settings = settings_;
  if (settings.step && on_spot_) {
    settings.step->shift_m -=
        feet_.treadmill_mps * (ends.source_times_s.back() - ends.source_times_s.front());
  }
  return settings;
}

double LimbPlanner::beyondReach_m(const LimbTask& task, std::size_t i) const {
  return lengthOf(task.plannedAt(i) - task.hip_m[i]) - task.reach_m[i];
}

bool LimbPlanner::isOutOfReach(const LimbTask& task, std::size_t i) const {
  return task.plan.movesAt(i) && dropToReach(task.hip_m[i], task.plannedAt(i), task.reach_m[i]) >
                                     max_drop_ * task.length_m[i];
}

double LimbPlanner::shorten(const LimbTask& task, const ContactFrames& contact,
                            std::vector<PlantedSpan>& kept) const {
  constexpr double kMaxShare = 0.4;
  const std::vector<double>& times_s = task.ends.times_s;
  const std::vector<std::size_t>& frames = contact.frames;
  // Into a frame; the one after a seam follows on the first of the clip.
  const auto stepTo_s = [&](std::size_t k) { return times_s[frames[k]] - times_s[frames[k] - 1]; };
  double length_s = 0.0, dropped_s = 0.0;
  for (std::size_t k = 1; k < frames.size(); ++k) length_s += stepTo_s(k);
  std::size_t first = 0, last = frames.size() - 1;
  while (first < last) {
    const bool loses_end = beyondReach_m(task, frames[last]) >= beyondReach_m(task, frames[first]);
    if (!isOutOfReach(task, frames[loses_end ? last : first])) break;
    const double step_s = stepTo_s(loses_end ? last : first + 1);
    if (dropped_s + step_s > kMaxShare * length_s) break;
    dropped_s += step_s;
    if (loses_end) {
      --last;
    } else {
      ++first;
    }
  }
  addSpans(contact, first, last - first + 1, kept);
  return dropped_s;
}

}  // namespace clipmill::locomotion
