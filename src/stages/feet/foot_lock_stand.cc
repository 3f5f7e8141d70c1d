// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/feet/foot_lock_stand.h"

#include <algorithm>
#include <cmath>

#include "core/portable_math.h"

namespace clipmill::feet {
namespace {

// A source foot that strays no farther than this while it stands moves as its author wants.
constexpr double kOwnDrift_m = 0.005;

// Speed of the carried end that counts as rest when the times of a stand are weighed.
constexpr double kRestSpeed_mps = 0.02;

// Less than this is rounding, and is not written.
constexpr double kNothing = 1e-9;

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

// Of the rotation that leads from the source to the stretched motion, about y.
double yawOf(const Quat& turn) {
  const Quat twist = swingTwist(turn, Vec3(0, 1, 0)).twist;
  return 2.0 * portable::atan2(twist.y, twist.w);
}

// Into -pi..pi.
double wrapped(double angle_rad) {
  return angle_rad - 2.0 * kPi * std::floor(angle_rad / (2.0 * kPi) + 0.5);
}

// How far the source strays horizontally from the middle of a pivot's span.
double strayOf(const Pivot& pivot, const TimeSpan& span, double begin_s, double step_s) {
  Vec3 low(0.0), high(0.0);
  bool is_first = true;
  for (std::size_t i = 0; i < pivot.places_m.size(); ++i) {
    if (!span.holds(begin_s + static_cast<double>(i) * step_s)) continue;
    const Vec3& place = pivot.places_m[i];
    low = is_first ? place : glm::min(low, place);
    high = is_first ? place : glm::max(high, place);
    is_first = false;
  }
  const Vec3 half = 0.5 * (high - low);
  return std::sqrt(half.x * half.x + half.z * half.z);
}

bool anyStands(const Pivot& pivot, double time_s) {
  return std::any_of(pivot.spans.begin(), pivot.spans.end(),
                     [&](const TimeSpan& span) { return span.holds(time_s); });
}

bool slides(const Support& support, double from_s, double to_s) {
  for (const Pivot& pivot : support.pivots) {
    for (const TimeSpan& span : pivot.spans) {
      if (span.end_s < from_s || span.begin_s > to_s) continue;
      if (strayOf(pivot, span, support.begin_s, support.step_s) > kOwnDrift_m) return true;
    }
  }
  return false;
}

// Minus the horizontal way of whatever point stands, summed up sample by sample: added to the foot,
// it keeps the standing point where it is, and has no jump where the foot rolls from one to the
// next.
std::vector<Vec3> holdingWay(const Support& support) {
  const std::size_t count = support.pivots.empty() ? 0 : support.pivots.front().places_m.size();
  std::vector<Vec3> way(count, Vec3(0.0));
  for (std::size_t i = 1; i < count; ++i) {
    const double middle_s = support.begin_s + (static_cast<double>(i) - 0.5) * support.step_s;
    Vec3 step(0.0);
    double standing = 0.0;
    for (const Pivot& pivot : support.pivots) {
      if (!anyStands(pivot, middle_s)) continue;
      step += pivot.places_m[i] - pivot.places_m[i - 1];
      standing += 1.0;
    }
    if (standing > 0.0) step /= standing;
    way[i] = way[i - 1] - Vec3(step.x, 0.0, step.z);
  }
  return way;
}

Vec3 sampleAt(const std::vector<Vec3>& way, const Support& support, double time_s) {
  if (way.size() < 2) return Vec3(0.0);
  const double place = std::clamp((time_s - support.begin_s) / support.step_s, 0.0,
                                  static_cast<double>(way.size() - 1));
  const std::size_t i = std::min(static_cast<std::size_t>(place), way.size() - 2);
  const double f = place - static_cast<double>(i);
  return way[i] * (1.0 - f) + way[i + 1] * f;
}

// What holds a sliding source foot, at the frames of one stand; all zero for one that does not.
// `way` is the holdingWay() of `support`, empty where slides are not held.
std::vector<Vec3> holdOf(const Support& support, const std::vector<Vec3>& way,
                         const EndFrames& frames, const Stand& stand) {
  std::vector<Vec3> hold(stand.last - stand.first + 1, Vec3(0.0));
  const auto& times = frames.source_times_s;
  if (way.empty() || !slides(support, times[stand.first], times[stand.last])) return hold;
  Vec3 sum(0.0);
  for (std::size_t i = 0; i < hold.size(); ++i) {
    hold[i] = sampleAt(way, support, times[stand.first + i]);
    sum += hold[i];
  }
  for (Vec3& h : hold) h -= sum / static_cast<double>(hold.size());
  return hold;
}

// How much of the time around `time_s` a pivot stands: 0 to 1, without a jump where it begins to.
// A period above 0 is that of a cycle.
double standingShare(const Pivot& pivot, double time_s, double period_s) {
  constexpr double kHalf_s = 0.05;
  double share = 0.0;
  for (const TimeSpan& span : pivot.spans) {
    for (const double round : {-1.0, 0.0, 1.0}) {
      if (round != 0.0 && !(period_s > 0.0)) continue;
      const double begin_s = std::max(span.begin_s + round * period_s, time_s - kHalf_s);
      const double end_s = std::min(span.end_s + round * period_s, time_s + kHalf_s);
      share += std::max(0.0, end_s - begin_s);
    }
  }
  return share / (2.0 * kHalf_s);
}

// What stands in the source around a time; `otherwise` where nothing does.
Vec3 standingPoint(const Support& support, double source_time_s, double period_s,
                   const Vec3& otherwise) {
  Vec3 sum(0.0);
  double shares = 0.0;
  for (const Pivot& pivot : support.pivots) {
    const double share = standingShare(pivot, source_time_s, period_s);
    if (share > 0.0) sum += share * sampleAt(pivot.places_m, support, source_time_s);
    shares += share;
  }
  return shares > 0.0 ? sum / shares : otherwise;
}

// An end at one time of a stand: in the source, and as the stretched motion carries it.
struct Sample {
  double time_s = 0.0;
  Vec3 source{0.0};
  Vec3 standing{0.0};  // what the end stands on, in the source
  Vec3 carried{0.0};
  Quat turn{1.0, 0.0, 0.0, 0.0};  // from source to carried
};

// `period_s` as for standingShare().
std::vector<Sample> samplesOf(const Support& support, const EndFrames& frames, const Stand& stand,
                              double period_s) {
  std::vector<Sample> samples;
  for (std::size_t i = stand.first; i <= stand.last; ++i) {
    const Affine &source = frames.source[i], &carried = frames.carried[i];
    samples.push_back(
        {frames.times_s[i], source.translation,
         standingPoint(support, frames.source_times_s[i], period_s, source.translation),
         carried.translation, rotationOf(carried) * glm::conjugate(rotationOf(source))});
  }
  return samples;
}

// A shift and a turn about y that leads from the source to where an end has to stand.
class StandingPlace {
 public:
  explicit StandingPlace(const std::vector<Sample>& samples) {
    for (const Sample& sample : samples) centre_ += sample.source;
    centre_ /= static_cast<double>(samples.size());
    std::vector<Vec3> places;
    for (const Sample& s : samples) places.push_back(s.carried + s.turn * (centre_ - s.source));
    findPlace(samples, places);
  }

