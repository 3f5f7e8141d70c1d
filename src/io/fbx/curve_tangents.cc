// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT

// Tangents from the key attributes of files. The FBX SDK documents the modes but not their
// formulas; those here are the ones that ufbx found by comparison with Maya and MotionBuilder.
#include <algorithm>
#include <cmath>

#include "io/fbx/curve.h"

namespace clipmill::io::fbx {
namespace {

using namespace key_flags;

constexpr double kThird = 1.0 / 3.0;

// Pulls in percent of the two sides of a key that differ by less are one.
constexpr double kSamePull = 1e-4;
// Above that many times 100 percent a pull makes the slope steeper still, by the square of the
// rest.
constexpr double kFullPulls = 5.0;
constexpr double kSteepening = 40.0;

double finiteOrZero(double x) { return std::isfinite(x) ? x : 0.0; }

// A key between its neighbours; the slopes of the straight lines to them, where they are.
struct Surroundings {
  double before_s = 0.0, after_s = 0.0;  // durations, 0 where there is no neighbour
  double before_rise = 0.0, after_rise = 0.0;
  double left_weight = kThird, right_weight = kThird;

  bool hasBefore() const { return before_s > 0.0; }
  bool hasAfter() const { return after_s > 0.0; }
  double beforeSlope() const { return hasBefore() ? before_rise / before_s : 0.0; }
  double afterSlope() const { return hasAfter() ? after_rise / after_s : 0.0; }
};

struct Slopes {
  double left = 0.0, right = 0.0;
};

// What a pull above kFullPulls (as multiples of 100 percent) adds to a slope.
double steepening(double pulls, double direction) {
  const double excess = std::abs(pulls) - kFullPulls;
  if (!(excess > 0.0)) return 0.0;
  return excess * excess * (direction > 0.0 ? kSteepening : -kSteepening);
}

// Half the slope from neighbour to neighbour, half that of the parabola through the three keys,
// pulled towards the line on one side.
double pulledSlope(const Surroundings& at, double pull_percent) {
  const double whole_s = at.before_s + at.after_s;
  const double share = at.before_s / whole_s;
  const double chord = (at.before_rise + at.after_rise) / whole_s;
  const double parabola = at.beforeSlope() * (1.0 - share) + at.afterSlope() * share;
  const double slope = 0.5 * (chord + parabola);
  const double pulls = pull_percent / 100.0, amount = std::abs(pulls);
  if (!(amount > kSamePull)) return slope;
  const double target = pulls > 0.0 ? at.afterSlope() : at.beforeSlope();
  const double difference = target - slope;
  return slope + difference * amount +
         steepening(pulls, std::abs(difference) > 1e-5 ? difference : pulls);
}

// The largest part of `slope` that does not lead past either neighbour's value.
double withoutOvershoot(const Surroundings& at, double slope) {
  const double sign = slope >= 0.0 ? 1.0 : -1.0;
  const auto limit = [&](double rise, double reach_s) {
    return reach_s > 0.0 ? std::max(sign * rise / reach_s, 0.0) : 0.0;
  };
  return sign * std::min({std::abs(slope), limit(at.before_rise, at.left_weight * at.before_s),
                          limit(at.after_rise, at.right_weight * at.after_s)});
}

double innerAutoSlope(const Surroundings& at, double pull_percent, std::uint32_t flags) {
  if ((flags & kClamp) && (at.before_rise == 0.0 || at.after_rise == 0.0)) return 0.0;
  const double slope = flags & kTimeIndependent
                           ? (at.before_rise + at.after_rise) / (at.before_s + at.after_s)
                           : pulledSlope(at, pull_percent);
  return flags & kClampProgressive ? withoutOvershoot(at, slope) : slope;
}

// The first and the last key look at their only neighbour.
double outerAutoSlope(double line_slope, double pull_percent, std::uint32_t flags) {
  if (flags & kClampProgressive) return 0.0;
  if (flags & kTimeIndependent) return line_slope;
  if ((flags & kClamp) && line_slope == 0.0) return 0.0;
  return line_slope + steepening(pull_percent / 100.0, pull_percent);
}

// `left_stored` is what the key before stores for this one's left side.
Slopes autoSlopes(const Surroundings& at, const RawKey& key, double left_stored) {
  const double right_pull = finiteOrZero(key.right_slope), left_pull = -left_stored;
  if (at.hasBefore() && at.hasAfter()) {
    const double right = innerAutoSlope(at, right_pull, key.flags);
    if (std::abs(right_pull - left_pull) <= kSamePull) return {right, right};
    return {innerAutoSlope(at, left_pull, key.flags), right};
  }
  double slope = 0.0;
  if (at.hasBefore()) slope = outerAutoSlope(at.beforeSlope(), left_pull, key.flags);
  if (at.hasAfter()) slope = outerAutoSlope(at.afterSlope(), right_pull, key.flags);
  return {slope, slope};
}

// Kochanek and Bartels, "Interpolating Splines with Local Tension, Continuity, and Bias Control",
// SIGGRAPH 1984, eq. 8 and 9, per second instead of per key; an outermost key takes its one line
// whole.
Slopes tcbSlopes(const Surroundings& at, const RawKey& key) {
  const double tension = finiteOrZero(key.right_slope);
  const double continuity = finiteOrZero(key.next_left_slope), bias = finiteOrZero(key.bias);
  const double share = (at.hasBefore() && at.hasAfter() ? 0.5 : 1.0) * (1.0 - tension);
  const double before = share * (1.0 + bias) * at.beforeSlope();
  const double after = share * (1.0 - bias) * at.afterSlope();
  return {before * (1.0 - continuity) + after * (1.0 + continuity),
          before * (1.0 + continuity) + after * (1.0 - continuity)};
}

Segment segmentOf(std::uint32_t flags) {
  if (flags & kConstant) return flags & kConstantNext ? Segment::kConstantNext : Segment::kConstant;
  return flags & kCubic ? Segment::kCubic : Segment::kLinear;
}

// The left side of a key, stored with the key before it.
struct LeftSide {
  double slope = 0.0, weight = kThird;
};

double storedWeight(double weight, bool is_used) {
  return is_used ? std::clamp(finiteOrZero(weight), 0.0, 1.0) : kThird;
}

LeftSide nextLeftSide(const RawKey& key, Segment segment, double line_slope) {
  if (segment == Segment::kLinear) return {line_slope, kThird};
  if (segment != Segment::kCubic || key.flags & kTcb) return {};
  return {finiteOrZero(key.next_left_slope),
          storedWeight(key.next_left_weight, key.flags & kWeightedNextLeft)};
}

// `left_stored` is the left slope, or the left pull of an auto key.
Slopes slopesOf(const Surroundings& at, const RawKey& key, Segment segment, double left_stored) {
  if (segment == Segment::kLinear) return {left_stored, at.afterSlope()};
  if (segment != Segment::kCubic) return {left_stored, 0.0};
  if (key.flags & kTcb) return tcbSlopes(at, key);
  if (key.flags & kUser) return {left_stored, finiteOrZero(key.right_slope)};
  return autoSlopes(at, key, left_stored);
}

}  // namespace

std::vector<CurveKey> resolveKeys(std::span<const RawKey> keys) {
  const auto is_earlier = [](const RawKey& a, const RawKey& b) { return a.ticks < b.ticks; };
  if (!std::is_sorted(keys.begin(), keys.end(), is_earlier)) {
    std::vector<RawKey> sorted(keys.begin(), keys.end());
    std::stable_sort(sorted.begin(), sorted.end(), is_earlier);
    return resolveKeys(sorted);
  }
  std::vector<CurveKey> resolved;
  resolved.reserve(keys.size());
  LeftSide left;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const RawKey& key = keys[i];
    const Segment segment = segmentOf(key.flags);
    const double time_s = secondsOf(key.ticks);
    Surroundings at;
    at.left_weight = left.weight;
    if (segment == Segment::kCubic)
      at.right_weight = storedWeight(key.right_weight, key.flags & kWeightedRight);
    if (i > 0 && key.ticks > keys[i - 1].ticks) {
      at.before_s = time_s - resolved.back().time_s;
      at.before_rise = key.value - keys[i - 1].value;
    }
    if (i + 1 < keys.size() && keys[i + 1].ticks > key.ticks) {
      at.after_s = secondsOf(keys[i + 1].ticks) - time_s;
      at.after_rise = keys[i + 1].value - key.value;
    }
    const Slopes slopes = slopesOf(at, key, segment, left.slope);
    const double left_dt = at.left_weight * at.before_s;
    const double right_dt = at.right_weight * at.after_s;
    resolved.push_back({time_s, key.value, segment, left_dt, left_dt * slopes.left, right_dt,
                        right_dt * slopes.right});
    left = nextLeftSide(key, segment, at.afterSlope());
  }
  return resolved;
}

}  // namespace clipmill::io::fbx
