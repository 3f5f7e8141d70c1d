// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/curve.h"

#include <limits>
#include <random>

#include "checks.h"

TEST_SUITE_BEGIN("fbx.curve");

using namespace clipmill;
using namespace clipmill::io::fbx;
using namespace clipmill::io::fbx::key_flags;

namespace {

constexpr std::uint32_t kUserCubic = kCubic | kUser;
constexpr std::uint32_t kAutoCubic = kCubic | kAuto;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

RawKey rawKey(double seconds, double value, std::uint32_t flags) {
  RawKey key;
  key.ticks = ticksOf(seconds);
  key.value = value;
  key.flags = flags;
  return key;
}

RawKey userKey(double seconds, double value, double right_slope, double next_left_slope) {
  RawKey key = rawKey(seconds, value, kUserCubic);
  key.right_slope = right_slope;
  key.next_left_slope = next_left_slope;
  return key;
}

Curve curveOf(const std::vector<RawKey>& keys, Extrapolate before = {}, Extrapolate after = {}) {
  return {resolveKeys(keys), before, after, 0.0};
}

double at(const Curve& curve, double time_s) {
  std::size_t hint = 0;
  return evaluate(curve, time_s, hint);
}

double rightSlope(const CurveKey& key) { return key.right_dv / key.right_dt; }
double leftSlope(const CurveKey& key) { return key.left_dv / key.left_dt; }

// Three keys of which the middle one has these flags: values 0, 1, 5 at 0, 1 and 3 seconds.
CurveKey middleOf(std::uint32_t flags, double right = 0.0, double left = 0.0) {
  RawKey first = userKey(0, 0, 0, left), middle = rawKey(1, 1, flags);
  middle.right_slope = right;
  return resolveKeys(std::vector<RawKey>{first, middle, rawKey(3, 5, flags)})[1];
}

// x(u) = time and y(u) = value of the Bezier segment, worked out by halving in long double.
double bezierByHalving(const CurveKey& a, const CurveKey& b, double time_s) {
  const long double x[] = {a.time_s, a.time_s + a.right_dt, b.time_s - b.left_dt, b.time_s};
  const long double y[] = {a.value, a.value + a.right_dv, b.value - b.left_dv, b.value};
  const auto cubic = [](const long double* p, long double u) {
    const long double v = 1 - u;
    return v * v * v * p[0] + 3 * v * v * u * p[1] + 3 * v * u * u * p[2] + u * u * u * p[3];
  };
  long double low = 0, high = 1;
  for (int i = 0; i < 80; ++i) {
    const long double u = (low + high) / 2;
    (cubic(x, u) < time_s ? low : high) = u;
  }
  return static_cast<double>(cubic(y, (low + high) / 2));
}

}  // namespace

TEST_CASE("ticks and seconds are converted into each other") {
  CHECK(ticksOf(1.0) == kTicksPerSecond);
  CHECK(ticksOf(-0.5) == -kTicksPerSecond / 2);
  for (int frame = -1000; frame < 1000; ++frame) {
    const std::int64_t ticks = frame * (kTicksPerSecond / 24);
    CHECK(ticksOf(secondsOf(ticks)) == ticks);
    CHECK(ticksOf(frame / 24.0) == ticks);
  }
  CHECK(ticksOf(std::numeric_limits<double>::quiet_NaN()) == 0);
  CHECK(ticksOf(kInfinity) > std::numeric_limits<std::int64_t>::max() / 2);
  CHECK(ticksOf(-1e300) < std::numeric_limits<std::int64_t>::min() / 2);
}

TEST_CASE("a curve without keys has its default value, one with one key the value of the key") {
  Curve curve;
  curve.default_value = 7.0;
  CHECK(at(curve, 3.0) == 7.0);
  curve.keys = resolveKeys(std::vector<RawKey>{rawKey(1, 2, kLinear)});
  curve.after = {Extrapolation::kRelativeRepetition, -1};
  curve.before = {Extrapolation::kSlope, -1};
  for (double t : {-5.0, 1.0, 5.0}) CHECK(at(curve, t) == 2.0);
}

