// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "anim/track.h"

namespace clipmill::io::fbx {

/// Ticks of the FBX clock (KTime) in one second.
inline constexpr std::int64_t kTicksPerSecond = 46186158000;

double secondsOf(std::int64_t ticks);
/// The nearest tick.
std::int64_t ticksOf(double seconds);

/// Bits of RawKey::flags (KeyAttrFlags of FBX 7).
namespace key_flags {
inline constexpr std::uint32_t kConstant = 0x2, kLinear = 0x4, kCubic = 0x8;  // one of these
inline constexpr std::uint32_t kConstantNext = 0x100;                         // with kConstant
inline constexpr std::uint32_t kAuto = 0x100, kTcb = 0x200, kUser = 0x400;    // with kCubic
inline constexpr std::uint32_t kBreak = 0x800;                                // kUser or kAuto too
inline constexpr std::uint32_t kClamp = 0x1000, kTimeIndependent = 0x2000;
inline constexpr std::uint32_t kClampProgressive = 0x4000;
inline constexpr std::uint32_t kWeightedRight = 0x1000000, kWeightedNextLeft = 0x2000000;
}  // namespace key_flags

/// One key as files store it (KeyAttrFlags, KeyAttrDataFloat of FBX 7; the letters of FBX 6 are
/// translated into the same flags). Of the four values of KeyAttrDataFloat the third holds two
/// weights, right in the low half, as integers of 1/9999; the fourth holds velocities likewise,
/// which are the state of an editor: the slopes and weights have them in already (ufbx).
struct RawKey {
  std::int64_t ticks = 0;
  double value = 0.0;
  std::uint32_t flags = 0;
  /// Units per second. TCB keys: tension. Auto keys: pull towards the right side in percent.
  double right_slope = 0.0;
  /// Of the next key's left side. TCB keys: continuity. Auto keys: pull in percent, sign reversed.
  double next_left_slope = 0.0;
  double right_weight = 1.0 / 3.0;      ///< Counts with kWeightedRight only.
  double next_left_weight = 1.0 / 3.0;  ///< Counts with kWeightedNextLeft only.
  double bias = 0.0;                    ///< TCB keys only; the third value as a number.
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

/// What a curve does outside its keys (Pre-Extrapolation, Post-Extrapolation; their Type is the
/// letter C, R, M, K or A in the order above).
struct Extrapolate {
  Extrapolation mode = Extrapolation::kConstant;
  int count = -1;  ///< How many times it repeats; negative: for ever. Slopes have no count.
};

/// The keys of one curve in ascending order of time (equal times: the last counts). Baked files
/// have a million of them, so what no evaluation asks for is not kept (the tangents of curves
/// without a cubic segment, but for those of the first and the last key), and curves with the same
/// times can share them.
class CurveKeys {
 public:
  CurveKeys() = default;
  CurveKeys(const std::vector<CurveKey>& keys);  // implicit: it is a list of keys

  bool empty() const { return values_.empty(); }
  std::size_t size() const { return values_.size(); }
  const KeyTimes& times() const { return times_; }  ///< Null where there are no keys.
  double timeOf(std::size_t key) const { return (*times_)[key]; }
  double valueOf(std::size_t key) const { return values_[key]; }
  Segment segmentOf(std::size_t key) const { return segments_[key]; }
  /// True where all keys have one value and no tangent leaves it.
  bool isFlat() const { return is_flat_; }
  CurveKey operator[](std::size_t key) const;
  CurveKey front() const { return (*this)[0]; }
  CurveKey back() const { return (*this)[size() - 1]; }

  /// Keeps one list of times for both where they are the same.
  void shareTimes(const CurveKeys& other);
  /// The value from `key` to the next, `time_s` being neither before the one nor after the other.
  double valueBetween(std::size_t key, double time_s) const;

 private:
  struct Tangents {
    double left_dt = 0.0, left_dv = 0.0, right_dt = 0.0, right_dv = 0.0;
  };

  double cubicValue(std::size_t key, double fraction) const;

  KeyTimes times_;
  std::vector<double> values_;
  std::vector<Segment> segments_;
  std::vector<Tangents> tangents_;  // of all keys, or of the first and the last
  bool is_flat_ = true;
};

/// One animated number.
struct Curve {
  CurveKeys keys;
  Extrapolate before, after;
  double default_value = 0.0;  ///< The value of a curve without keys.
};

/// Works out the tangents of keys; they are sorted by their ticks first where they are not. Slopes
/// and weights that are no finite numbers count as zero; weights are kept within [0, 1], beyond
/// which a curve runs back in time. Formulas of auto, clamped and TCB tangents: as found by ufbx,
/// see curve_tangents.cc.
std::vector<CurveKey> resolveKeys(std::span<const RawKey> keys);

/// The value at `time_s`; at infinite times and NaN that of the outermost key. `hint` is a key
/// index near the last result, 0 at first; it makes ascending times cheap and changes nothing in
/// the result.
double evaluate(const Curve& curve, double time_s, std::size_t& hint);

}  // namespace clipmill::io::fbx
