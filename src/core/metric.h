// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

namespace clipmill {

/// One measured number of a report; `before` the value of the clip before the stage. No value:
/// there was nothing to measure, as in a foot skate without contacts.
struct Metric {
  std::string name;  ///< snake_case with its unit, e.g. "max_penetration_mm".
  std::optional<double> before;
  std::optional<double> after;
};

}  // namespace clipmill
