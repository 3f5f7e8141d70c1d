// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "pipeline/report.h"

namespace clipmill::batch {

/// Parts that the shape of a series has at most.
inline constexpr std::size_t kShapeParts = 48;

/// The clips of one run in the report of a batch, as JSON: {"clips": [{clip, output (the
/// name of its file), fps, frames, keys{tracks, before, after, worst_error_mm}, stages[{type,
/// metrics{before, after}, series[{name, low, high, levels}]}], warnings[]}], "warnings": [of the
/// file as a whole]}; warnings are {code, text, count, first}.
///
/// There is one series for each name, in at most kShapeParts parts of equal numbers of frames. A
/// part has the value of its frames, over all objects that were measured, that is farthest from the
/// median of all; "levels" has one hexadecimal digit a part, 0 for `low` and f for `high`.
std::string clipOutcomesJson(const pipeline::RunReport& report);

}  // namespace clipmill::batch
