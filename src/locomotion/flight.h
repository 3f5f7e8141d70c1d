// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>

namespace clipmill::locomotion {

/// A time span in which a height follows a parabola.
struct Flight {
  double start_s = 0.0;
  double end_s = 0.0;
  double height_m = 0.0;      ///< Of the parabola at start_s.
  double rise_mps = 0.0;      ///< Its velocity there, upwards.
  double gravity_mps2 = 0.0;  ///< Its acceleration, downwards.

  double duration_s() const { return end_s - start_s; }
  /// The parabola so long after start_s.
  double heightAfter(double time_s) const;
};

/// The parabola nearest to `heights_m` in the mean of squares. Needs 3 times; nothing for fewer, or
/// for times that do not differ.
std::optional<Flight> fitParabola(std::span<const double> times_s,
                                  std::span<const double> heights_m);

/// The longest stretch of at least 0.15 s in which the heights fall with a constant acceleration of
/// 4 to 20 m/s^2, to within a thousandth of `character_m` in the mean. `times_s` is a uniform grid.
std::optional<Flight> findFlight(std::span<const double> times_s, std::span<const double> heights_m,
                                 double character_m);

/// Duration of a flight with the same take-off and gravity that lands `rise_m` higher: the later
/// root of v T - g T^2 / 2 = h. Nothing where it does not reach that height.
std::optional<double> flightTime(const Flight& flight, double rise_m);

}  // namespace clipmill::locomotion
