// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact_envelope.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/math.h"
#include "core/portable_math.h"

namespace clipmill::collision {
namespace {

using Index = std::ptrdiff_t;

// Reads a list of values beyond its ends.
class Extended {
 public:
  Extended(std::span<const double> values, bool is_cycle)
      : values_(values), size_(static_cast<Index>(values.size())), is_cycle_(is_cycle) {}

  double operator[](Index i) const {
    if (is_cycle_ && size_ > 1) {
      const Index period = size_ - 1;
      i = ((i % period) + period) % period;
    }
    return values_[static_cast<std::size_t>(std::clamp<Index>(i, 0, size_ - 1))];
  }

 private:
  std::span<const double> values_;
  Index size_;
  bool is_cycle_;
};

std::vector<double> hannWeights(Index radius, double step_s, double ease_s) {
  std::vector<double> weights;
  double sum = 0.0;
  for (Index k = -radius; k <= radius; ++k) {
    const double phase = static_cast<double>(k) * step_s / ease_s;
    weights.push_back(0.5 + 0.5 * portable::cos(kPi * phase));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

}  // namespace

std::vector<double> smoothEnvelope(std::span<const double> required, double step_s, double ease_s,
                                   bool is_cycle) {
  std::vector<double> envelope(required.begin(), required.end());
  if (required.empty() || !(step_s > 0.0) || !(ease_s > step_s)) return envelope;
  const Index count = static_cast<Index>(required.size());
  const Index radius = std::min(static_cast<Index>(ease_s / step_s), count);
  const Extended source(required, is_cycle);
  std::vector<double> widest(required.size(), 0.0);
  for (Index i = 0; i < count; ++i) {
    double& most = widest[static_cast<std::size_t>(i)];
    for (Index k = -radius; k <= radius; ++k) most = std::max(most, source[i + k]);
  }
  const std::vector<double> weights = hannWeights(radius, step_s, ease_s);
  const Extended dilated(widest, is_cycle);
  for (Index i = 0; i < count; ++i) {
    double sum = 0.0;
    for (Index k = -radius; k <= radius; ++k) {
      sum += weights[static_cast<std::size_t>(k + radius)] * dilated[i + k];
    }
    // Rounding must not undercut what the averages cannot.
    envelope[static_cast<std::size_t>(i)] = std::max(sum, source[i]);
  }
  return envelope;
}

}  // namespace clipmill::collision
