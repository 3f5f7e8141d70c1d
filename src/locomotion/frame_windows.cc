// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/frame_windows.h"

#include <algorithm>
#include <cmath>

#include "core/cancel.h"
#include "core/math.h"
#include "core/portable_math.h"
#include "core/to_size.h"

namespace clipmill::locomotion {
namespace {

// Half of the window and its centre; the other half is the same.
std::vector<double> raisedCosine(std::size_t radius) {
  std::vector<double> weights;
  double sum = 0.0;
  for (std::size_t k = 0; k <= radius; ++k) {
    const double phase = static_cast<double>(k) / static_cast<double>(radius + 1);
    weights.push_back(1.0 + portable::cos(kPi * phase));
    sum += (k == 0 ? 1.0 : 2.0) * weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

}  // namespace

std::size_t framesIn(double time_s, double fps) {
  return toSize(std::max(1.0, std::round(time_s * fps)));
}

std::vector<double> raisedCosineMean(std::span<const double> values, std::size_t radius,
                                     bool is_cycle) {
  const auto last = static_cast<std::ptrdiff_t>(values.size()) - 1;
  const auto valueAt = [&](std::ptrdiff_t i) {
    if (is_cycle && last > 0) return values[toSize(((i % last) + last) % last)];
    return values[toSize(std::clamp(i, std::ptrdiff_t{0}, last))];
  };
  const std::vector<double> weights = raisedCosine(radius);
  std::vector<double> means(values.size(), 0.0);
  for (std::ptrdiff_t i = 0; i <= last; ++i) {
    pollCancel();
    double mean = weights[0] * valueAt(i);
    for (std::ptrdiff_t k = 1; k <= static_cast<std::ptrdiff_t>(radius); ++k) {
      mean += weights[toSize(k)] * (valueAt(i - k) + valueAt(i + k));
    }
    means[toSize(i)] = mean;
  }
  return means;
}

}  // namespace clipmill::locomotion
