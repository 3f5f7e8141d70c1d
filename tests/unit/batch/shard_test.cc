// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/shard.h"

#include <filesystem>

#include "batch/leftovers.h"
#include "batch/merge.h"
#include "batch/record.h"
#include "checks.h"
#include "core/file.h"
#include "temporary_folder.h"

using namespace clipmill;
using namespace clipmill::batch;

TEST_SUITE_BEGIN("batch.shard");

namespace {

// Two shards of three files.
Plan planIn(const std::filesystem::path& out_dir) {
  Plan plan;
  plan.version = "1";
  plan.config_hash = "c";
  plan.shards = 2;
  plan.out_dir = out_dir;
  plan.jobs = {{"a.glb", "in/a.glb", "a.glb", 1, 1},
               {"a_b.glb", "in/a_b.glb", "a_b.glb", 1, 2},
               {"walk/c.glb", "in/walk/c.glb", "walk/c.glb", 1, 1}};
  return plan;
}

std::vector<JobResult> resultsOf(const Plan& plan, std::size_t shard) {
  std::vector<JobResult> results;
  for (const BatchJob& job : jobsOfShard(plan, shard)) {
    JobResult result;
    result.job = job;
    result.status = JobStatus::kDone;
    result.clips = 2;
    results.push_back(result);
  }
  return results;
}

struct Reports : test::TemporaryFolder {
  Reports() : plan(planIn("out")) {
    auto first = resultsOf(plan, 1);
    first[0].status = JobStatus::kFailed;
    first[0].error = Error{ErrorCode::kWrite, "a.glb: \"x\"", "disk full", "free some space"};
    first[1].from_record = true;
    CHECK_OK(writeFileAtomically(paths[0], shardReportJson(plan, 1, first)));
    CHECK_OK(writeFileAtomically(paths[1], shardReportJson(plan, 2, resultsOf(plan, 2))));
  }
  Plan plan;
  std::vector<std::filesystem::path> paths = {path() / "1.json", path() / "2.json"};
};

}  // namespace

TEST_CASE("A shard number outside of the plan is an error") {
  Plan plan;
  plan.shards = 64;
  CHECK(*parseShard("1/64", plan) == 1);
  CHECK(*parseShard("64/64", plan) == 64);
  for (const char* text : {"0/64", "65/64", "7/63", "7", "7/", "/64", "/", "", "-7/64", "7/64/64",
                           " 7/64", "7/64 ", "7.0/64", "99999999999999999999999/64"}) {
    CAPTURE(text);
    const auto shard = parseShard(text, plan);
    REQUIRE(!shard);
    CHECK(shard.error().code == ErrorCode::kUsage);
  }
}

TEST_CASE("Report names sort in the order of the shards") {
  CHECK(shardReportPath("plan", 7, 64) == std::filesystem::path("plan/reports/07-of-64.json"));
  CHECK(shardReportPath("plan", 64, 64) == std::filesystem::path("plan/reports/64-of-64.json"));
  CHECK(shardReportPath("plan", 1, 1) == std::filesystem::path("plan/reports/1-of-1.json"));
}

TEST_CASE("Merged reports are sorted by name, with and without records") {
  const Reports reports;
  const auto merged = mergeReports(reports.plan, reports.paths);
  CHECK_OK(merged);
  REQUIRE(merged->results.size() == 3);
  CHECK(merged->results[0].job.name == "a.glb");
  CHECK(merged->results[0].status == JobStatus::kFailed);
  CHECK(merged->results[0].error->code == ErrorCode::kWrite);
  CHECK(merged->results[0].error->location == "a.glb: \"x\"");
  CHECK(merged->results[1].clips == 2);
  CHECK(merged->results[2].job.name == "walk/c.glb");
  CHECK(merged->json.find("\"done\": 2") != std::string::npos);
  CHECK(merged->json.find("\"failed\": 1") != std::string::npos);
  CHECK(merged->json.find("from_record") == std::string::npos);
}

TEST_CASE("Every error code is the same after a report is read") {
  const Reports reports;
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code) {
    auto results = resultsOf(reports.plan, 2);
    results[0].status = JobStatus::kFailed;
    results[0].error = Error{static_cast<ErrorCode>(code), "p", "m", "r"};
    CHECK_OK(writeFileAtomically(reports.paths[1], shardReportJson(reports.plan, 2, results)));
    const auto merged = mergeReports(reports.plan, reports.paths);
    CHECK_OK(merged);
    CHECK(merged->results[1].error->code == static_cast<ErrorCode>(code));
  }
}

TEST_CASE("Missing shards are listed, up to a limit") {
  Plan plan;
  plan.shards = 100;
  const auto merged = mergeReports(plan, {});
  REQUIRE(!merged);
  CHECK(merged.error().code == ErrorCode::kNotFound);
  CHECK(merged.error().message.find("100 of 100 shards") == 0);
  CHECK(merged.error().message.find(", 20, ..") != std::string::npos);
  CHECK(merged.error().message.find("21") == std::string::npos);
}

TEST_CASE("A shard without files has a report") {
  Reports reports;
  reports.plan.shards = 3;
  std::vector<std::filesystem::path> paths;
  for (std::size_t shard : {1, 2, 3}) {
    paths.push_back(reports.path() / ("of3_" + std::to_string(shard) + ".json"));
    CHECK_OK(writeFileAtomically(
        paths.back(), shardReportJson(reports.plan, shard, resultsOf(reports.plan, shard))));
  }
  CHECK_OK(mergeReports(reports.plan, paths));
  paths.pop_back();
  CHECK(mergeReports(reports.plan, paths).error().code == ErrorCode::kNotFound);
}

TEST_CASE("Temporary files are removed only if no other shard can have written them") {
  const test::TemporaryFolder folder;
  const Plan plan = planIn(folder / "out");
  const auto create = [&](const std::string& name) { folder.write("out/" + name, Bytes(1)); };
  const std::string record = recordPath("out", "walk/c.glb").filename().string();
  const std::string other = recordPath("out", "a_b.glb").filename().string();
  for (const std::string& name :
       {std::string(".a.glb.7.0.tmp"), std::string(".a_5m.glb.7.1.tmp"),
        std::string(".a.bin.70.12.tmp"), std::string("walk/.c.glb.7.2.tmp"),
        ".clipmill/." + record + ".7.3.tmp"}) {
    create(name);
  }
  // The second shard's, nobody's, and no temporary files.
  const std::vector<std::string> staying = {
      ".clipmill/" + record, ".clipmill/." + other + ".7.0.tmp",
      ".a_b.glb.7.0.tmp",    ".a_b_5m.glb.7.1.tmp",
      ".x.glb.7.0.tmp",      ".a.glb.tmp",
      ".a.glb.7.tmp",        "a.glb",
      "a.glb.7.0.tmp",       "walk/.d.glb.7.0.tmp"};
  for (const std::string& name : staying) create(name);
  CHECK(removeLeftovers(plan, 1) == 5);
  CHECK(folder.files().size() == staying.size());
  for (const std::string& name : staying) CHECK(std::filesystem::exists(folder / ("out/" + name)));
  CHECK(removeLeftovers(plan, 1) == 0);
}

TEST_SUITE_END();
