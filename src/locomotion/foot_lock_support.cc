// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_lock_support.h"

#include <algorithm>
#include <cmath>

#include "core/cancel.h"
#include "core/math.h"
#include "core/portable_math.h"
#include "core/to_size.h"

namespace clipmill::locomotion {
namespace {

// Speed of the carried end that counts as rest in the weights of a planted span.
constexpr double kRestSpeed_mps = 0.02;

// Less than this is rounding, and is not written.
constexpr double kNothing = 1e-9;

// Of the rotation that leads from the source to the stretched motion, about y.
double yawOf(const Quat& rotation) {
  const Quat twist = swingTwist(rotation, Vec3(0, 1, 0)).twist;
  return 2.0 * portable::atan2(twist.y, twist.w);
}

// Into -pi..pi.
double wrapped(double angle_rad) {
  return angle_rad - 2.0 * kPi * std::floor(angle_rad / (2.0 * kPi) + 0.5);
}

// How far the source strays horizontally from the middle of a pivot's span.
double strayOf(const Pivot& pivot, const TimeSpan& span, double start_s, double step_s) {
  Vec3 low(0.0), high(0.0);
  bool is_first = true;
  // Rounding of the quotient may take in the sample before the span.
  const double first = step_s > 0.0 ? std::floor((span.start_s - start_s) / step_s) : 0.0;
  for (std::size_t i = toSize(std::max(0.0, first)); i < pivot.positions_m.size(); ++i) {
    const double time_s = start_s + static_cast<double>(i) * step_s;
    if (time_s > span.end_s) break;
    if (!span.holds(time_s)) continue;
    const Vec3& position = pivot.positions_m[i];
    low = is_first ? position : glm::min(low, position);
    high = is_first ? position : glm::max(high, position);
    is_first = false;
  }
  const Vec3 half = 0.5 * (high - low);
  return std::sqrt(half.x * half.x + half.z * half.z);
}

bool isPlanted(const Pivot& pivot, double time_s) {
  return !spansWithin(pivot.spans, {time_s, time_s}).empty();
}

bool slides(const Support& support, double from_s, double to_s, double own_drift_m) {
  for (const Pivot& pivot : support.pivots) {
    for (const TimeSpan& span : spansWithin(pivot.spans, {from_s, to_s})) {
      if (strayOf(pivot, span, support.start_s, support.step_s) > own_drift_m) return true;
    }
  }
  return false;
}

// Minus the horizontal path of the planted point, summed sample by sample: added to the foot, it
// keeps that point in position, and is continuous where the foot rolls from one point to the next.
std::vector<Vec3> holdingPath(const Support& support) {
  const std::size_t count = support.pivots.empty() ? 0 : support.pivots.front().positions_m.size();
  std::vector<Vec3> path(count, Vec3(0.0));
  for (std::size_t i = 1; i < count; ++i) {
    const double middle_s = support.start_s + (static_cast<double>(i) - 0.5) * support.step_s;
    Vec3 step(0.0);
    double planted = 0.0;
    for (const Pivot& pivot : support.pivots) {
      if (!isPlanted(pivot, middle_s)) continue;
      step += pivot.positions_m[i] - pivot.positions_m[i - 1];
      planted += 1.0;
    }
    if (planted > 0.0) step /= planted;
    path[i] = path[i - 1] - Vec3(step.x, 0.0, step.z);
  }
  return path;
}

Vec3 sampleAt(const std::vector<Vec3>& path, const Support& support, double time_s) {
  if (path.size() < 2) return Vec3(0.0);
  const double position = std::clamp((time_s - support.start_s) / support.step_s, 0.0,
                                     static_cast<double>(path.size() - 1));
  const std::size_t i = std::min(toSize(position), path.size() - 2);
  const double f = position - static_cast<double>(i);
  return path[i] * (1.0 - f) + path[i + 1] * f;
}

// Offsets that hold a sliding source foot, at the frames of one span; all zero for one that does
// not slide. `path` is the holdingPath() of `support`, empty where slides are not held.
std::vector<Vec3> holdOf(const Support& support, const std::vector<Vec3>& path,
                         const EndFrames& frames, const PlantedSpan& span, double own_drift_m) {
  std::vector<Vec3> hold(span.last - span.first + 1, Vec3(0.0));
  const auto& times = frames.source_times_s;
  if (path.empty() || !slides(support, times[span.first], times[span.last], own_drift_m))
    return hold;
  Vec3 sum(0.0);
  for (std::size_t i = 0; i < hold.size(); ++i) {
    hold[i] = sampleAt(path, support, times[span.first + i]);
    sum += hold[i];
  }
  for (Vec3& h : hold) h -= sum / static_cast<double>(hold.size());
  return hold;
}

// Fraction of the time around `time_s` for which a pivot is planted: 0 to 1, continuous. A period
// above 0 is that of a cycle.
double plantedShare(const Pivot& pivot, double time_s, double period_s) {
  constexpr double kHalf_s = 0.05;
  double share = 0.0;
  for (const double round : {-1.0, 0.0, 1.0}) {
    if (round != 0.0 && !(period_s > 0.0)) continue;
    const double shift_s = round * period_s;
    const TimeSpan near{time_s - kHalf_s - shift_s, time_s + kHalf_s - shift_s};
    for (const TimeSpan& span : spansWithin(pivot.spans, near)) {
      const double start_s = std::max(span.start_s + shift_s, time_s - kHalf_s);
      const double end_s = std::min(span.end_s + shift_s, time_s + kHalf_s);
      share += std::max(0.0, end_s - start_s);
    }
  }
  return share / (2.0 * kHalf_s);
}

// The planted point of the source around a time; `otherwise` where none is.
Vec3 plantedPoint(const Support& support, double source_time_s, double period_s,
                  const Vec3& otherwise) {
  Vec3 sum(0.0);
  double shares = 0.0;
  for (const Pivot& pivot : support.pivots) {
    const double share = plantedShare(pivot, source_time_s, period_s);
    if (share > 0.0) sum += share * sampleAt(pivot.positions_m, support, source_time_s);
    shares += share;
  }
  return shares > 0.0 ? sum / shares : otherwise;
}

// An end at one time of a planted span: in the source, and as the stretched motion carries it.
struct Sample {
  double time_s = 0.0;
  Vec3 source{0.0};
  Vec3 planted{0.0};  // contact point of the end, in the source
  Vec3 carried{0.0};
  Quat rotation{1.0, 0.0, 0.0, 0.0};  // from source to carried
};

// `period_s` as for plantedShare().
std::vector<Sample> samplesOfSupport(const Support& support, const EndFrames& frames,
                                     const PlantedSpan& span, double period_s) {
  std::vector<Sample> samples;
  for (std::size_t i = span.first; i <= span.last; ++i) {
    const Affine &source = frames.source[i], &carried = frames.carried[i];
    samples.push_back(
        {frames.times_s[i], source.translation,
         plantedPoint(support, frames.source_times_s[i], period_s, source.translation),
         carried.translation, rotationOf(carried) * glm::conjugate(rotationOf(source))});
  }
  return samples;
}

// The shift and rotation about y from the source to the planted position of an end.
class PlantedPosition {
 public:
  explicit PlantedPosition(const std::vector<Sample>& samples) {
    for (const Sample& sample : samples) centre_ += sample.source;
    centre_ /= static_cast<double>(samples.size());
    std::vector<Vec3> positions;
    for (const Sample& s : samples)
      positions.push_back(s.carried + s.rotation * (centre_ - s.source));
    findPosition(samples, positions);
  }

