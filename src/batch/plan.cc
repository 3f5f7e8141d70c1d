// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/plan.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>
#include <utility>

#include "pipeline/report.h"

namespace clipmill::batch {
namespace {

namespace fs = std::filesystem;

// As the user spells them: links in the folders of a project stay links.
fs::path spelled(const fs::path& path) {
  std::error_code fault;
  const fs::path whole = fs::absolute(path, fault).lexically_normal();
  // "root/" is "root".
  return whole.has_filename() ? whole : whole.parent_path();
}

std::optional<fs::path> below(const fs::path& path, const fs::path& root) {
  const fs::path relative = spelled(path).lexically_relative(root);
  if (relative.empty() || *relative.begin() == "..") return std::nullopt;
  return relative;
}

Result<PlannedJob> planned(const BatchJob& job, const fs::path& root) {
  const auto input = below(job.input, root);
  if (!input) {
    return Error{ErrorCode::kUsage, job.input.string(), "is outside of the root " + root.string(),
                 "set --root to a folder that contains all inputs"};
  }
  std::error_code fault;
  const std::uint64_t bytes = fs::file_size(job.input, fault);
  if (fault) return Error{ErrorCode::kNotFound, job.input.string(), "no such file", ""};
  return PlannedJob{job.name, input->generic_string(), job.relative, bytes, 1};
}

}  // namespace

std::vector<std::size_t> assignShards(std::span<const std::uint64_t> costs, std::size_t shards) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return costs[a] > costs[b]; });
  using Load = std::pair<std::uint64_t, std::size_t>;  // cost so far, shard
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (std::size_t shard = 1; shard <= shards; ++shard) loads.push({0, shard});
  std::vector<std::size_t> shard_of(costs.size());
  for (std::size_t i : order) {
    const auto [load, shard] = loads.top();
    loads.pop();
    shard_of[i] = shard;
    // Even an empty file has a cost.
    loads.push({load + std::max<std::uint64_t>(costs[i], 1), shard});
  }
  return shard_of;
}

Result<Plan> makePlan(std::span<const BatchJob> jobs, const std::string& recipe,
                      const PlanOptions& options) {
  Plan plan;
  plan.version = pipeline::kProgramVersion;
  plan.shards = options.shards;
  plan.root = spelled(options.root);
  const fs::path out_dir = spelled(options.out_dir);
  plan.out_dir = below(out_dir, plan.root).value_or(out_dir);
  plan.clips = options.clips;
  plan.assignments = options.assignments;
  plan.recipe = recipe;
  CLIPMILL_TRY(const pipeline::Recipe read, readRecipe(plan));
  plan.config_hash = configHash(read, plan.clips);
  std::vector<std::uint64_t> costs;
  for (const BatchJob& job : jobs) {
    CLIPMILL_TRY(PlannedJob line, planned(job, plan.root));
    costs.push_back(line.cost);
    plan.jobs.push_back(std::move(line));
  }
  const std::vector<std::size_t> shard_of = assignShards(costs, plan.shards);
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) plan.jobs[i].shard = shard_of[i];
  return plan;
}

}  // namespace clipmill::batch
