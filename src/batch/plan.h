// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "batch/jobs.h"
#include "batch/manifest.h"
#include "core/result.h"

namespace clipmill::batch {

struct PlanOptions {
  std::size_t shards = 1;
  std::filesystem::path root = ".";      ///< All inputs must be below it.
  std::filesystem::path out_dir;         ///< As given to planJobs().
  std::vector<std::string> clips;        ///< As BatchOptions::clips.
  std::vector<std::string> assignments;  ///< For setInRecipe.
};

/// The shard, from 1, of each of these costs: the longest first, each to the shard that has least
/// to do so far (Graham 1969, "Bounds on multiprocessing timing anomalies": the longest shard takes
/// at most 4/3 of the shortest possible time).
std::vector<std::size_t> assignShards(std::span<const std::uint64_t> costs, std::size_t shards);

/// Splits jobs into shards of similar cost. `recipe` is the recipe's text. Errors: those of
/// recipeOf(), kUsage for an input outside of the root, kNotFound for a missing one.
Result<Plan> makePlan(std::span<const BatchJob> jobs, const std::string& recipe,
                      const PlanOptions& options);

}  // namespace clipmill::batch