TEST_CASE("constant and linear segments") {
  const Curve curve = curveOf({rawKey(0, 1, kConstant), rawKey(1, 2, kConstant | kConstantNext),
                               rawKey(2, 3, kLinear), rawKey(4, 7, kLinear)});
  CHECK(at(curve, 0.0) == 1.0);
  CHECK(at(curve, 0.999) == 1.0);
  CHECK(at(curve, 1.0) == 2.0);
  CHECK(at(curve, 1.001) == 3.0);
  CHECK(at(curve, 2.0) == 3.0);
  CHECK(at(curve, 2.5) == 4.0);
  CHECK(at(curve, 4.0) == 7.0);
  CHECK(at(curve, 9.0) == 7.0);
  CHECK(at(curve, -9.0) == 1.0);
}

TEST_CASE("of several keys at one time the last one is used") {
  const std::vector<RawKey> raw{rawKey(0, 0, kLinear), rawKey(1, 1, kLinear), rawKey(1, 5, kLinear),
                                rawKey(1, 9, kLinear), rawKey(2, 10, kLinear)};
  const Curve curve = curveOf(raw);
  CHECK(at(curve, 1.0) == 9.0);
  CHECK(at(curve, 1.5) == 9.5);
  CHECK(at(curve, 0.5) == 0.5);
  for (const CurveKey& key : resolveKeys(raw)) CHECK(std::isfinite(key.right_dv + key.left_dv));
}

TEST_CASE("curves without cubic segments keep only the tangents at the ends") {
  const std::vector<RawKey> raw{rawKey(0, 0, kLinear), rawKey(1, 1, kLinear),
                                rawKey(3, 5, kLinear)};
  const std::vector<CurveKey> resolved = resolveKeys(raw);
  const CurveKeys linear(resolved);
  REQUIRE(linear.size() == 3);
  CHECK(*linear.times() == std::vector<double>{0.0, 1.0, 3.0});
  CHECK(linear.front().right_dv == resolved.front().right_dv);
  CHECK(linear.front().right_dv > 0.0);
  CHECK(linear.back().left_dv == resolved.back().left_dv);
  CHECK(linear.back().left_dv > 0.0);
  std::vector<RawKey> mixed = raw;
  mixed[0].flags = kCubic | kUser;
  const std::vector<CurveKey> cubic = resolveKeys(mixed);
  const CurveKeys kept(cubic);
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(linear.valueOf(k) == resolved[k].value);
    CHECK(kept.segmentOf(k) == cubic[k].segment);
    CHECK(kept[k].left_dv == cubic[k].left_dv);
    CHECK(kept[k].right_dt == cubic[k].right_dt);
  }
}

TEST_CASE("a flat curve has its value at all times, with any extrapolation") {
  for (Extrapolation mode :
       {Extrapolation::kConstant, Extrapolation::kRepetition, Extrapolation::kMirror,
        Extrapolation::kSlope, Extrapolation::kRelativeRepetition}) {
    const Curve flat = curveOf({rawKey(0, 7, kLinear), userKey(1, 7, 0, 0), rawKey(2, 7, kLinear)},
                               {mode, -1}, {mode, 2});
    CHECK(flat.keys.isFlat());
    for (double t = -5.0; t < 9.0; t += 0.37) CHECK(at(flat, t) == 7.0);
  }
  // Its keys are equal, its tangents are not.
  const Curve arch = curveOf({userKey(0, 7, 0, 3), userKey(1, 7, -3, 0)});
  CHECK(!arch.keys.isFlat());
  CHECK(at(arch, 0.5) < 6.9);
  CHECK(!curveOf({rawKey(0, 7, kLinear), rawKey(1, 8, kLinear)}).keys.isFlat());
}

TEST_CASE("curves with the same times share them, others keep theirs") {
  const Curve a = curveOf({rawKey(0, 1, kLinear), rawKey(1, 2, kLinear)});
  Curve b = curveOf({rawKey(0, 3, kLinear), rawKey(1, 4, kLinear)});
  Curve c = curveOf({rawKey(0, 3, kLinear), rawKey(2, 4, kLinear)});
  b.keys.shareTimes(a.keys);
  c.keys.shareTimes(a.keys);
  CHECK(b.keys.times() == a.keys.times());
  CHECK(at(b, 0.5) == 3.5);
  CHECK(c.keys.times() != a.keys.times());
  CHECK(at(c, 0.5) == 3.25);
}

