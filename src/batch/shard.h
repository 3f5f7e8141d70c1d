// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/batch.h"
#include "batch/manifest.h"
#include "core/result.h"
#include "io/limits.h"

namespace clipmill::batch {

struct ShardOptions {
  int jobs = 1;  ///< Files at a time; 0 for one a core.
  io::Limits limits;
  BesideOutputs beside = {};                ///< As BatchOptions::beside.
  std::optional<Isolation> isolation = {};  ///< As BatchOptions::isolation.
  std::filesystem::path report;             ///< Where the report is written.
  /// As BatchOptions::progress. May be empty.
  std::function<void(const JobResult& result, std::size_t done, std::size_t total)> progress = {};
};

/// The number before the slash of "7/64". Error: kUsage where it is not k/n with the plan's own
/// number of shards for n and 1 <= k <= n: who starts a shard is not believed about how many there
/// are, as schedulers count what they were asked to run again only.
Result<std::size_t> parseShard(std::string_view text, const Plan& plan);

/// Where reports of a plan in `folder` lie unless another place is named.
std::filesystem::path shardReportPath(const std::filesystem::path& folder, std::size_t shard,
                                      std::size_t shards);

/// Runs one shard of a plan, with its root as the current folder, and writes its report, whole or
/// not at all. What records know is not done again, so that a shard that was killed goes on where
/// it was. A journal beside the report has a line for every file that is begun and ended. Results
/// are in the order of the plan's jobs; where a signal came, some are skipped, and there is no
/// report. Errors: those of recipeOf(), kWrite.
Result<std::vector<JobResult>> runShard(const Plan& plan, std::size_t shard,
                                        const ShardOptions& options);

}  // namespace clipmill::batch