  Vec3 targetOf(const Vec3& source) const { return position_ + rotation_ * (source - centre_); }
  const Quat& rotation() const { return rotation_; }
  double yaw() const { return yaw_rad_; }

 private:
  static double speedAt(const std::vector<Sample>& samples, const std::vector<Vec3>& positions,
                        std::size_t k) {
    const std::size_t from = k > 0 ? k - 1 : 0, to = std::min(positions.size() - 1, k + 1);
    const double time_s = samples[to].time_s - samples[from].time_s;
    return time_s > 0.0 ? lengthOf(positions[to] - positions[from]) / time_s : 0.0;
  }

  // The mean over the span; times at which the end is carried along have almost no weight. Summed
  // as differences to the first, so that a constant stays exact.
  void findPosition(const std::vector<Sample>& samples, const std::vector<Vec3>& positions) {
    const double first_yaw = yawOf(samples[0].rotation);
    Vec3 sum(0.0);
    double yaw_sum = 0.0, weights = 0.0;
    for (std::size_t k = 0; k < samples.size(); ++k) {
      const double speed = speedAt(samples, positions, k) / kRestSpeed_mps;
      const double stillness = 1.0 / (1.0 + speed * speed);
      const double weight = stillness * stillness;
      sum += weight * (positions[k] - positions[0]);
      yaw_sum += weight * wrapped(yawOf(samples[k].rotation) - first_yaw);
      weights += weight;
    }
    position_ = positions[0] + sum / weights;
    yaw_rad_ = first_yaw + yaw_sum / weights;
    rotation_ = rotationAbout(Vec3(0, 1, 0), yaw_rad_);
  }