TEST_CASE("keys out of order are sorted") {
  const RawKey a = userKey(0, 1, 2, 3), b = userKey(1, 4, 5, 6), c = userKey(2, 7, 8, 9);
  const Curve sorted = curveOf({a, b, c}), mixed = curveOf({c, a, b});
  for (double t = -0.5; t < 3.0; t += 0.01) CHECK(at(mixed, t) == at(sorted, t));
}

TEST_CASE("a user segment without weights is the Hermite cubic") {
  // y = t^3 on [1, 3]: slopes 3 and 27.
  const Curve curve = curveOf({userKey(1, 1, 3, 27), userKey(3, 27, 0, 0)});
  for (double t = 1.0; t <= 3.0; t += 1.0 / 64)
    CHECK(at(curve, t) == test::nearTo(t * t * t, 1e-14));
}

TEST_CASE("weighted segments are the Bezier curve through their control points") {
  std::mt19937 engine{31};
  const auto number = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(engine()) / 4294967295.0;
  };
  for (int i = 0; i < 300; ++i) {
    RawKey key = userKey(number(-5, 5), number(-9, 9), number(-20, 20), number(-20, 20));
    key.flags |= kWeightedRight | kWeightedNextLeft;
    // Full weights among them, where the time slope is 0 at an end or in the middle.
    key.right_weight = i % 5 == 0 ? 1.0 : number(0.001, 1);
    key.next_left_weight = i % 7 == 0 ? 1.0 : number(0.001, 1);
    const double length_s = number(0.01, 4);
    const Curve curve =
        curveOf({key, rawKey(secondsOf(key.ticks) + length_s, number(-9, 9), kUserCubic)});
    const double start = curve.keys[0].time_s, end = curve.keys[1].time_s;
    for (int step = 1; step < 20; ++step) {
      // Not the middle: both weights whole, the curve is upright there.
      const double t = start + (end - start) * (step / 20.0 + 0.003);
      const double expected = bezierByHalving(curve.keys[0], curve.keys[1], t);
      CHECK(std::abs(at(curve, t) - expected) < 1e-10);
    }
  }
}

TEST_CASE("hostile control points give finite values between the keys") {
  Curve curve;
  for (double dt : {0.0, 1e-300, 0.5, 1.0, 40.0}) {
    curve.keys = std::vector<CurveKey>{{0, 0, Segment::kCubic, 0, 0, dt, 1},
                                       {1, 1, Segment::kCubic, dt, 1, 0, 0}};
    for (double t = 0; t <= 1.0; t += 1.0 / 128) CHECK(std::isfinite(at(curve, t)));
  }
  RawKey key = userKey(0, 0, kInfinity, std::numeric_limits<double>::quiet_NaN());
  key.flags |= kWeightedRight | kWeightedNextLeft;
  key.right_weight = 6.5;
  key.next_left_weight = -kInfinity;
  const Curve from_file = curveOf({key, rawKey(1, 1, kUserCubic)});
  for (double t = 0; t <= 1.0; t += 1.0 / 128) {
    CHECK(at(from_file, t) >= 0.0);
    CHECK(at(from_file, t) <= 1.0);
  }
}

TEST_CASE("a flat segment is flat to the last bit") {
  RawKey key = userKey(0.1, 0.3, 0, 0);
  key.flags |= kWeightedRight;
  key.right_weight = 0.7;
  const Curve curve = curveOf(
      {key, rawKey(0.7, 0.3, kUserCubic), rawKey(0.9, 0.3, kLinear), rawKey(1.3, 0.3, kLinear)});
  for (double t = 0; t < 1.5; t += 0.001) CHECK(at(curve, t) == 0.3);
}

TEST_CASE("user tangents: the left side comes from the key before") {
  const std::vector<CurveKey> keys = resolveKeys(
      std::vector<RawKey>{userKey(0, 0, 1, 2), userKey(3, 1, 4, 0), rawKey(6, 0, kUserCubic)});
  CHECK(rightSlope(keys[0]) == doctest::Approx(1));
  CHECK(leftSlope(keys[1]) == doctest::Approx(2));
  CHECK(rightSlope(keys[1]) == doctest::Approx(4));
  CHECK(keys[0].right_dt == 1.0);
  CHECK(keys[1].left_dt == 1.0);
}

