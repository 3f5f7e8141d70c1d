// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace clipmill {

/// The four cubics of Hermite at a fraction of a span (glTF 2.0, appendix C.5). They multiply the
/// values at both ends, and the slopes there times the length of the span.
struct Hermite {
  explicit Hermite(double f)
      : from((1.0 + 2.0 * f) * (1.0 - f) * (1.0 - f)),
        to(f * f * (3.0 - 2.0 * f)),
        out(f * (1.0 - f) * (1.0 - f)),
        in(f * f * (f - 1.0)) {}
  double from, to, out, in;
};

/// The slopes at both ends of a span that come nearest to values inside it: least squares, each
/// number of a value by itself.
class SlopeFit {
 public:
  /// The values at the ends, which must outlive the fit, and the length of the span in seconds.
  SlopeFit(std::span<const double> from, std::span<const double> to, double length_s);

  /// A value at a fraction between 0 and 1 of the span.
  void add(double fraction, const double* value);

  /// False where the values do not determine the slopes: at fewer than two fractions.
  bool isDetermined() const { return determinant() > 0.0; }
  /// The slopes of one number, a second, rounded to float.
  double outOf(std::size_t number) const;
  double inOf(std::size_t number) const;

 private:
  double determinant() const { return aa_ * bb_ - ab_ * ab_; }

  std::span<const double> from_, to_;
  double length_s_;
  double aa_ = 0.0, ab_ = 0.0, bb_ = 0.0;
  std::vector<double> ra_, rb_;
};

}  // namespace clipmill
