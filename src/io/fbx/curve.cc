// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/curve.h"

#include <algorithm>
#include <cmath>

#include "core/to_size.h"

namespace clipmill::io::fbx {
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

// The last key at or before `time_s`, which lies between the first and the last key.
std::size_t findKey(const std::vector<double>& times, double time_s, std::size_t hint) {
  std::size_t start = 0;
  if (hint < times.size() && times[hint] <= time_s) {
    start = hint;
    const std::size_t end = std::min(times.size(), hint + kStepsFromHint + 1);
    while (start + 1 < end && times[start + 1] <= time_s) ++start;
    if (start + 1 < end) return start;
  }
  const auto after =
      std::upper_bound(times.begin() + static_cast<std::ptrdiff_t>(start), times.end(), time_s);
  return toSize(after - times.begin()) - 1;
}

// The value within the keys; outside that of the outermost one.
double valueInside(const CurveKeys& keys, double time_s, std::size_t& hint) {
  const std::size_t last = keys.size() - 1;
  if (time_s < keys.timeOf(0)) return keys.valueOf(0);
  if (time_s >= keys.timeOf(last)) return keys.valueOf(last);
  hint = findKey(*keys.times(), time_s, hint);
  return keys.valueBetween(hint, time_s);
}

double nearestTick(double seconds) {
  return std::floor(seconds * static_cast<double>(kTicksPerSecond) + 0.5);
}

// The repeating modes. Whole ticks, so that the end of a repetition is met exactly at the frame
// where it falls. A repetition starts with the value of the first key, and before the keys with
// that of the last.
double repeatedValue(const Curve& curve, const Extrapolate& mode, double time_s, bool is_before,
                     std::size_t& hint) {
  const CurveKey first = curve.keys.front(), last = curve.keys.back();
  const double edge_value = is_before ? first.value : last.value;
  const double start = nearestTick(first.time_s), end = nearestTick(last.time_s);
  const double duration = end - start, time = nearestTick(time_s);
  if (!(duration >= 1.0) || mode.count == 0) return edge_value;
  const double outside = std::max(is_before ? start - time : time - end, 0.0);
  double cycle = std::floor(outside / duration);
  double into = outside - cycle * duration;
  if (mode.count > 0 && cycle >= mode.count) {
    cycle = mode.count - 1;
    into = duration;
  }
  const bool is_odd_cycle = cycle != 2.0 * std::floor(0.5 * cycle);
  if (mode.mode == Extrapolation::kMirror && !is_odd_cycle) into = duration - into;
  if (is_before) into = duration - into;
  const double inside_s = (start + into) / static_cast<double>(kTicksPerSecond);
  const double value = valueInside(curve.keys, inside_s, hint);
  if (mode.mode != Extrapolation::kRelativeRepetition) return value;
  const double rise = (cycle + 1.0) * (last.value - first.value);
  return is_before ? value - rise : value + rise;
}

double valueOutside(const Curve& curve, double time_s, bool is_before, std::size_t& hint) {
  const CurveKey edge = is_before ? curve.keys.front() : curve.keys.back();
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

CurveKeys::CurveKeys(const std::vector<CurveKey>& keys) {
  if (keys.empty()) return;
  std::vector<double> times;
  times.reserve(keys.size());
  values_.reserve(keys.size());
  segments_.reserve(keys.size());
  bool is_cubic = false;
  for (const CurveKey& key : keys) {
    times.push_back(key.time_s);
    values_.push_back(key.value);
    segments_.push_back(key.segment);
    is_cubic |= key.segment == Segment::kCubic;
    is_flat_ &= key.value == keys.front().value && key.left_dv == 0.0 && key.right_dv == 0.0;
  }
  times_ = std::make_shared<const std::vector<double>>(std::move(times));
  const auto keep = [&](const CurveKey& key) {
    tangents_.push_back({key.left_dt, key.left_dv, key.right_dt, key.right_dv});
  };
  tangents_.reserve(is_cubic ? keys.size() : 2);
  if (is_cubic) {
    for (const CurveKey& key : keys) keep(key);
  } else {
    keep(keys.front());
    if (keys.size() > 1) keep(keys.back());
  }
}

void CurveKeys::shareTimes(const CurveKeys& other) {
  if (times_ && other.times_ && *times_ == *other.times_) times_ = other.times_;
}

CurveKey CurveKeys::operator[](std::size_t key) const {
  Tangents tangents;
  if (tangents_.size() == size()) {
    tangents = tangents_[key];
  } else if (key == 0 || key + 1 == size()) {
    tangents = key == 0 ? tangents_.front() : tangents_.back();
  }
  return {timeOf(key),      valueOf(key),      segmentOf(key),   tangents.left_dt,
          tangents.left_dv, tangents.right_dt, tangents.right_dv};
}

double CurveKeys::cubicValue(std::size_t key, double fraction) const {
  const Tangents &from = tangents_[key], &to = tangents_[key + 1];
  const double length_s = timeOf(key + 1) - timeOf(key);
  const double third_s = (1.0 / 3.0) * length_s;
  // Control points at thirds: time runs evenly, the Bezier curve is a Hermite one.
  double u = fraction;
  if (from.right_dt != third_s || to.left_dt != third_s)
    u = solveBezier(from.right_dt / length_s, 1.0 - to.left_dt / length_s, fraction);
  // Rises above the first key, so that a flat segment is flat to the last bit.
  const double first = valueOf(key), whole = valueOf(key + 1) - first, v = 1.0 - u;
  return first +
         u * (3.0 * v * v * from.right_dv + u * (3.0 * v * (whole - to.left_dv) + u * whole));
}

double CurveKeys::valueBetween(std::size_t key, double time_s) const {
  const double from_s = timeOf(key), from = valueOf(key), to = valueOf(key + 1);
  if (time_s == from_s) return from;
  const Segment segment = segmentOf(key);
  if (segment == Segment::kConstant) return from;
  if (segment == Segment::kConstantNext) return to;
  const double fraction = (time_s - from_s) / (timeOf(key + 1) - from_s);
  if (segment == Segment::kCubic) return cubicValue(key, fraction);
  return from + fraction * (to - from);
}

double secondsOf(std::int64_t ticks) {
  return static_cast<double>(ticks) / static_cast<double>(kTicksPerSecond);
}

std::int64_t ticksOf(double seconds) {
  constexpr double kLimit = 9.0e18;  // just within int64
  const double ticks = nearestTick(seconds);
  return std::isnan(ticks) ? 0 : static_cast<std::int64_t>(std::clamp(ticks, -kLimit, kLimit));
}

double evaluate(const Curve& curve, double time_s, std::size_t& hint) {
  if (curve.keys.isFlat()) return curve.keys.empty() ? curve.default_value : curve.keys.valueOf(0);
  // Most times lie where the last one lay, or one key on.
  for (std::size_t k = hint; k < hint + 2 && k + 1 < curve.keys.size(); ++k) {
    if (!(curve.keys.timeOf(k) <= time_s)) break;
    if (!(time_s < curve.keys.timeOf(k + 1))) continue;
    hint = k;
    return curve.keys.valueBetween(k, time_s);
  }
  if (curve.keys.empty()) return curve.default_value;
  const std::size_t last = curve.keys.size() - 1;
  if (!std::isfinite(time_s)) return curve.keys.valueOf(time_s > 0.0 ? last : 0);
  if (last == 0) return curve.keys.valueOf(0);
  if (time_s < curve.keys.timeOf(0)) return valueOutside(curve, time_s, true, hint);
  if (time_s > curve.keys.timeOf(last)) return valueOutside(curve, time_s, false, hint);
  return valueInside(curve.keys, time_s, hint);
}

}  // namespace clipmill::io::fbx