TEST_CASE("time-independent auto tangents run along the line between the neighbours") {
  const CurveKey key = middleOf(kAutoCubic | kTimeIndependent);
  CHECK(rightSlope(key) == doctest::Approx(5.0 / 3));
  CHECK(leftSlope(key) == doctest::Approx(5.0 / 3));
  // A pull is for the others only.
  CHECK(rightSlope(middleOf(kAutoCubic | kTimeIndependent, 80, -80)) == doctest::Approx(5.0 / 3));
}

TEST_CASE("auto tangents lie between the line and the parabola through the keys") {
  // The parabola through (0, 0), (1, 1), (3, 5) is t (2 + t) / 3: slope 4/3 at 1.
  const double slope = 0.5 * (5.0 / 3 + 4.0 / 3);
  CHECK(rightSlope(middleOf(kAutoCubic)) == doctest::Approx(slope));
  CHECK(leftSlope(middleOf(kAutoCubic)) == doctest::Approx(slope));
  // Keys evenly spaced on a parabola get its own slope.
  const std::vector<CurveKey> keys = resolveKeys(std::vector<RawKey>{
      rawKey(1, 1, kAutoCubic), rawKey(2, 4, kAutoCubic), rawKey(3, 9, kAutoCubic)});
  CHECK(rightSlope(keys[1]) == doctest::Approx(4.0));
  CHECK(rightSlope(keys[0]) == doctest::Approx(3.0));
  CHECK(leftSlope(keys[2]) == doctest::Approx(5.0));
}

TEST_CASE("a weight of 100 percent makes an auto tangent linear on one side") {
  const CurveKey key =
      middleOf(kAutoCubic, 100, 100);  // the left one is stored with its sign inverted
  CHECK(rightSlope(key) == doctest::Approx(2.0));
  CHECK(leftSlope(key) == doctest::Approx(1.0));
  const CurveKey both = middleOf(kAutoCubic, 50, -50);
  CHECK(rightSlope(both) == doctest::Approx(1.75));
  CHECK(leftSlope(both) == rightSlope(both));
  // Above 500 percent a square is added: (6 - 5)^2 * 40.
  CHECK(rightSlope(middleOf(kAutoCubic, 600, -600)) == doctest::Approx(1.5 + 6 * 0.5 + 40));
}

TEST_CASE("clamped auto tangents are flat beside an equal value and at extrema") {
  const auto middle = [](double before, double after, std::uint32_t flags) {
    return resolveKeys(std::vector<RawKey>{rawKey(0, before, flags), rawKey(1, 1, flags),
                                           rawKey(2, after, flags)})[1];
  };
  CHECK(rightSlope(middle(1, 5, kAutoCubic | kClamp)) == 0.0);
  CHECK(rightSlope(middle(0, 5, kAutoCubic | kClamp)) == doctest::Approx(2.5));
  const std::uint32_t progressive = kAutoCubic | kTimeIndependent | kClampProgressive;
  CHECK(rightSlope(middle(0, 0, progressive)) == 0.0);
  CHECK(rightSlope(middle(3, 2, progressive)) == 0.0);
  CHECK(rightSlope(middle(0.5, 1.5, progressive)) == doctest::Approx(0.5));
  // 1/3 of a second at three times the smaller rise reaches the neighbour's value and no more.
  CHECK(rightSlope(middle(0.9, 9, progressive)) == doctest::Approx(0.3));
  CHECK(rightSlope(middle(1.1, -9, progressive)) == doctest::Approx(-0.3));
}

TEST_CASE("progressively clamped curves never leave the range of neighbouring keys") {
  std::mt19937 engine{37};
  std::vector<RawKey> raw;
  double time = 0;
  for (int i = 0; i < 200; ++i) {
    time += 0.01 + 1e-9 * engine() * 0.3;
    const double value = i % 9 == 1 ? raw.back().value : 1e-9 * engine();
    raw.push_back(rawKey(time, value, kAutoCubic | kTimeIndependent | kClampProgressive));
  }
  const Curve curve = curveOf(raw);
  std::size_t hint = 0;
  for (std::size_t k = 0; k + 1 < raw.size(); ++k) {
    const double low = std::min(raw[k].value, raw[k + 1].value);
    const double high = std::max(raw[k].value, raw[k + 1].value);
    for (int step = 0; step < 16; ++step) {
      const double t =
          curve.keys[k].time_s + (curve.keys[k + 1].time_s - curve.keys[k].time_s) * step / 16.0;
      const double value = evaluate(curve, t, hint);
      CHECK(value >= low - 1e-12);
      CHECK(value <= high + 1e-12);
    }
  }
}

