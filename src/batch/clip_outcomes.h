// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "pipeline/report.h"

namespace clipmill::batch {

/// Parts that the shape of a series has at most.
inline constexpr std::size_t kShapeParts = 48;

/// What a report of a batch says of the clips of one run, as JSON: {"clips": [{clip, output (the
/// name of its file), fps, frames, keys{tracks, before, after, worst_error_mm}, stages[{type,
/// metrics{before, after}, series[{name, low, high, levels}]}], warnings[]}], "warnings": [of the
/// file as a whole]}; warnings are {code, text, count, first}.
///
/// A series is one a name, cut into at most kShapeParts parts of equal numbers of frames. Each part
/// stands for that value of its frames, on whatever it was measured, that is farthest from the
/// median of all; "levels" has a hexadecimal digit a part, 0 for `low` and f for `high`.
std::string clipOutcomesJson(const RunReport& report);

}  // namespace clipmill::batch
