// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/chains/stepwise_spring.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "core/portable_math.h"

namespace clipmill::stages::dynamic_bones {
namespace {

constexpr double kMaxShare = 1.0 - 1e-4;

// Below this, drag has no effect, and its logarithm has no exact digits.
constexpr double kNoDrag = 1e-9;

// log(1 - x); the series, cut off after x^7, keeps the digits that 1 - x loses.
double logOfOneMinus(double x) {
  constexpr double kSeries = 1e-2;
  if (x > kSeries) return portable::log(1.0 - x);
  double sum = 0.0;
  for (int n = 7; n >= 1; --n) sum = x * (sum + 1.0 / n);
  return -sum;
}

// z^2 - A z + P = 0 with A = (1-e)(2-r) and P = (1-e)(1-r). With z = exp(s/rate), w^2 = s1 s2.
double angularFrequencySquare(double drag, double relaxation, double rate_hz) {
  const double kept = 1.0 - relaxation;
  const double half_sum = 0.5 * kept * (2.0 - drag);
  // A^2/4 - P, written so that nothing cancels.
  const double discriminant =
      0.25 * kept * (drag * drag - relaxation * (2.0 - drag) * (2.0 - drag));
  const double root = std::sqrt(std::abs(discriminant));
  if (discriminant < 0.0) {
    const double angle = portable::atan2(root, half_sum);
    const double decay = 0.5 * portable::log(kept * (1.0 - drag));
    return rate_hz * rate_hz * (angle * angle + decay * decay);
  }
  // The larger one is near 1 where the pull is weak: (1-z1)(1-z2) = e gives it without
  // cancellation.
  const double small = half_sum - root;
  return rate_hz * rate_hz * portable::log(small) * logOfOneMinus(relaxation / (1.0 - small));
}

}  // namespace

EquivalentSpring equivalentSpring(const StepwiseSpring& spring) {
  const double drag = std::clamp(spring.drag, 0.0, kMaxShare);
  const double relaxation = std::clamp(spring.relaxation, 0.0, kMaxShare);
  const double rate_hz = spring.rate_hz;
  EquivalentSpring result;
  const double drag_per_s = -rate_hz * portable::log(1.0 - drag);
  if (relaxation == 0.0) {
    // Terminal speed: push * rate / drag. Without drag, a push a step is push * rate^2.
    result.air_drag_per_s = drag_per_s;
    result.acceleration_mps2 = drag > kNoDrag ? drag_per_s * rate_hz / drag : rate_hz * rate_hz;
    return result;
  }
  const double square = angularFrequencySquare(drag, relaxation, rate_hz);
  const double omega = std::sqrt(square);
  // Both are in equilibrium where pull and push are equal.
  result.acceleration_mps2 = square * (1.0 - relaxation) / relaxation;
  // Both have the same lag behind a target in steady motion: drag is a push against the motion.
  result.air_drag_per_s = result.acceleration_mps2 * drag / rate_hz;
  const double damping_per_s = drag_per_s - rate_hz * portable::log(1.0 - relaxation);
  result.frequency_hz = omega / (2.0 * kPi);
  result.damping_ratio = std::max(damping_per_s - result.air_drag_per_s, 0.0) / (2.0 * omega);
  return result;
}

}  // namespace clipmill::stages::dynamic_bones
