// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

namespace clipmill::stages::edit {

/// What is added to a track near the two ends of a clip: cubics in time with a value and a velocity
/// at the end, level and 0 where their window ends; nothing between the windows.
template <class Value>
struct EndBends {
  Value start, start_velocity, end, end_velocity;

  /// Near the start, `from_start_s` after it.
  Value atStart(double from_start_s, double window_s) const {
    if (!(from_start_s < window_s)) return start * 0.0;
    const double s = from_start_s / window_s;
    return start * share(s) + start_velocity * (window_s * slope(s));
  }
  /// Near the end, `from_end_s` before it.
  Value atEnd(double from_end_s, double window_s) const {
    if (!(from_end_s < window_s)) return end * 0.0;
    const double s = from_end_s / window_s;
    return end * share(s) - end_velocity * (window_s * slope(s));
  }

 private:
  // From 1 to 0 over a window, level at both ends; and the one that starts with slope 1.
  static double share(double s) { return (1.0 + 2.0 * s) * (1.0 - s) * (1.0 - s); }
  static double slope(double s) { return s * (1.0 - s) * (1.0 - s); }
};

/// The corrections that make a track a cycle: half of `left`, the difference from its last value to
/// its first, at either end, and half of the difference of the velocities there.
template <class Value>
EndBends<Value> closingBends(const Value& left, const Value& start_velocity,
                             const Value& end_velocity) {
  const Value faster = end_velocity - start_velocity;
  return {left * -0.5, faster * 0.5, left * 0.5, faster * -0.5};
}

}  // namespace clipmill::stages::edit
