// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "batch/jobs.h"
#include "core/result.h"
#include "pipeline/recipe.h"

namespace clipmill::batch {

/// A file of a plan.
struct PlannedJob {
  std::string name;        ///< As BatchJob::name.
  std::string input;       ///< Below the root of the plan, with '/'.
  std::string relative;    ///< As BatchJob::relative.
  std::uint64_t cost = 0;  ///< Shards are balanced by it: the size in bytes.
  std::size_t shard = 1;   ///< Its shard, from 1.
};

/// A batch cut into shards, one for each machine or task. It has everything that results depend on,
/// except the files.
struct Plan {
  std::string version;      ///< kProgramVersion of the program that made it.
  std::string config_hash;  ///< Of recipe, settings, clips and algorithms.
  std::size_t shards = 1;
  std::filesystem::path root;            ///< Inputs are below it; the working folder of shards.
  std::filesystem::path out_dir;         ///< Relative to the root.
  std::vector<std::string> clips;        ///< As BatchOptions::clips.
  std::vector<std::string> assignments;  ///< For setInRecipe.
  std::string recipe;                    ///< The text of the recipe.
  std::vector<PlannedJob> jobs;          ///< By name.
};

inline constexpr std::size_t kMaxShards = 100'000;

/// The recipe of the plan with its assignments. Error: kRecipe.
Result<pipeline::Recipe> readRecipe(const Plan& plan);

/// The same, if this program gives the same results as the one that made the plan. Errors:
/// kRecipe, kUnsupported.
Result<pipeline::Recipe> recipeOf(const Plan& plan);

/// XXH3-128 of what results depend on, except files: version, algorithms, recipe, chosen clips.
std::string configHash(const pipeline::Recipe& recipe, const std::vector<std::string>& clips);

/// XXH3-128 of the plan but for its root, which may have another path on another machine.
std::string planHash(const Plan& plan);

/// The jobs of one shard for runBatch(), with paths relative to the root.
std::vector<BatchJob> jobsOfShard(const Plan& plan, std::size_t shard);

/// Writes plan.json, manifest.jsonl (a line a file) and recipe.toml into `folder`, which is
/// created if needed: the same bytes for the same plan. plan.json is the last. Errors: kWrite,
/// kUnsupported for names that are not UTF-8.
Status savePlan(const Plan& plan, const std::filesystem::path& folder);

/// Reads what savePlan() wrote. Errors: those of readFile, kMalformed if the files are damaged
/// or inconsistent, kUnsupported for a plan of a later program.
Result<Plan> loadPlan(const std::filesystem::path& folder);

}  // namespace clipmill::batch
