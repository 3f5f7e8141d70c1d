// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "batch/manifest.h"

namespace clipmill::batch {

/// Removes the temporary files that a killed process left beside the outputs and records of one
/// shard. What another shard may be writing at this moment stays. Returns how many there were.
std::size_t removeLeftovers(const Plan& plan, std::size_t shard);

}  // namespace clipmill::batch
