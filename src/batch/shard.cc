// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/shard.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "batch/journal.h"
#include "batch/leftovers.h"
#include "batch/merge.h"
#include "core/file.h"
#include "core/system.h"

namespace clipmill::batch {
namespace {

namespace fs = std::filesystem;

std::optional<std::size_t> parseCount(std::string_view text) {
  std::size_t count = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return count;
}

// An old report must not pass for that of a run which is killed.
Status createReportFolder(const fs::path& report) {
  std::error_code fault;
  if (report.has_parent_path()) fs::create_directories(report.parent_path(), fault);
  if (!fault) fs::remove(report, fault);
  if (!fault) return {};
  return Error{ErrorCode::kWrite, report.string(), "cannot be written", "choose another --report"};
}

bool isWhole(const std::vector<JobResult>& results) {
  return std::none_of(results.begin(), results.end(),
                      [](const JobResult& result) { return result.status == JobStatus::kSkipped; });
}

}  // namespace

Result<std::size_t> parseShard(std::string_view text, const Plan& plan) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto shard = parseCount(text.substr(0, slash));
  const auto shards = parseCount(text.substr(std::min(slash + 1, text.size())));
  const std::string location = "--shard " + std::string(text);
  const std::string count = std::to_string(plan.shards);
  if (!shard || !shards)
    return Error{ErrorCode::kUsage, location, "is not of the form k/n", "use k/" + count};
  if (*shards != plan.shards) {
    return Error{ErrorCode::kUsage, location,
                 "does not match the plan, which has " + count + " shards", "use k/" + count};
  }
  if (*shard < 1 || *shard > plan.shards) {
    return Error{ErrorCode::kUsage, location, "is not a shard of the plan",
                 "use a k from 1 to " + count};
  }
  return *shard;
}

fs::path shardReportPath(const fs::path& folder, std::size_t shard, std::size_t shards) {
  const std::string last = std::to_string(shards);
  std::string number = std::to_string(shard);
  number.insert(0, last.size() - std::min(number.size(), last.size()), '0');
  return folder / "reports" / (number + "-of-" + last + ".json");
}

Result<std::vector<JobResult>> runShard(const Plan& plan, std::size_t shard,
                                        const ShardOptions& options) {
  CLIPMILL_TRY(const pipeline::Recipe recipe, recipeOf(plan));
  CLIPMILL_CHECK(createReportFolder(options.report));
  const std::vector<BatchJob> jobs = jobsOfShard(plan, shard);
  CLIPMILL_TRY(Journal journal,
               Journal::open(fs::path(options.report).replace_extension(".jsonl"), jobs.size()));
  removeLeftovers(plan, shard);
  BatchOptions batch;
  batch.clips = plan.clips;
  batch.jobs = options.jobs;
  batch.limits = options.limits;
  batch.beside = options.beside;
  batch.isolation = options.isolation;
  batch.started = [&](const BatchJob& job) { journal.start(job); };
  batch.progress = [&](const JobResult& result, std::size_t done, std::size_t total) {
    journal.end(result);
    if (options.progress) options.progress(result, done, total);
  };
  CLIPMILL_TRY(std::vector<JobResult> results, runBatch(jobs, recipe, plan.out_dir, batch));
  CLIPMILL_CHECK(journal.close());
  if (!isWhole(results)) return results;
  CLIPMILL_CHECK(writeFileAtomically(options.report, shardReportJson(plan, shard, results)));
  return results;
}

}  // namespace clipmill::batch
