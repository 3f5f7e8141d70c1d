// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact_search.h"

#include <algorithm>

namespace clipmill::collision {
namespace {

constexpr double kFirstShare = 1.0 / 16.0;
constexpr double kLeastGrowth = 1.3, kMostGrowth = 2.5;  // of the step from the least amount
constexpr int kMostSteps = 12, kMostHalvings = 10;

struct Tried {
  double amount, room_m;
};

// Where the line through both reaches 0, but for sure somewhat farther on.
double nextStep(const Tried& start, const Tried& now, const SearchRange& range) {
  const double gone = now.amount - start.amount;
  const double slope = (now.room_m - start.room_m) / gone;
  const double wanted = slope > 0.0 ? gone - kLeastGrowth * now.room_m / slope : kMostGrowth * gone;
  return range.least + std::clamp(wanted, kLeastGrowth * gone, kMostGrowth * gone);
}

}  // namespace

FreeAmount leastFree(const std::function<double(double)>& room_m, const SearchRange& range) {
  const Tried start{range.least, range.least_room_m ? *range.least_room_m : room_m(range.least)};
  FreeAmount best{start.amount, start.room_m, start.room_m >= 0.0};
  if (best.is_free || !(range.most > range.least)) return best;
  const bool knows = range.guess > range.least + range.precision && range.guess <= range.most;
  Tried low = start;
  Tried high{knows ? range.guess : range.least + kFirstShare * (range.most - range.least), 0.0};
  for (int step = 0; step < kMostSteps; ++step) {
    high.room_m = room_m(high.amount);
    if (high.room_m > best.room_m) best = {high.amount, high.room_m, high.room_m >= 0.0};
    if (high.room_m >= 0.0) break;
    if (high.amount >= range.most) return best;
    const double next = std::min(range.most, nextStep(start, high, range));
    low = high;
    high.amount = next;
  }
  if (!(high.room_m >= 0.0)) return best;
  for (int i = 0; i < kMostHalvings && high.amount - low.amount > range.precision &&
                  !(high.room_m <= range.slack_m);
       ++i) {
    const double span = high.amount - low.amount, rise = high.room_m - low.room_m;
    const double share = i % 2 == 0 && rise > 0.0 ? -low.room_m / rise : 0.5;
    // Not so near to an end that the bracket hardly shrinks.
    const Tried middle_at{low.amount + std::clamp(share, 0.1, 0.9) * span, 0.0};
    const Tried middle{middle_at.amount, room_m(middle_at.amount)};
    (middle.room_m >= 0.0 ? high : low) = middle;
  }
  return {high.amount, high.room_m, true};
}

}  // namespace clipmill::collision
