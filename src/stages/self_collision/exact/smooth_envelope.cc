// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/smooth_envelope.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/math.h"
#include "core/portable_math.h"
#include "core/to_size.h"

namespace clipmill::stages::self_collision {
namespace {

using Index = std::ptrdiff_t;

// Relative shortfall that scaling the whole curve makes up for.
constexpr double kShortfall = 0.004;
constexpr int kMaxEnvelopeRounds = 400;
// The first rounds meet what is required for long, at its own height; what then falls short are
// flanks and peaks, narrower than a bump, which take more than they lack.
constexpr int kWideRounds = 2;
constexpr double kNarrowGain = 3.0;

// cos^4 at equal steps, sum 1; the middle one is at `radius`.
std::vector<double> bumpOf(Index radius, double step_s, double ease_s) {
  std::vector<double> weights;
  double sum = 0.0;
  for (Index k = -radius; k <= radius; ++k) {
    const double phase = static_cast<double>(k) * step_s / ease_s;
    const double hann = 0.5 + 0.5 * portable::cos(kPi * phase);
    weights.push_back(hann * hann);
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

// The sum of bumps of given heights.
class BumpSum {
 public:
  BumpSum(Index count, Index radius, double step_s, double ease_s, bool is_cycle)
      : count_(count),
        radius_(radius),
        is_cycle_(is_cycle),
        bump_(bumpOf(radius, step_s, ease_s)),
        sum_(toSize(count), 0.0) {}

  void add(Index centre, double height) {
    for (Index k = -radius_; k <= radius_; ++k) {
      Index at = centre + k;
      if (is_cycle_) {
        at = ((at % count_) + count_) % count_;
      } else if (at < 0 || at >= count_) {
        continue;
      }
      sum_[toSize(at)] += height * bump_[toSize(k + radius_)];
    }
    if (is_cycle_) return;
    // Bumps of the same height continue beyond an end.
    if (centre == 0) addBeyond(height, [](Index away) { return away; });
    if (centre == count_ - 1) {
      addBeyond(height, [&](Index away) { return count_ - 1 - away; });
    }
  }

  const std::vector<double>& values() const { return sum_; }

 private:
  template <class IndexOf>
  void addBeyond(double height, IndexOf positionOf) {
    double tail = 0.0;
    for (Index away = radius_ - 1; away >= 0; --away) {
      tail += bump_[toSize(radius_ + away + 1)];
      if (away < count_) sum_[toSize(positionOf(away))] += height * tail;
    }
  }

  Index count_, radius_;
  bool is_cycle_;
  std::vector<double> bump_;
  std::vector<double> sum_;
};

}  // namespace

std::vector<double> smoothEnvelope(std::span<const double> required, double step_s, double ease_s,
                                   bool is_cycle) {
  std::vector<double> envelope(required.begin(), required.end());
  const bool is_round = is_cycle && required.size() > 1;
  if (required.empty() || !(step_s > 0.0) || !(ease_s > step_s)) return envelope;
  if (is_round) required = required.subspan(1);  // the same as the last
  const Index count = static_cast<Index>(required.size());
  const Index radius = std::min(static_cast<Index>(ease_s / step_s), count);
  BumpSum bumps(count, radius, step_s, ease_s, is_round);
  double raise = 1.0;
  for (int round = 0; round < kMaxEnvelopeRounds; ++round) {
    raise = 1.0;
    std::vector<double> missing(required.size(), 0.0);
    for (std::size_t i = 0; i < required.size(); ++i) {
      missing[i] = required[i] - bumps.values()[i];
      if (missing[i] > 0.0) {
        raise = std::max(raise, round > 0 ? required[i] / bumps.values()[i] : 2.0);
      }
    }
    if (raise <= 1.0 + kShortfall) break;
    for (Index i = 0; i < count; ++i) {
      const double height = missing[toSize(i)];
      if (height > 0.0) bumps.add(i, round < kWideRounds ? height : kNarrowGain * height);
    }
  }
  std::vector<double> raised;
  for (std::size_t i = 0; i < required.size(); ++i) {
    raised.push_back(std::max(raise * bumps.values()[i], required[i]));  // rounding
  }
  if (is_round) raised.insert(raised.begin(), raised.back());
  return raised;
}

}  // namespace clipmill::stages::self_collision
