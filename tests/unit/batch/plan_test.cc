// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/plan.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "checks.h"
#include "core/file.h"
#include "temporary_folder.h"

using namespace clipmill;
using namespace clipmill::batch;

TEST_SUITE_BEGIN("batch.plan");

namespace {

constexpr const char* kRecipe = "[output]\nkeys = \"all\"\n";

std::vector<std::uint64_t> loadsOf(const std::vector<std::uint64_t>& costs, std::size_t shards) {
  const std::vector<std::size_t> shard_of = assignShards(costs, shards);
  REQUIRE(shard_of.size() == costs.size());
  std::vector<std::uint64_t> loads(shards, 0);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    REQUIRE(shard_of[i] >= 1);
    REQUIRE(shard_of[i] <= shards);
    loads[shard_of[i] - 1] += costs[i];
  }
  return loads;
}

// Files of 1, 2, .. bytes below "in", and their jobs.
struct Files : test::TemporaryFolder {
  explicit Files(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name = "walk/clip" + std::to_string(i) + ".glb";
      write("in/" + name, Bytes(i + 1));
      jobs.push_back({name, path() / "in" / name, path() / "out" / name, name});
    }
    options.shards = 2;
    options.root = path();
    options.out_dir = path() / "out";
  }
  std::vector<BatchJob> jobs;
  PlanOptions options;
};

}  // namespace

TEST_CASE("The largest files are assigned first, each to the shard with the least cost") {
  // 9 and 8 go apart, 7 to the 8, 6 to the 9, 5 to either of two of 15, 4 to the other.
  CHECK(assignShards(std::vector<std::uint64_t>{4, 5, 6, 7, 8, 9}, 2) ==
        std::vector<std::size_t>{2, 1, 1, 2, 2, 1});
  CHECK(assignShards({}, 3).empty());
  CHECK(assignShards(std::vector<std::uint64_t>{5, 5, 5}, 8) == std::vector<std::size_t>{1, 2, 3});
  // Files without cost are no reason to give all of them to one.
  CHECK(assignShards(std::vector<std::uint64_t>{0, 0, 0}, 3) == std::vector<std::size_t>{1, 2, 3});
}

TEST_CASE("No shard costs more than the mean and two thirds of the largest file") {
  std::vector<std::uint64_t> costs;
  std::uint64_t state = 12345;
  for (int i = 0; i < 1000; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    costs.push_back((state >> 33) % 100'000 + 1);
  }
  const std::uint64_t total = std::accumulate(costs.begin(), costs.end(), std::uint64_t{0});
  const std::uint64_t largest = *std::max_element(costs.begin(), costs.end());
  for (std::size_t shards : {1, 2, 7, 64, 500}) {
    CAPTURE(shards);
    const auto loads = loadsOf(costs, shards);
    CHECK(std::accumulate(loads.begin(), loads.end(), std::uint64_t{0}) == total);
    CHECK(*std::max_element(loads.begin(), loads.end()) <= total / shards + largest);
  }
}

TEST_CASE("Inputs are relative to the root, and an input outside of it is an error") {
  Files files(3);
  auto plan = makePlan(files.jobs, kRecipe, files.options);
  CHECK_OK(plan);
  CHECK(plan->root == files.path());
  CHECK(plan->out_dir == std::filesystem::path("out"));
  CHECK(plan->jobs[1].input == "in/walk/clip1.glb");
  CHECK(plan->jobs[1].relative == "walk/clip1.glb");
  CHECK(plan->jobs[1].cost == 2);
  files.options.root = files / "in";
  plan = makePlan(files.jobs, kRecipe, files.options);
  CHECK_OK(plan);
  CHECK(plan->jobs[1].input == "walk/clip1.glb");
  CHECK(plan->out_dir == files / "out");
  files.options.root = files / "in/walk/";
  CHECK_OK(makePlan(files.jobs, kRecipe, files.options));
  for (const char* root : {"in/wal", "out", "in/walk/clip1.glb"}) {
    files.options.root = files / root;
    const auto refused = makePlan(files.jobs, kRecipe, files.options);
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::kUsage);
  }
}

TEST_CASE("The configuration hash depends on values, not on their notation") {
  Files files(1);
  const auto hashOf = [&](const std::string& recipe) {
    const auto plan = makePlan(files.jobs, recipe, files.options);
    CHECK_OK(plan);
    return plan->config_hash;
  };
  const std::string hash = hashOf(kRecipe);
  CHECK(hashOf(std::string("# a comment\n") + kRecipe) == hash);
  CHECK(hashOf("{\"output\": {\"keys\": \"all\"}}") == hash);
  CHECK(hashOf("[output]\nkeys = \"reduced\"\n") != hash);
  files.options.assignments = {"output.keys=reduced"};
  CHECK(hashOf(kRecipe) == hashOf("[output]\nkeys = \"reduced\"\n"));
  CHECK(hashOf(kRecipe) != hash);
  files.options.assignments.clear();
  files.options.clips = {"Walk"};
  CHECK(hashOf(kRecipe) != hash);
}

TEST_CASE("A plan is the same after it is saved and loaded, and inconsistent files are an error") {
  Files files(5);
  files.options.clips = {"Walk*", "\"x\""};
  files.options.assignments = {"output.keys=reduced"};
  const auto plan = makePlan(files.jobs, kRecipe, files.options);
  CHECK_OK(plan);
  CHECK_OK(savePlan(*plan, files / "plan"));
  const auto back = loadPlan(files / "plan");
  CHECK_OK(back);
  CHECK(planHash(*back) == planHash(*plan));
  CHECK(back->root == plan->root);
  CHECK(back->clips == plan->clips);
  CHECK(back->assignments == plan->assignments);
  CHECK(back->recipe == kRecipe);
  CHECK_OK(recipeOf(*back));
  std::size_t count = 0;
  for (std::size_t shard : {1, 2}) {
    for (const BatchJob& job : jobsOfShard(*back, shard)) {
      ++count;
      CHECK(job.input.parent_path() == std::filesystem::path("in/walk"));
      CHECK(job.output == std::filesystem::path("out") / job.name);
      CHECK(job.relative == job.name);
    }
  }
  CHECK(count == 5);
  CHECK_OK(writeFileAtomically(files / "plan/recipe.toml", std::string_view("")));
  CHECK(loadPlan(files / "plan").error().code == ErrorCode::kMalformed);
  CHECK(loadPlan(files / "none").error().code == ErrorCode::kNotFound);
}

TEST_CASE("A plan of a program with other algorithms is an error") {
  Files files(1);
  auto plan = makePlan(files.jobs, kRecipe, files.options);
  CHECK_OK(plan);
  CHECK_OK(recipeOf(*plan));
  plan->version = "0.0.7";
  plan->config_hash = std::string(32, '0');
  CHECK_OK(savePlan(*plan, files / "plan"));
  const auto back = loadPlan(files / "plan");
  CHECK_OK(back);
  const auto recipe = recipeOf(*back);
  REQUIRE(!recipe);
  CHECK(recipe.error().code == ErrorCode::kUnsupported);
  CHECK(recipe.error().message.find("0.0.7") != std::string::npos);
}

TEST_CASE("Names that JSON cannot hold are an error") {
  Files files(1);
  files.jobs[0].name = "clip\xff.glb";
  const auto plan = makePlan(files.jobs, kRecipe, files.options);
  CHECK_OK(plan);
  CHECK(savePlan(*plan, files / "plan").error().code == ErrorCode::kUnsupported);
  CHECK(!std::filesystem::exists(files / "plan"));
}

TEST_SUITE_END();
