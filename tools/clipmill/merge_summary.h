// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "pipeline/report.h"

namespace clipmill::cli {

/// The report of a merge for people: that of a run, without a note for each file, and the foot
/// skate and self-penetration of all clips together and of the worst one.
std::string mergeSummary(const pipeline::RunReport& report);

}  // namespace clipmill::cli
