// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace clipmill::fbx {

/// Ticks of the FBX clock (KTime) in one second.
inline constexpr std::int64_t kTicksPerSecond = 46186158000;

double secondsOf(std::int64_t ticks);
/// The nearest tick.
std::int64_t ticksOf(double seconds);

/// One key as files store it (KeyAttrFlags, KeyAttrDataFloat of FBX 7; the letters of FBX 6 are
/// translated into the same flags).
struct RawKey {
  std::int64_t ticks = 0;
  double value = 0.0;
  std::uint32_t flags = 0;       ///< Interpolation, tangent mode, weights, velocities.
  double right_slope = 0.0;      ///< Units per second. TCB keys: tension.
  double next_left_slope = 0.0;  ///< Of the next key's left side. TCB keys: continuity.
  double right_weight = 1.0 / 3.0;
  double next_left_weight = 1.0 / 3.0;
  double bias = 0.0;  ///< TCB keys: bias. Auto keys: pull to one side, in percent.
  double right_velocity = 0.0;
  double next_left_velocity = 0.0;
};

enum class Segment : std::uint8_t { kConstant, kConstantNext, kLinear, kCubic };

/// A key with its tangents worked out: (time, value) offsets of the control points to both sides.
struct CurveKey {
  double time_s = 0.0;
  double value = 0.0;
  Segment segment = Segment::kConstant;  ///< From this key to the next.
  double left_dt = 0.0, left_dv = 0.0;   ///< dt counted backwards, not negative.
  double right_dt = 0.0, right_dv = 0.0;
};

enum class Extrapolation : std::uint8_t {
  kConstant,
  kRepetition,
  kMirror,
  kSlope,
  kRelativeRepetition
};

/// What a curve does outside its keys.
struct Extrapolate {
  Extrapolation mode = Extrapolation::kConstant;
  int count = -1;  ///< How many times it repeats; -1 for ever.
};

/// One animated number.
struct Curve {
  std::vector<CurveKey> keys;  ///< Times ascend (equal ones: the last counts).
  Extrapolate before, after;
  double default_value = 0.0;  ///< The value of a curve without keys.
};

/// Works out the tangents of keys: user, break, auto, clamped, TCB, weighted, velocities.
std::vector<CurveKey> resolveKeys(std::span<const RawKey> keys);

/// The value at `time_s`. `hint` is a key index near the last answer, 0 at first; it makes
/// ascending times cheap and changes nothing in the result.
double evaluate(const Curve& curve, double time_s, std::size_t& hint);

}  // namespace clipmill::fbx