TEST_CASE("TCB tangents: neutral ones are Catmull-Rom, tension one is flat") {
  const auto middle = [](double tension, double continuity, double bias) {
    RawKey key = rawKey(1, 1, kCubic | kTcb);
    key.right_slope = tension;
    key.next_left_slope = continuity;
    key.bias = bias;
    return resolveKeys(
        std::vector<RawKey>{rawKey(0, 0, kUserCubic), key, rawKey(2, 4, kUserCubic)})[1];
  };
  CHECK(rightSlope(middle(0, 0, 0)) == doctest::Approx(2));  // the mean of 1 and 3
  CHECK(leftSlope(middle(0, 0, 0)) == doctest::Approx(2));
  CHECK(rightSlope(middle(1, 0, 0)) == 0.0);
  // Continuity -1: each side follows its own line. Bias 1: both follow the line before.
  CHECK(leftSlope(middle(0, -1, 0)) == doctest::Approx(1));
  CHECK(rightSlope(middle(0, -1, 0)) == doctest::Approx(3));
  CHECK(leftSlope(middle(0, 0, 1)) == doctest::Approx(1));
  CHECK(rightSlope(middle(0, 0, 1)) == doctest::Approx(1));
  CHECK(rightSlope(middle(0, 0, -1)) == doctest::Approx(3));
}

TEST_CASE("any hint gives the same bits") {
  std::mt19937 engine{41};
  std::vector<RawKey> raw;
  for (int i = 0; i < 60; ++i) {
    RawKey key = userKey(0.1 * i, 1e-9 * engine(), 1e-9 * engine(), -1e-9 * engine());
    if (i % 4 == 0) key.flags = kAutoCubic;
    if (i % 5 == 0 && i > 0) key.ticks = raw.back().ticks;  // equal times among them
    raw.push_back(key);
  }
  const Curve curve = curveOf(raw, {Extrapolation::kMirror, 2}, {Extrapolation::kRepetition, -1});
  for (double t = -3.0; t < 20.0; t += 0.0137) {
    const double expected = at(curve, t);
    for (std::size_t first_hint : {1ul, 30ul, 55ul, 59ul, 60ul, ~0ul}) {
      std::size_t hint = first_hint;
      CHECK(evaluate(curve, t, hint) == expected);
    }
  }
  for (std::size_t k = 0; k < curve.keys.size(); ++k) {
    const CurveKey key = curve.keys[k];
    const double expected = at(curve, key.time_s);
    for (std::size_t hint = 0; hint < curve.keys.size();) {
      std::size_t tried = hint++;
      CHECK(evaluate(curve, key.time_s, tried) == expected);
    }
  }
}

TEST_CASE("extrapolation repeats, mirrors, or continues with an offset") {
  const std::vector<RawKey> raw{rawKey(1, 10, kLinear), rawKey(2, 20, kLinear),
                                rawKey(3, 14, kLinear)};
  const auto both = [&](Extrapolation mode, int count) {
    return curveOf(raw, {mode, count}, {mode, count});
  };
  const Curve repeated = both(Extrapolation::kRepetition, -1);
  CHECK(at(repeated, 3.5) == doctest::Approx(15));
  CHECK(at(repeated, 5.0) == 10.0);
  CHECK(at(repeated, 8.0) == doctest::Approx(20));
  CHECK(at(repeated, 0.5) == doctest::Approx(17));
  CHECK(at(repeated, -1.0) == 14.0);
  const Curve mirrored = both(Extrapolation::kMirror, -1);
  CHECK(at(mirrored, 3.5) == doctest::Approx(17));
  CHECK(at(mirrored, 4.5) == doctest::Approx(15));
  CHECK(at(mirrored, 5.5) == doctest::Approx(15));
  CHECK(at(mirrored, 0.5) == doctest::Approx(15));
  CHECK(at(mirrored, -1.5) == doctest::Approx(17));
  const Curve relative = both(Extrapolation::kRelativeRepetition, -1);
  CHECK(at(relative, 3.5) == doctest::Approx(15 + 4));
  CHECK(at(relative, 5.5) == doctest::Approx(15 + 8));
  CHECK(at(relative, 0.5) == doctest::Approx(17 - 4));
  CHECK(at(relative, -1.5) == doctest::Approx(17 - 8));
}

