// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

namespace clipmill::retarget {

/// The curve that is near to `values` where `weights` are large, and straight where they are 0:
/// it minimises the sum of w (x - v)^2 + stiffness (second difference of x)^2 + tension (first
/// difference of x)^2 (Whittaker, On a New Method of Graduation, 1923, with a term of first order).
/// As many weights as values; one of them above 0.
std::vector<double> graduated(std::span<const double> values, std::span<const double> weights,
                              double stiffness, double tension);

}  // namespace clipmill::retarget
