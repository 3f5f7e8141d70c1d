// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "batch/batch.h"
#include "batch/manifest.h"
#include "core/result.h"

namespace clipmill::batch {

/// The report of a shard: which shard of which plan it is, and batchReportJson() of its results.
std::string shardReportJson(const Plan& plan, std::size_t shard,
                            std::span<const JobResult> results);

struct MergedReport {
  std::string json;  ///< As batchReportJson() without its member "run": the same for the same
                     ///< inputs, in however many shards and attempts they were done.
  std::string json_with_run;       ///< The same with "run", of the shards' last attempts together.
  std::vector<JobResult> results;  ///< By name, with what is the same too.
};

/// Merges the reports of all shards. Errors: those of readFile; kNotFound if shards have no
/// report; kMalformed if a shard has two, or a report is damaged or has other files than its
/// shard; kUnsupported if one is of another version, configuration or plan.
Result<MergedReport> mergeReports(const Plan& plan, std::span<const std::filesystem::path> reports);

}  // namespace clipmill::batch
