// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

namespace clipmill::collision {

/// A smooth curve that is nowhere below `required` (values of 0 or more at equal steps of time):
/// the largest requirement within `ease_s` of each sample, then averaged with a Hann window of that
/// half width. Every average is one of maxima over spans that hold its own sample, so it cannot
/// fall below what is required there. The curve is exactly 0 farther than 2 ease_s from every
/// requirement, and constant where they are. Beyond the ends it goes on as at the ends; in a cycle,
/// whose last sample is its first, as on the other side.
std::vector<double> smoothEnvelope(std::span<const double> required, double step_s, double ease_s,
                                   bool is_cycle);

}  // namespace clipmill::collision
