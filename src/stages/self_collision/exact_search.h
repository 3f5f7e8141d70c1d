// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>

namespace clipmill::collision {

/// Between which amounts of a change to look, and how finely.
struct SearchRange {
  double least = 0.0;       ///< Not free, or not known to be.
  double most = 1.0;        ///< Larger changes are not tried.
  double guess = 0.0;       ///< Where to look first; outside of the range: its sixteenth.
  double precision = 0.01;  ///< How much more than the least free amount will do.
  double slack_m = 0.0;     ///< Free with no more room than this will do too.
  std::optional<double> least_room_m = std::nullopt;  ///< At `least`, where it is known.
};

struct FreeAmount {
  double amount = 0.0;  ///< The least free one; where none is, that of the largest room.
  double room_m = 0.0;  ///< What was found there.
  bool is_free = false;
};

/// The least amount of a change at which `room_m(amount)` is 0 or more: from the guess in growing
/// steps until free, then by regula falsi and bisection down to the precision. Room that rises with
/// the amount is found exactly; of several free stretches the first that a step meets.
FreeAmount leastFree(const std::function<double(double)>& room_m, const SearchRange& range);

}  // namespace clipmill::collision
