// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "stages/self_collision/exact/clip_context.h"

namespace clipmill::stages::self_collision {

/// The amounts of a change among which leastFreeAmount() searches, and its precision.
struct SearchRange {
  double min = 0.0;         ///< Not free, or not known to be free.
  double max = 1.0;         ///< Larger changes are not tried.
  double guess = 0.0;       ///< First amount to try; outside of the range: 1/16 of the range.
  double precision = 0.01;  ///< Accepted excess over the least free amount.
  double slack_m = 0.0;     ///< A free amount with no more margin than this is accepted too.
  std::optional<double> min_margin_m = std::nullopt;  ///< Margin at `min`, if it is known.
};

struct FoundAmount {
  double amount = 0.0;    ///< The least free amount; the one with the largest margin if none is.
  double margin_m = 0.0;  ///< At that amount.
  bool is_free = false;
};

/// The least amount of a change for which `margin_m(amount)` is 0 or more: in growing steps from
/// the guess until free, then by regula falsi and bisection down to the precision. Exact where the
/// margin grows with the amount; where several ranges are free, the result is in the first that a
/// step enters.
FoundAmount leastFreeAmount(const std::function<double(double)>& margin_m,
                            const SearchRange& range);

/// Searches the amount of a mode that resolves a group at a sample of a clip.
class AmountSearch {
 public:
  explicit AmountSearch(ClipContext& clip) : clip_(clip) {}

  /// The least amount at which all pairs of the group are at their target depth or above and no
  /// other pair of the limbs is above its allowed depth. The trial of the clip holds the sample, in
  /// which the mode has the amount `present`; on return it has the amount found. `expects_free`: an
  /// amount that resolves the group most likely exists, so that the search may be faster.
  FoundAmount find(const PairGroup& group, const CorrectionMode& mode, std::size_t sample,
                   double present, const SearchRange& range, bool expects_free);

  /// Least margin of the group's pairs at a sample in the last update() of the clip, metres.
  double measuredMargin_m(const PairGroup& group, std::size_t sample) const;

  /// SearchRange::slack_m of all searches.
  double slack_m() const;

 private:
  struct PairLimit {
    std::size_t pair = 0;
    double max_depth_m = 0.0;
    bool is_bystander = false;  // not of the group
  };
  std::vector<PairLimit> limitsAt(const PairGroup& group, const CorrectionMode& mode,
                                  std::size_t sample) const;
  double margin_m(std::span<const PairLimit> limits, bool stops_at_first) const;

  ClipContext& clip_;
};

}  // namespace clipmill::stages::self_collision
