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
  std::uint64_t cost = 0;  ///< What the shards are balanced by: its size in bytes.
  std::size_t shard = 1;   ///< Who does it, from 1.
};

/// A batch cut into shards, one for each machine or task. All that decides over results is in it.
struct Plan {
  std::string version;      ///< kProgramVersion of the program that made it.
  std::string config_hash;  ///< Of recipe, settings, clips and algorithms.
  std::size_t shards = 1;
  std::filesystem::path root;      ///< Inputs lie below it; also the folder that shards run in.
  std::filesystem::path out_dir;   ///< Seen from the root.
  std::vector<std::string> clips;  ///< As BatchOptions::clips.
  std::vector<std::string> assignments;  ///< For setInRecipe.
  std::string recipe;                    ///< The text of the recipe.
  std::vector<PlannedJob> jobs;          ///< By name.
};

inline constexpr std::size_t kMostShards = 100'000;

/// The recipe of the plan with its assignments. Error: kRecipe.
Result<Recipe> readRecipe(const Plan& plan);

/// The same, where this program does with it what the one that made the plan would. Errors:
/// kRecipe, kUnsupported.
Result<Recipe> recipeOf(const Plan& plan);

/// XXH3-128 of what results depend on besides files: version, algorithms, recipe, chosen clips.
std::string configHash(const Recipe& recipe, const std::vector<std::string>& clips);

/// XXH3-128 of the plan but for its root, which may be elsewhere on another machine.
std::string planHash(const Plan& plan);

/// The jobs of one shard as runBatch() takes them, seen from the root.
std::vector<BatchJob> jobsOfShard(const Plan& plan, std::size_t shard);

/// Writes plan.json, manifest.jsonl (a line a file) and recipe.toml into `folder`, which is made
/// where it is not there: the same bytes for the same plan. plan.json is the last. Errors: kWrite,
/// kUnsupported for names that are not UTF-8.
Status savePlan(const Plan& plan, const std::filesystem::path& folder);

/// Reads what savePlan() wrote. Errors: those of readFile, kMalformed where the files are damaged
/// or do not belong together, kUnsupported for a plan of a later program.
Result<Plan> loadPlan(const std::filesystem::path& folder);

}  // namespace clipmill::batch