TEST_CASE("a counted repetition stops at its last value") {
  const std::vector<RawKey> raw{rawKey(0, 0, kLinear), rawKey(1, 1, kLinear),
                                rawKey(2, 4, kLinear)};
  const auto value = [&](Extrapolation mode, int count, double t) {
    return at(curveOf(raw, {mode, count}, {mode, count}), t);
  };
  CHECK(value(Extrapolation::kRepetition, 1, 3.0) == 1.0);
  CHECK(value(Extrapolation::kRepetition, 1, 7.0) == 4.0);
  CHECK(value(Extrapolation::kRepetition, 1, -7.0) == 0.0);
  CHECK(value(Extrapolation::kMirror, 1, 7.0) == 0.0);
  CHECK(value(Extrapolation::kMirror, 2, 7.0) == 4.0);
  CHECK(value(Extrapolation::kRelativeRepetition, 2, 50.0) == 12.0);
  CHECK(value(Extrapolation::kRelativeRepetition, 2, -50.0) == -8.0);
  for (Extrapolation mode :
       {Extrapolation::kRepetition, Extrapolation::kMirror, Extrapolation::kRelativeRepetition}) {
    CHECK(value(mode, 0, 2.5) == 4.0);
    CHECK(value(mode, 0, -2.5) == 0.0);
  }
}

TEST_CASE("extrapolation by slope continues along the outer tangents") {
  const Extrapolate slope{Extrapolation::kSlope, -1};
  const Curve curve = curveOf({userKey(1, 2, 3, -4), rawKey(2, 5, kUserCubic)}, slope, slope);
  CHECK(at(curve, 0.0) == doctest::Approx(2 - 3));
  CHECK(at(curve, 4.0) == doctest::Approx(5 - 8));
  const Curve linear = curveOf({rawKey(1, 2, kLinear), rawKey(3, 6, kLinear)}, slope, slope);
  CHECK(at(linear, 0.0) == doctest::Approx(0));
  CHECK(at(linear, 5.0) == doctest::Approx(10));
  // A tangent of weight zero points nowhere.
  RawKey upright = userKey(1, 2, 3, -4);
  upright.flags |= kWeightedRight;
  upright.right_weight = 0.0;
  CHECK(at(curveOf({upright, rawKey(2, 5, kUserCubic)}, slope), 0.0) == 2.0);
}

TEST_CASE("frames fall on the ends of repetitions exactly") {
  // 25 frames at 24 a second that start at the second one.
  std::vector<RawKey> raw;
  for (int frame = 0; frame <= 24; ++frame) {
    raw.push_back(rawKey(0, frame % 5, kConstant));
    raw.back().ticks = (frame + 1) * (kTicksPerSecond / 24);
  }
  const Curve curve =
      curveOf(raw, {Extrapolation::kRepetition, -1}, {Extrapolation::kRepetition, -1});
  for (int frame = 0; frame < 24; ++frame) {
    for (int rotation : {2, 3, 4, 1000})
      CHECK(at(curve, (frame + 1 + 24 * rotation) / 24.0) == frame % 5);
  }
}

TEST_CASE("infinite times and curves of zero length give a key's value") {
  for (int mode = 0; mode < 5; ++mode) {
    const Extrapolate all{static_cast<Extrapolation>(mode), -1};
    const Curve curve = curveOf({rawKey(1, 2, kLinear), rawKey(2, 3, kLinear)}, all, all);
    CHECK(at(curve, kInfinity) == 3.0);
    CHECK(at(curve, -kInfinity) == 2.0);
    CHECK(at(curve, std::numeric_limits<double>::quiet_NaN()) == 2.0);
    CHECK(std::isfinite(at(curve, 1e12)));
    const Curve point = curveOf({rawKey(1, 2, kLinear), rawKey(1, 3, kLinear)}, all, all);
    CHECK(at(point, 0.0) == 2.0);
    CHECK(at(point, 1.0) == 3.0);
    CHECK(at(point, 2.0) == 3.0);
  }
}
