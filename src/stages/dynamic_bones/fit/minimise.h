// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace clipmill::stages::dynamic_bones {

/// A point of the unit cube and the function there.
struct Minimum {
  std::vector<double> point;
  double value = 0.0;
  std::size_t evaluations = 0;
};

/// A local minimum of `function` over the unit cube [0, 1]^dimensions, without derivatives: the
/// best of a fixed set of spread points (Halton 1960), then the simplex method of Nelder and Mead
/// (1965) from the best eight, started anew from the best result until it no longer improves.
/// Points outside of the cube are moved to its surface. The same result in every run.
Minimum minimise(std::size_t dimensions,
                 const std::function<double(const std::vector<double>&)>& function);

}  // namespace clipmill::stages::dynamic_bones
