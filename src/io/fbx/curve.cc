// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/curve.h"

#include <algorithm>
#include <cmath>

namespace clipmill::fbx {
namespace {

// Keys that are tried one by one from the hint on before the others are searched by halves.
constexpr std::size_t kStepsFromHint = 4;
// Bisection alone needs 53; Newton's method is at most two thirds as fast where a root is triple.
constexpr int kMaxSteps = 200;

// u in [0, 1] at which the cubic with control values 0, x1, x2, 1 is x in [0, 1].
double solveBezier(double x1, double x2, double x) {
  const double a = 3.0 * (x1 - x2) + 1.0, b = 3.0 * x2 - 6.0 * x1, c = 3.0 * x1;
  double low = 0.0, high = 1.0, u = x, last_step = 1.0;
  for (int i = 0; i < kMaxSteps; ++i) {
    const double off = ((a * u + b) * u + c) * u - x;
    if (off == 0.0) break;
    (off < 0.0 ? low : high) = u;
    const double slope = (3.0 * a * u + 2.0 * b) * u + c;
    double next = u - off / slope;
    // Halve the bracket where Newton leaves it or gains too little. NaN goes here too.
    if (!(next > low && next < high && std::abs(next - u) < 0.75 * last_step))
      next = 0.5 * (low + high);
    last_step = std::abs(next - u);
    if (next == u) break;
    u = next;
    if (last_step <= 1e-16) break;
  }
  return u;
}

double cubicValue(const CurveKey& from, const CurveKey& to, double fraction) {
  const double length_s = to.time_s - from.time_s;
  const double third_s = (1.0 / 3.0) * length_s;
  // Control points at thirds: time runs evenly, the Bezier curve is a Hermite one.
  double u = fraction;
  if (from.right_dt != third_s || to.left_dt != third_s)
    u = solveBezier(from.right_dt / length_s, 1.0 - to.left_dt / length_s, fraction);
  // Rises above the first key, so that a flat segment is flat to the last bit.
  const double whole = to.value - from.value, v = 1.0 - u;
  return from.value +
         u * (3.0 * v * v * from.right_dv + u * (3.0 * v * (whole - to.left_dv) + u * whole));
}

// The last key at or before `time_s`, which lies between the first and the last key.
std::size_t findKey(const std::vector<CurveKey>& keys, double time_s, std::size_t hint) {
  std::size_t begin = 0;
  if (hint < keys.size() && keys[hint].time_s <= time_s) {
    begin = hint;
    const std::size_t end = std::min(keys.size(), hint + kStepsFromHint + 1);
    while (begin + 1 < end && keys[begin + 1].time_s <= time_s) ++begin;
    if (begin + 1 < end) return begin;
  }
  const auto after =
      std::upper_bound(keys.begin() + static_cast<std::ptrdiff_t>(begin), keys.end(), time_s,
                       [](double time, const CurveKey& key) { return time < key.time_s; });
  return static_cast<std::size_t>(after - keys.begin()) - 1;
}

// The value from one key to the next, `time_s` being neither before the one nor after the other.
double valueBetween(const CurveKey& from, const CurveKey& to, double time_s) {
  if (time_s == from.time_s) return from.value;
  switch (from.segment) {
    case Segment::kConstant:
      return from.value;
    case Segment::kConstantNext:
      return to.value;
    case Segment::kLinear:
    case Segment::kCubic:
      break;
  }
  const double fraction = (time_s - from.time_s) / (to.time_s - from.time_s);
  if (from.segment == Segment::kCubic) return cubicValue(from, to, fraction);
  return from.value + fraction * (to.value - from.value);
}

// The value within the keys; outside that of the outermost one.
double valueInside(const std::vector<CurveKey>& keys, double time_s, std::size_t& hint) {
  if (time_s < keys.front().time_s) return keys.front().value;
  if (time_s >= keys.back().time_s) return keys.back().value;
  hint = findKey(keys, time_s, hint);
  return valueBetween(keys[hint], keys[hint + 1], time_s);
}

double nearestTick(double seconds) {
  return std::floor(seconds * static_cast<double>(kTicksPerSecond) + 0.5);
}

// The repeating modes. Whole ticks, so that the end of a repetition is met exactly at the frame
// where it falls. A repetition begins with the value of the first key, and before the keys with
// that of the last.
double repeatedValue(const Curve& curve, const Extrapolate& mode, double time_s, bool is_before,
                     std::size_t& hint) {
  const CurveKey &first = curve.keys.front(), &last = curve.keys.back();
  const double edge_value = is_before ? first.value : last.value;
  const double begin = nearestTick(first.time_s), end = nearestTick(last.time_s);
  const double duration = end - begin, time = nearestTick(time_s);
  if (!(duration >= 1.0) || mode.count == 0) return edge_value;
  const double outside = std::max(is_before ? begin - time : time - end, 0.0);
  double turn = std::floor(outside / duration);
  double into = outside - turn * duration;
  if (mode.count > 0 && turn >= mode.count) {
    turn = mode.count - 1;
    into = duration;
  }
  const bool is_odd_turn = turn != 2.0 * std::floor(0.5 * turn);
  if (mode.mode == Extrapolation::kMirror && !is_odd_turn) into = duration - into;
  if (is_before) into = duration - into;
  const double inside_s = (begin + into) / static_cast<double>(kTicksPerSecond);
  const double value = valueInside(curve.keys, inside_s, hint);
  if (mode.mode != Extrapolation::kRelativeRepetition) return value;
  const double rise = (turn + 1.0) * (last.value - first.value);
  return is_before ? value - rise : value + rise;
}

double valueOutside(const Curve& curve, double time_s, bool is_before, std::size_t& hint) {
  const CurveKey& edge = is_before ? curve.keys.front() : curve.keys.back();
  const Extrapolate& mode = is_before ? curve.before : curve.after;
  switch (mode.mode) {
    case Extrapolation::kConstant:
      return edge.value;
    case Extrapolation::kSlope: {
      const double dt = is_before ? edge.right_dt : edge.left_dt;
      const double dv = is_before ? edge.right_dv : edge.left_dv;
      return dt > 0.0 ? edge.value + dv * ((time_s - edge.time_s) / dt) : edge.value;
    }
    case Extrapolation::kRepetition:
    case Extrapolation::kMirror:
    case Extrapolation::kRelativeRepetition:
      return repeatedValue(curve, mode, time_s, is_before, hint);
  }
  return edge.value;
}

}  // namespace

double secondsOf(std::int64_t ticks) {
  return static_cast<double>(ticks) / static_cast<double>(kTicksPerSecond);
}

std::int64_t ticksOf(double seconds) {
  constexpr double kLimit = 9.0e18;  // just within int64
  const double ticks = nearestTick(seconds);
  return std::isnan(ticks) ? 0 : static_cast<std::int64_t>(std::clamp(ticks, -kLimit, kLimit));
}

double evaluate(const Curve& curve, double time_s, std::size_t& hint) {
  // Most times lie where the last one lay, or one key on.
  for (std::size_t k = hint; k < hint + 2 && k + 1 < curve.keys.size(); ++k) {
    const CurveKey &from = curve.keys[k], &to = curve.keys[k + 1];
    if (!(from.time_s <= time_s)) break;
    if (!(time_s < to.time_s)) continue;
    hint = k;
    return valueBetween(from, to, time_s);
  }
  if (curve.keys.empty()) return curve.default_value;
  const CurveKey &first = curve.keys.front(), &last = curve.keys.back();
  if (!std::isfinite(time_s)) return time_s > 0.0 ? last.value : first.value;
  if (curve.keys.size() == 1) return first.value;
  if (time_s < first.time_s) return valueOutside(curve, time_s, true, hint);
  if (time_s > last.time_s) return valueOutside(curve, time_s, false, hint);
  return valueInside(curve.keys, time_s, hint);
}

}  // namespace clipmill::fbx