  Vec3 targetOf(const Vec3& source) const { return place_ + turn_ * (source - centre_); }
  const Quat& turn() const { return turn_; }
  double yaw() const { return yaw_rad_; }

 private:
  static double speedAt(const std::vector<Sample>& samples, const std::vector<Vec3>& places,
                        std::size_t k) {
    const std::size_t from = k > 0 ? k - 1 : 0, to = std::min(places.size() - 1, k + 1);
    const double time_s = samples[to].time_s - samples[from].time_s;
    return time_s > 0.0 ? lengthOf(places[to] - places[from]) / time_s : 0.0;
  }

  // The mean over the stand; times at which the end is carried along count for next to nothing.
  // Summed as differences to the first, so that what does not change at all stays exact.
  void findPlace(const std::vector<Sample>& samples, const std::vector<Vec3>& places) {
    const double first_yaw = yawOf(samples[0].turn);
    Vec3 sum(0.0);
    double yaw_sum = 0.0, weights = 0.0;
    for (std::size_t k = 0; k < samples.size(); ++k) {
      const double speed = speedAt(samples, places, k) / kRestSpeed_mps;
      const double stillness = 1.0 / (1.0 + speed * speed);
      const double weight = stillness * stillness;
      sum += weight * (places[k] - places[0]);
      yaw_sum += weight * wrapped(yawOf(samples[k].turn) - first_yaw);
      weights += weight;
    }
    place_ = places[0] + sum / weights;
    yaw_rad_ = first_yaw + yaw_sum / weights;
    turn_ = rotationAbout(Vec3(0, 1, 0), yaw_rad_);
  }

