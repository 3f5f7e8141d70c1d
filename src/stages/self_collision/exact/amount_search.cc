// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/amount_search.h"

#include <algorithm>
#include <limits>

namespace clipmill::stages::self_collision {
namespace {

constexpr double kFirstShare = 1.0 / 16.0;
constexpr double kMinGrowth = 1.3, kMaxGrowth = 2.5;  // of the step from the least amount
constexpr int kMaxSteps = 12, kMaxBisections = 10;

// A limb that is free with a margin below this share of the tolerance has moved no farther than it
// has to.
constexpr double kSlackShare = 0.2;

struct Tried {
  double amount, margin_m;
};

// Where the line through both reaches 0, and somewhat beyond, so that it is likely free.
double nextStep(const Tried& start, const Tried& now, const SearchRange& range) {
  const double step = now.amount - start.amount;
  const double slope = (now.margin_m - start.margin_m) / step;
  const double wanted = slope > 0.0 ? step - kMinGrowth * now.margin_m / slope : kMaxGrowth * step;
  return range.min + std::clamp(wanted, kMinGrowth * step, kMaxGrowth * step);
}

}  // namespace

FoundAmount leastFreeAmount(const std::function<double(double)>& margin_m,
                            const SearchRange& range) {
  const Tried start{range.min, range.min_margin_m ? *range.min_margin_m : margin_m(range.min)};
  FoundAmount best{start.amount, start.margin_m, start.margin_m >= 0.0};
  if (best.is_free || !(range.max > range.min)) return best;
  const bool has_guess = range.guess > range.min + range.precision && range.guess <= range.max;
  Tried low = start;
  Tried high{has_guess ? range.guess : range.min + kFirstShare * (range.max - range.min), 0.0};
  for (int step = 0; step < kMaxSteps; ++step) {
    high.margin_m = margin_m(high.amount);
    if (high.margin_m > best.margin_m) best = {high.amount, high.margin_m, high.margin_m >= 0.0};
    if (high.margin_m >= 0.0) break;
    if (high.amount >= range.max) return best;
    const double next = std::min(range.max, nextStep(start, high, range));
    low = high;
    high.amount = next;
  }
  if (!(high.margin_m >= 0.0)) return best;
  for (int i = 0; i < kMaxBisections && high.amount - low.amount > range.precision &&
                  !(high.margin_m <= range.slack_m);
       ++i) {
    const double span = high.amount - low.amount, rise = high.margin_m - low.margin_m;
    const double share = i % 2 == 0 && rise > 0.0 ? -low.margin_m / rise : 0.5;
    // Not so near to an end that the bracket hardly shrinks.
    const Tried middle_at{low.amount + std::clamp(share, 0.1, 0.9) * span, 0.0};
    const Tried middle{middle_at.amount, margin_m(middle_at.amount)};
    (middle.margin_m >= 0.0 ? high : low) = middle;
  }
  return {high.amount, high.margin_m, true};
}

double AmountSearch::slack_m() const { return kSlackShare * clip_.source.tolerance_m; }

// The least margin of all pairs or, if `stops_at_first`, that of the first pair above its limit.
double AmountSearch::margin_m(std::span<const PairLimit> limits, bool stops_at_first) const {
  double margin = std::numeric_limits<double>::infinity();
  for (const PairLimit& limit : limits) {
    if (margin < 0.0 && (stops_at_first || limit.is_bystander)) break;
    margin = std::min(margin, limit.max_depth_m - clip_.trial.measure(limit.pair).depth_m);
  }
  return margin;
}

// The pairs of the group come first, by descending depth, since the one with the largest depth most
// likely is the last to be free.
std::vector<AmountSearch::PairLimit> AmountSearch::limitsAt(const PairGroup& group,
                                                            const CorrectionMode& mode,
                                                            std::size_t sample) const {
  std::vector<PairLimit> limits;
  for (const std::size_t pair : group.pairs) {
    limits.push_back({pair, clip_.source.targetDepth_m(sample, pair), false});
  }
  std::stable_sort(limits.begin(), limits.end(), [&](const PairLimit& a, const PairLimit& b) {
    return clip_.depths.at(sample, a.pair).depth_m > clip_.depths.at(sample, b.pair).depth_m;
  });
  for (const std::size_t pair : clip_.pairsOf(mode.limbs)) {
    if (std::find(group.pairs.begin(), group.pairs.end(), pair) != group.pairs.end()) continue;
    limits.push_back({pair, clip_.source.allowedDepth_m(sample, pair), true});
  }
  return limits;
}

FoundAmount AmountSearch::find(const PairGroup& group, const CorrectionMode& mode,
                               std::size_t sample, double present, const SearchRange& range,
                               bool expects_free) {
  std::vector<LimbChange> start;
  for (const std::size_t limb : mode.limbs) start.push_back(clip_.trial.changes()[limb]);
  std::vector<LimbChange> changes(start.size());
  const auto set = [&](double amount) {
    for (std::size_t i = 0; i < start.size(); ++i) {
      changes[i] = start[i];
      changes[i] += mode.units[i] * (amount - present);
    }
    clip_.trial.setChanges(mode.limbs, changes);
  };
  const std::vector<PairLimit> limits = limitsAt(group, mode, sample);
  const auto search = [&](bool stops_at_first) {
    return leastFreeAmount(
        [&](double amount) {
          set(amount);
          return margin_m(limits, stops_at_first);
        },
        range);
  };
  FoundAmount found = search(expects_free);
  if (expects_free && !found.is_free) found = search(false);  // now the exact margin matters
  set(found.amount);
  return found;
}

double AmountSearch::measuredMargin_m(const PairGroup& group, std::size_t sample) const {
  double margin = std::numeric_limits<double>::infinity();
  for (const std::size_t pair : group.pairs) {
    margin = std::min(
        margin, clip_.source.targetDepth_m(sample, pair) - clip_.depths.at(sample, pair).depth_m);
  }
  return margin;
}

}  // namespace clipmill::stages::self_collision
