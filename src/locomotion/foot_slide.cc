// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_slide.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "core/to_size.h"
#include "core/units.h"
#include "locomotion/ground.h"

namespace clipmill::locomotion {
namespace {

// A foot glides if it covers this share of the distance of the body, where that is at least so many
// legs.
constexpr double kGlideShare = 0.6, kLeastGlide = 0.25;

// More drift than this is reported.
constexpr double kMoreDrift_mm = 5.0;

std::size_t sampleNear(const FeetTrace& feet, double time_s) {
  if (!(feet.step_s > 0.0)) return 0;
  const double sample = std::max(0.0, std::round((time_s - feet.start_s) / feet.step_s));
  return std::min(feet.sample_count - 1, toSize(sample));
}

bool isGlide(const FeetTrace& feet, const TimeSpan& span, const std::vector<Vec3>& path_m) {
  if (feet.body_m.empty()) return false;
  const std::size_t from = sampleNear(feet, span.start_s), to = sampleNear(feet, span.end_s);
  Vec3 foot = path_m[to] - path_m[from];
  Vec3 body = feet.onGround(feet.body_m[to], feet.timeOf(to)) -
              feet.onGround(feet.body_m[from], feet.timeOf(from));
  foot.y = body.y = 0.0;
  return lengthOf(body) >= kLeastGlide * feet.leg_m &&
         glm::dot(foot, body) > kGlideShare * glm::dot(body, body);
}

// Adds one point of a foot.
void addPoint(const FeetTrace& feet, const FootTrace& foot, bool is_heel, FootSlide& slide) {
  const std::vector<Vec3>& path_m = is_heel ? foot.heel_on_ground_m : foot.ball_on_ground_m;
  const std::vector<TimeSpan>& contacts = is_heel ? foot.heel_on : foot.ball_on;
  const double level_m = is_heel ? foot.heel_level_m : foot.ball_level_m;
  std::vector<TimeSpan> spans =
      findGroundSpans(feet.start_s, feet.step_s, path_m, level_m, feet.leg_m);
  std::erase_if(spans, [&](const TimeSpan& span) { return isGlide(feet, span, path_m); });
  if (spans.empty()) spans = contacts;
  slide.skate.add(skateIn(spans, feet.start_s, feet.step_s, path_m, level_m, feet.leg_m));
  const auto add = [&](const std::vector<TimeSpan>& list, std::vector<FootSpan>& to) {
    for (const TimeSpan& span : list) {
      const double drift_m = driftIn(span, feet.start_s, feet.step_s, path_m);
      const ContactPart part = is_heel ? ContactPart::kHeel : ContactPart::kBall;
      to.push_back({foot.marks.side, part, span, drift_m});
    }
  };
  add(contacts, slide.contacts);
  add(spans, slide.ground_spans);
}

void addLimb(const FeetTrace& feet, const LimbTrace& limb, FootSlide& slide) {
  const ContactPart part = limb.part == LimbPart::kHand ? ContactPart::kHand : ContactPart::kKnee;
  slide.skate.add(
      skateIn(limb.low_on, feet.start_s, feet.step_s, limb.on_ground_m, limb.level_m, feet.leg_m));
  for (const TimeSpan& span : limb.on) {
    const double drift_m = driftIn(span, feet.start_s, feet.step_s, limb.on_ground_m);
    slide.contacts.push_back({limb.side, part, span, drift_m});
  }
}

}  // namespace

std::string_view nameOf(ContactPart part) {
  switch (part) {
    case ContactPart::kHeel:
      return "heel";
    case ContactPart::kBall:
      return "ball";
    case ContactPart::kHand:
      return "hand";
    case ContactPart::kKnee:
      return "knee";
  }
  return "";
}

std::optional<double> FootSlide::drift_mm() const {
  std::optional<double> drift_m;
  for (const auto* spans : {&contacts, &ground_spans}) {
    for (const FootSpan& span : *spans) drift_m = std::max(drift_m.value_or(0.0), span.drift_m);
  }
  if (!drift_m) return std::nullopt;
  return *drift_m * kMillimetresInMetre;
}

FootSlide measureFootSlide(const FeetTrace& feet, std::span<const LimbTrace> limbs) {
  FootSlide slide;
  for (const FootTrace& foot : feet.feet) {
    addPoint(feet, foot, true, slide);
    addPoint(feet, foot, false, slide);
  }
  for (const LimbTrace& limb : limbs) addLimb(feet, limb, slide);
  return slide;
}

std::vector<Metric> slideMetrics(const FootSlide& before, const FootSlide& after) {
  return {{"foot_skate_cm", before.skate.cmPerFrame(), after.skate.cmPerFrame()},
          {"planted_drift_mm", before.drift_mm(), after.drift_mm()}};
}

void warnWhereFeetSlide(std::span<const Metric> slide, const std::string& clip_name,
                        const std::string& message, Warnings& warnings) {
  std::string numbers;
  bool is_worse = false;
  for (const Metric& metric : slide) {
    if (!metric.before) continue;
    numbers += (numbers.empty() ? "" : ", ") + metric.name + " " + fixedText(*metric.before, 2) +
               " before and " + (metric.after ? fixedText(*metric.after, 2) : "no contact") +
               " after";
    is_worse =
        is_worse || !metric.after ||
        (metric.name == "planted_drift_mm" && *metric.after > *metric.before + kMoreDrift_mm);
  }
  if (is_worse) warnings.add("feet_slide", message, clip_name + ": " + numbers);
}

}  // namespace clipmill::locomotion
