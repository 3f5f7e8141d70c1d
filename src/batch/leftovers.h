// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>

#include "batch/jobs.h"
#include "batch/manifest.h"

namespace clipmill::batch {

/// Removes the temporary files that a killed process left beside the outputs and records of one
/// shard. What another shard may be writing at this moment stays. Returns how many there were.
std::size_t removeLeftovers(const Plan& plan, std::size_t shard);

/// The same for a batch without a plan. Files of processes that run on this machine stay: another
/// batch may write into the same folder.
std::size_t removeLeftovers(std::span<const BatchJob> jobs, const std::filesystem::path& out_dir);

}  // namespace clipmill::batch
