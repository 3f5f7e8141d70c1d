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

/// The same for a batch without a plan, and for the files that it writes beside (`side_files`:
/// reports, dependency rules). Files of processes that run on this machine stay: another batch may
/// write into the same folder. Temporary files of outputs that are none of this batch, e.g. because
/// their input is gone, are removed once nobody wrote to them for an hour: a process on another
/// machine may be writing younger ones.
std::size_t removeLeftovers(std::span<const BatchJob> jobs, const std::filesystem::path& out_dir,
                            std::span<const std::filesystem::path> side_files = {});

}  // namespace clipmill::batch
