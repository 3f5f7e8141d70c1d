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
#include "core/limits.h"
#include "core/result.h"

namespace clipmill::batch {

struct ShardOptions {
  int jobs = 1;  ///< Files in parallel; 0 for one for each core.
  io::Limits limits;
  BesideOutputs beside = {};                ///< As BatchOptions::beside.
  std::optional<Isolation> isolation = {};  ///< As BatchOptions::isolation.
  std::filesystem::path report;             ///< Where the report is written.
  /// As BatchOptions::progress. May be empty.
  std::function<void(const JobResult& result, std::size_t done, std::size_t total)> progress = {};
};

/// The number before the slash of "7/64". Error: kUsage where it is not k/n with the plan's own
/// number of shards for n and 1 <= k <= n: a scheduler that repeats failed tasks may pass another
/// n.
Result<std::size_t> parseShard(std::string_view text, const Plan& plan);

/// The default path of a shard report of a plan in `folder`.
std::filesystem::path shardReportPath(const std::filesystem::path& folder, std::size_t shard,
                                      std::size_t shards);

/// Runs one shard of a plan, with its root as the current folder, and writes its report, completely
/// or not at all. Unchanged files are not processed again, so that a killed shard continues with
/// the next run. A journal beside the report has a line for every file that is started and ended.
/// Results are in the order of the plan's jobs; after a signal, some are skipped, and there is no
/// report. Errors: those of recipeOf(), kWrite.
Result<std::vector<JobResult>> runShard(const Plan& plan, std::size_t shard,
                                        const ShardOptions& options);

}  // namespace clipmill::batch
