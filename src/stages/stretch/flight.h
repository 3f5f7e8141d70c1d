// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>

namespace clipmill::stretch {

/// A stretch of time in which a height follows a parabola.
struct Flight {
  double begin_s = 0.0;
  double end_s = 0.0;
  double height_m = 0.0;      ///< Of the parabola at begin_s.
  double rise_mps = 0.0;      ///< Its velocity there, upwards.
  double gravity_mps2 = 0.0;  ///< Its acceleration, downwards.

  double duration_s() const { return end_s - begin_s; }
  /// The parabola so long after begin_s.
  double heightAfter(double time_s) const;
};

/// The parabola nearest to `heights_m` in the mean of squares. Needs 3 times; nothing for fewer, or
/// for times that do not differ.
std::optional<Flight> fitParabola(std::span<const double> times_s,
                                  std::span<const double> heights_m);

/// The longest stretch of at least 0.15 s in which the heights fall with a constant acceleration of
/// 4 to 20 m/s^2, to within a thousandth of `figure_m` in the mean. `times_s` is a uniform grid.
std::optional<Flight> findFlight(std::span<const double> times_s, std::span<const double> heights_m,
                                 double figure_m);

/// How long a flight with the same take-off and the same gravity takes to come down `rise_m` higher
/// than it did: the later root of v T - g T^2 / 2 = h. Nothing where it never gets so high.
std::optional<double> flightTime(const Flight& flight, double rise_m);

}  // namespace clipmill::stretch
