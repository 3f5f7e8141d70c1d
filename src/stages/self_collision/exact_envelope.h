// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

namespace clipmill::collision {

/// A smooth curve that is nowhere below `required` (values of 0 or more at equal steps of time) and
/// not much above it: a sum of bumps cos^4(pi t / (2 ease_s)), which have three derivatives without
/// a jump, each centred where something is required. Bumps are raised where the sum still falls
/// short until it nowhere does by more than a few thousandths, and then all of them by that much.
/// The curve is exactly 0 where the next requirement is ease_s away or more, and constant where the
/// requirement is for long enough. Beyond the ends it goes on as at the ends; in a cycle, whose
/// last sample is its first, as on the other side.
std::vector<double> smoothEnvelope(std::span<const double> required, double step_s, double ease_s,
                                   bool is_cycle);

}  // namespace clipmill::collision