  Vec3 centre_{0.0};    // mean position in the source
  Vec3 position_{0.0};  // planted position of the centre
  Quat rotation_{1.0, 0.0, 0.0, 0.0};
  double yaw_rad_ = 0.0;
};

// Offset of an end that keeps its contact point in position where its tilt differs from the source;
// 0 where it is rotated about the vertical alone, as `position` is.
Vec3 tippingOffset(const Sample& sample, const PlantedPosition& position, double yaw_rad) {
  const Vec3 sensitivity = sample.planted - sample.source;
  const Quat rotation = rotationAbout(Vec3(0, 1, 0), yaw_rad) * sample.rotation;
  return position.rotation() * sensitivity - rotation * sensitivity;
}

// The samples are seen from a start of the cycle from which `step` leads to where they are.
void writePlantedSpan(const PlantedPosition& position, const std::vector<Sample>& samples,
                      const std::vector<Vec3>& hold, const CycleStep& step, const PlantedSpan& span,
                      LimbPlan& plan) {
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Sample& sample = samples[k];
    const double yaw = wrapped(position.yaw() - yawOf(sample.rotation));
    const Vec3 target =
        position.targetOf(sample.source + hold[k]) + tippingOffset(sample, position, yaw);
    const Vec3 offset = step.rotation * (target - sample.carried);
    plan.offset_m[span.first + k] = lengthOf(offset) > kNothing ? offset : Vec3(0.0);
    plan.yaw_rad[span.first + k] = std::abs(yaw) > kNothing ? yaw : 0.0;
  }
}

// From the start of a cycle to its end, in the source and as it is carried.
struct CycleSteps {
  CycleStep source, carried;
};

CycleSteps stepsOf(const EndFrames& frames, const PlanSettings& settings) {
  if (settings.step) return {*settings.step, *settings.step};
  return {
      {kIdentityRotation, frames.source.back().translation - frames.source.front().translation},
      {kIdentityRotation, frames.carried.back().translation - frames.carried.front().translation}};
}

// The samples as they were a cycle before.
void takeBack(const CycleSteps& steps, double period_s, std::vector<Sample>& samples) {
  const Quat source_back = glm::conjugate(steps.source.rotation);
  const Quat carried_back = glm::conjugate(steps.carried.rotation);
  for (Sample& sample : samples) {
    sample.time_s -= period_s;
    sample.source = source_back * (sample.source - steps.source.shift_m);
    sample.planted = source_back * (sample.planted - steps.source.shift_m);
    sample.carried = carried_back * (sample.carried - steps.carried.shift_m);
    sample.rotation = carried_back * sample.rotation * steps.source.rotation;
  }
}

// A span that the end of a cycle cuts in two: `early` at the start of the clip continues `late` at
// its end, and both have one position.
void planSplitSpan(const Support& support, const std::vector<Vec3>& path, const EndFrames& frames,
                   const PlanSettings& settings, const PlantedSpan& early, const PlantedSpan& late,
                   LimbPlan& plan) {
  const CycleSteps steps = stepsOf(frames, settings);
  const double period_s = frames.times_s.back() - frames.times_s.front();
  const double source_period_s = frames.source_times_s.back() - frames.source_times_s.front();
  const std::vector<Sample> early_samples =
      samplesOfSupport(support, frames, early, source_period_s);
  std::vector<Sample> late_samples = samplesOfSupport(support, frames, late, source_period_s);
  takeBack(steps, period_s, late_samples);
  // In a source that is no cycle the contact point differs across the seam.
  const Vec3 left = late_samples.back().planted - early_samples.front().planted;
  for (Sample& sample : late_samples) {
    sample.source -= left;
    sample.planted -= left;
  }
  std::vector<Sample> all = late_samples;
  // The last pose of a cycle is its first.
  all.insert(all.end(), early_samples.begin() + 1, early_samples.end());
  const PlantedPosition position(all);
  writePlantedSpan(position, early_samples,
                   holdOf(support, path, frames, early, settings.own_drift_m), CycleStep(), early,
                   plan);
  std::vector<Vec3> late_hold = holdOf(support, path, frames, late, settings.own_drift_m);
  for (Vec3& hold : late_hold) hold = glm::conjugate(steps.source.rotation) * hold;
  writePlantedSpan(position, late_samples, late_hold, steps.carried, late, plan);
}

}  // namespace

std::span<const TimeSpan> spansWithin(std::span<const TimeSpan> spans, const TimeSpan& window) {
  const auto first = std::partition_point(spans.begin(), spans.end(), [&](const TimeSpan& span) {
    return span.end_s < window.start_s;
  });
  const auto last = std::partition_point(
      first, spans.end(), [&](const TimeSpan& span) { return span.start_s <= window.end_s; });
  return {first, last};
}

void planPlantedSpans(const Support& support, const EndFrames& frames, const PlanSettings& settings,
                      LimbPlan& plan) {
  if (plan.planted_spans.empty()) return;
  const std::vector<Vec3> path = settings.holds_slides ? holdingPath(support) : std::vector<Vec3>();
  const PlantedSpan &first = plan.planted_spans.front(), &last = plan.planted_spans.back();
  const bool is_cut = settings.is_cycle && plan.planted_spans.size() > 1 && first.first == 0 &&
                      last.last + 1 == frames.times_s.size();
  for (std::size_t s = 0; s < plan.planted_spans.size(); ++s) {
    pollCancel();
    if (is_cut && (s == 0 || s + 1 == plan.planted_spans.size())) continue;
    const PlantedSpan& span = plan.planted_spans[s];
    const std::vector<Sample> samples = samplesOfSupport(support, frames, span, 0.0);
    writePlantedSpan(PlantedPosition(samples), samples,
                     holdOf(support, path, frames, span, settings.own_drift_m), CycleStep(), span,
                     plan);
  }
  if (is_cut) planSplitSpan(support, path, frames, settings, first, last, plan);
}

}  // namespace clipmill::locomotion
