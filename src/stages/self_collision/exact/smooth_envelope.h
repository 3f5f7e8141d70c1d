// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

namespace clipmill::stages::self_collision {

/// A smooth curve that is nowhere below `required` (values of 0 or more at equal time steps) and
/// close to it: a sum of bumps cos^4(pi t / (2 ease_s)), which have three continuous derivatives,
/// each centred at a sample with a requirement. Bumps grow where the sum is too low until it falls
/// short by a few thousandths at most; then all bumps are scaled up by that share. The curve is
/// exactly 0 where the next requirement is ease_s or more away, and constant where the requirement
/// is constant for long enough. Beyond an end of the clip the requirement continues with its value
/// at that end; in a cycle, whose last sample is its first, it wraps around.
std::vector<double> smoothEnvelope(std::span<const double> required, double step_s, double ease_s,
                                   bool is_cycle);

}  // namespace clipmill::stages::self_collision
