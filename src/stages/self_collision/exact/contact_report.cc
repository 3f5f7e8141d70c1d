// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/contact_report.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/text.h"
#include "core/units.h"
#include "stages/self_collision/exact/clip_samples.h"
#include "stages/self_collision/exact/contact_list.h"

namespace clipmill::stages::self_collision {
namespace {

constexpr double kMillimetres = 1000.0;
constexpr double kMovedHeights = 0.003;  // a gap that grows by more is reported
constexpr double kReachHeights = 0.5;    // up to which gaps are measured

// Gaps of one pair.
struct PairGaps {
  std::size_t frames = 0, moved_frames = 0;
  double max_m = 0.0;  // of the moved frames
};

struct ContactTotals {
  std::vector<PairGaps> pairs;
  std::size_t frames = 0;
  double sum_before_m = 0.0, sum_after_m = 0.0, max_before_m = 0.0, max_after_m = 0.0;

  void add(std::size_t pair, double before_m, double after_m, double moved_m) {
    ++frames;
    ++pairs[pair].frames;
    sum_before_m += before_m;
    sum_after_m += after_m;
    max_before_m = std::max(max_before_m, before_m);
    max_after_m = std::max(max_after_m, after_m);
    if (!(after_m - before_m > moved_m)) return;
    ++pairs[pair].moved_frames;
    pairs[pair].max_m = std::max(pairs[pair].max_m, after_m);
  }
};

struct GripTotals {
  std::size_t frames = 0, kept = 0;
  GripError largest;
};

std::string lengthText(double length_m, double height_m) {
  return fixedText(kMillimetres * length_m, 1) + " mm, " +
         fixedText(kPercent * length_m / height_m, 1) + " % of the height";
}

void addContactReport(const ContactTotals& totals, const penetration::SelfPenetration& skin,
                      const Motion& result, StageResult& report) {
  if (totals.frames == 0) return;
  const double to_mean_mm = kMillimetres / static_cast<double>(totals.frames);
  report.metrics.push_back(
      {"contact_gap_mm", to_mean_mm * totals.sum_before_m, to_mean_mm * totals.sum_after_m});
  report.metrics.push_back({"max_contact_gap_mm", kMillimetres * totals.max_before_m,
                            kMillimetres * totals.max_after_m});
  for (std::size_t pair = 0; pair < totals.pairs.size(); ++pair) {
    const PairGaps& gaps = totals.pairs[pair];
    if (gaps.moved_frames == 0) continue;
    report.warnings.add("contact_moved", "parts in deliberate contact are farther apart",
                        result.clip_name + ": " + skin.pairs()[pair].name + ", " +
                            std::to_string(gaps.moved_frames) + " of " +
                            std::to_string(gaps.frames) + " frames, up to " +
                            lengthText(gaps.max_m, skin.height_m()),
                        gaps.moved_frames);
  }
}

void addGripReport(const GripTotals& grips, const Motion& result, double height_m,
                   StageResult& report) {
  if (grips.frames == 0) return;
  report.metrics.push_back(
      {"grips_kept_percent", kPercent,
       kPercent * static_cast<double>(grips.kept) / static_cast<double>(grips.frames)});
  report.metrics.push_back({"grip_error_mm", 0.0, kMillimetres * grips.largest.distance_m});
  report.metrics.push_back({"grip_error_deg", 0.0, grips.largest.rotation_rad / kDegree});
  if (grips.kept == grips.frames) return;
  report.warnings.add("grip_broken", "hands that hold one thing move relative to each other",
                      result.clip_name + ": " + std::to_string(grips.frames - grips.kept) + " of " +
                          std::to_string(grips.frames) + " frames, up to " +
                          lengthText(grips.largest.distance_m, height_m) + ", " +
                          fixedText(grips.largest.rotation_rad / kDegree, 1) + " degrees",
                      grips.frames - grips.kept);
}

ContactErrors errorsOf(const penetration::SelfPenetration& skin, const ClipMeasures& source,
                       ClipSamples& samples, SkinTrial& trial) {
  ContactErrors errors;
  errors.gap_m.assign(skin.pairs().size(), std::vector<double>(samples.count(), 0.0));
  errors.grip.resize(samples.count());
  for (std::size_t s = 0; s < samples.count(); s += 2) {
    const bool has_contact =
        std::any_of(source.contacts.begin(), source.contacts.end(),
                    [&](const std::vector<bool>& of_pair) { return of_pair[s]; });
    if (!has_contact && !source.is_gripped[s]) continue;
    trial.setPose(samples.at(s), {});
    for (std::size_t pair = 0; pair < skin.pairs().size(); ++pair) {
      if (!source.contacts[pair][s]) continue;
      errors.gap_m[pair][s] =
          std::max(0.0, trial.clearance_m(pair, kReachHeights * skin.height_m()));
    }
    errors.grip[s] = gripError(source.hands[s], relativeHands(trial.poser(), trial.baseWorlds()));
  }
  return errors;
}

}  // namespace

void reportContacts(const Scene& scene, const penetration::SelfPenetration& skin,
                    const ClipMeasures& source, const Motion& result, SkinTrial& trial,
                    StageResult& report) {
  ClipSamples samples(scene, result);
  const ContactErrors after = errorsOf(skin, source, samples, trial);
  ContactTotals contacts;
  contacts.pairs.resize(skin.pairs().size());
  GripTotals grips;
  for (std::size_t s = 0; s < samples.count(); s += 2) {
    for (std::size_t pair = 0; pair < skin.pairs().size(); ++pair) {
      if (!source.contacts[pair][s]) continue;
      contacts.add(pair, std::max(0.0, source.clearance_m[pair][s]), after.gap_m[pair][s],
                   kMovedHeights * skin.height_m());
    }
    if (!source.is_gripped[s]) continue;
    ++grips.frames;
    grips.kept += isGripKept(after.grip[s], skin.height_m()) ? 1 : 0;
    grips.largest.distance_m = std::max(grips.largest.distance_m, after.grip[s].distance_m);
    grips.largest.rotation_rad = std::max(grips.largest.rotation_rad, after.grip[s].rotation_rad);
  }
  report.contacts = listContacts(skin, source, after, samples, result.clip_name);
  addContactReport(contacts, skin, result, report);
  addGripReport(grips, result, skin.height_m(), report);
}

}  // namespace clipmill::stages::self_collision