  Vec3 centre_{0.0};  // mean place in the source
  Vec3 place_{0.0};   // where the centre stands
  Quat turn_{1.0, 0.0, 0.0, 0.0};
  double yaw_rad_ = 0.0;
};

// How far an end must go so that what stands stays in its place, where the end is tipped otherwise
// than in the source; 0 where it is turned about the vertical alone, as `place` is.
Vec3 tippingOffset(const Sample& sample, const StandingPlace& place, double yaw_rad) {
  const Vec3 lever = sample.standing - sample.source;
  const Quat turn = rotationAbout(Vec3(0, 1, 0), yaw_rad) * sample.turn;
  return place.turn() * lever - turn * lever;
}

// The samples are seen from a begin of the cycle from which `step` leads to where they are.
void writeStand(const StandingPlace& place, const std::vector<Sample>& samples,
                const std::vector<Vec3>& hold, const CycleStep& step, const Stand& stand,
                LimbPlan& plan) {
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Sample& sample = samples[k];
    const double yaw = wrapped(place.yaw() - yawOf(sample.turn));
    const Vec3 target = place.targetOf(sample.source + hold[k]) + tippingOffset(sample, place, yaw);
    const Vec3 offset = step.turn * (target - sample.carried);
    plan.offset_m[stand.first + k] = lengthOf(offset) > kNothing ? offset : Vec3(0.0);
    plan.yaw_rad[stand.first + k] = std::abs(yaw) > kNothing ? yaw : 0.0;
  }
}

// From the begin of a cycle to its end, in the source and as it is carried.
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
  const Quat source_back = glm::conjugate(steps.source.turn);
  const Quat carried_back = glm::conjugate(steps.carried.turn);
  for (Sample& sample : samples) {
    sample.time_s -= period_s;
    sample.source = source_back * (sample.source - steps.source.shift_m);
    sample.standing = source_back * (sample.standing - steps.source.shift_m);
    sample.carried = carried_back * (sample.carried - steps.carried.shift_m);
    sample.turn = carried_back * sample.turn * steps.source.turn;
  }
}

// A stand that the end of a cycle cuts in two: `early` at the begin of the clip goes on from `late`
// at its end, and both have one place.
void planCutStand(const Support& support, const std::vector<Vec3>& way, const EndFrames& frames,
                  const PlanSettings& settings, const Stand& early, const Stand& late,
                  LimbPlan& plan) {
  const CycleSteps steps = stepsOf(frames, settings);
  const double period_s = frames.times_s.back() - frames.times_s.front();
  const double source_period_s = frames.source_times_s.back() - frames.source_times_s.front();
  const std::vector<Sample> early_samples = samplesOf(support, frames, early, source_period_s);
  std::vector<Sample> late_samples = samplesOf(support, frames, late, source_period_s);
  takeBack(steps, period_s, late_samples);
  // In a source that is no cycle what stands over the seam is not where it was.
  const Vec3 left = late_samples.back().standing - early_samples.front().standing;
  for (Sample& sample : late_samples) {
    sample.source -= left;
    sample.standing -= left;
  }
  std::vector<Sample> all = late_samples;
  // The last pose of a cycle is its first.
  all.insert(all.end(), early_samples.begin() + 1, early_samples.end());
  const StandingPlace place(all);
  writeStand(place, early_samples, holdOf(support, way, frames, early), CycleStep(), early, plan);
  std::vector<Vec3> late_hold = holdOf(support, way, frames, late);
  for (Vec3& hold : late_hold) hold = glm::conjugate(steps.source.turn) * hold;
  writeStand(place, late_samples, late_hold, steps.carried, late, plan);
}

}  // namespace

void planStands(const Support& support, const EndFrames& frames, const PlanSettings& settings,
                LimbPlan& plan) {
  if (plan.stands.empty()) return;
  const std::vector<Vec3> way = settings.holds_slides ? holdingWay(support) : std::vector<Vec3>();
  const Stand &first = plan.stands.front(), &last = plan.stands.back();
  const bool is_cut = settings.is_cycle && plan.stands.size() > 1 && first.first == 0 &&
                      last.last + 1 == frames.times_s.size();
  for (std::size_t s = 0; s < plan.stands.size(); ++s) {
    if (is_cut && (s == 0 || s + 1 == plan.stands.size())) continue;
    const Stand& stand = plan.stands[s];
    const std::vector<Sample> samples = samplesOf(support, frames, stand, 0.0);
    writeStand(StandingPlace(samples), samples, holdOf(support, way, frames, stand), CycleStep(),
               stand, plan);
  }
  if (is_cut) planCutStand(support, way, frames, settings, first, last, plan);
}

}  // namespace clipmill::feet
