// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/blend/blended_feet.h"

#include <algorithm>

#include "locomotion/foot_slide.h"

namespace clipmill::stages::blend {
namespace {

// Feet that drift by this much more than in the parts are locked.
constexpr double kDriftToLock_mm = 1.0;

bool hasFeet(const humanoid::HumanoidMap& humanoid) {
  return humanoid.origin != humanoid::HumanoidMap::Origin::kNone;
}

locomotion::FootSlide slideIn(const Scene& scene, const humanoid::HumanoidMap& humanoid,
                              const Motion& motion) {
  return locomotion::measureFootSlide(locomotion::traceFeet(scene, humanoid, motion));
}

// Slide of the result, and the largest values of the parts.
std::vector<Metric> slideOf(const Scene& scene, const humanoid::HumanoidMap& humanoid,
                            std::span<const Part> parts, const Motion& result) {
  const locomotion::FootSlide after = slideIn(scene, humanoid, result);
  std::vector<Metric> largest = locomotion::slideMetrics({}, after);
  for (const Part& part : parts) {
    const auto of_part = locomotion::slideMetrics(slideIn(scene, humanoid, *part.clip), after);
    for (std::size_t m = 0; m < largest.size(); ++m) {
      // No value is less than any.
      largest[m].before = std::max(largest[m].before, of_part[m].before);
    }
  }
  return largest;
}

const Metric& driftOf(const std::vector<Metric>& slide) {
  return *std::find_if(slide.begin(), slide.end(),
                       [](const Metric& metric) { return metric.name == "planted_drift_mm"; });
}

bool isWorseBy(double more_mm, const Metric& drift) {
  return drift.before && drift.after && *drift.after > *drift.before + more_mm;
}

void addSlide(const std::vector<Metric>& slide, StageResult& result) {
  result.metrics.insert(result.metrics.end(), slide.begin(), slide.end());
  locomotion::warnWhereFeetSlide(slide, result.motion.clip_name,
                                 "planted feet drift by at least 5 mm more than in the clips that "
                                 "the result is made of",
                                 result.warnings);
}

}  // namespace

void reportFeet(const Scene& scene, const humanoid::HumanoidMap& humanoid,
                std::span<const Part> parts, StageResult& result) {
  if (hasFeet(humanoid)) addSlide(slideOf(scene, humanoid, parts, result.motion), result);
}

Status holdFeet(const Scene& scene, const humanoid::HumanoidMap& humanoid,
                std::span<const Part> parts, const locomotion::FootLockSettings& settings,
                const std::optional<locomotion::TimeSpan>& within, StageResult& result) {
  const bool insists = settings.feet == locomotion::FeetPolicy::kLock;
  if (!insists && !hasFeet(humanoid)) return {};
  const std::vector<Metric> slide = slideOf(scene, humanoid, parts, result.motion);
  const bool locks = settings.feet != locomotion::FeetPolicy::kOff &&
                     (insists || isWorseBy(kDriftToLock_mm, driftOf(slide)));
  if (!locks) {
    addSlide(slide, result);
    return {};
  }
  const Motion blended = copyOf(result.motion);
  locomotion::FootLockSource source;
  source.within = within;
  const locomotion::FootLockReport feet =
      locomotion::lockFeet(scene, humanoid, blended, result.motion, settings, source);
  CLIPMILL_CHECK(locomotion::checkFound(feet, settings));
  const std::vector<Metric> held = slideOf(scene, humanoid, parts, result.motion);
  // A lock that helps nothing is not kept.
  if (!insists && !(driftOf(held).after < driftOf(slide).after)) {
    result.motion = blended;
    addSlide(slide, result);
    return {};
  }
  addSlide(held, result);
  return {};
}

}  // namespace clipmill::stages::blend
