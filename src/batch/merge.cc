// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/merge.h"

#include <algorithm>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/file.h"
#include "pipeline/report.h"

namespace clipmill::batch {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Raised when reports of before cannot be read any more.
constexpr int kReportSchema = 1;
constexpr std::uint64_t kMaxReportBytes = std::uint64_t{1} << 30;
constexpr std::size_t kMaxNamed = 20;  // shards in one sentence

std::string textOf(const json& value) {
  return value.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Error damaged(const fs::path& file) {
  return {ErrorCode::kMalformed, file.string(), "is not a shard report", "run the shard again"};
}

ErrorCode errorCodeOf(const std::string& word) {
  for (int code = 0; code < static_cast<int>(ErrorCode::kInternal); ++code) {
    if (word == pipeline::errorWord(static_cast<ErrorCode>(code)))
      return static_cast<ErrorCode>(code);
  }
  return ErrorCode::kInternal;
}

JobResult resultIn(const json& value) {
  JobResult result;
  value.at("name").get_to(result.job.name);
  result.job.input = value.at("input").get<std::string>();
  value.at("clips").get_to(result.clips);
  value.at("warnings").get_to(result.warnings);
  const std::string word = value.at("status").get<std::string>();
  for (JobStatus status : {JobStatus::kDone, JobStatus::kFailed}) {
    if (word == jobStatusWord(status)) result.status = status;
  }
  if (value.contains("error")) {
    const json& error = value.at("error");
    result.error = Error{
        errorCodeOf(error.at("code").get<std::string>()), error.at("location").get<std::string>(),
        error.at("message").get<std::string>(), error.at("remedy").get<std::string>()};
  }
  return result;
}

// Reports of all shards, one after the other.
class Merger {
 public:
  explicit Merger(const Plan& plan) : plan_(plan), plan_hash_(planHash(plan)) {
    for (const PlannedJob& job : plan.jobs) shard_of_[job.name] = job.shard;
  }

  Status add(const fs::path& file) {
    CLIPMILL_TRY(const Bytes bytes, readFile(file, kMaxReportBytes));
    try {
      return addReport(json::parse(asText(bytes)), file);
    } catch (const json::exception&) {
      return damaged(file);
    }
  }

  Result<MergedReport> merged() && {
    CLIPMILL_CHECK(checkShards());
    MergedReport report;
    json jobs = json::array();
    std::size_t done = 0;
    for (const auto& [name, job] : jobs_) {
      report.results.push_back(resultIn(job));
      done += report.results.back().status == JobStatus::kDone;
      jobs.push_back(job);
    }
    json merged = {{"version", plan_.version},
                   {"done", done},
                   {"failed", report.results.size() - done},
                   {"skipped", 0},
                   {"jobs", std::move(jobs)}};
    report.json = textOf(merged);
    merged["run"] = {{"from_record", known_}, {"peak_mb", peak_mb_}, {"jobs", std::move(costs_)}};
    report.json_with_run = textOf(merged);
    return report;
  }

 private:
  Status addReport(const json& report, const fs::path& file) {
    if (report.at("schema").get<int>() != kReportSchema) return damaged(file);
    CLIPMILL_CHECK(checkOrigin(report, file));
    const std::size_t shard = report.at("shard").get<std::size_t>();
    if (shard < 1 || shard > plan_.shards) return damaged(file);
    const auto [other, is_new] = files_.try_emplace(shard, file);
    if (!is_new) {
      return Error{ErrorCode::kMalformed, file.string(),
                   "is of shard " + std::to_string(shard) + ", as is " + other->second.string(),
                   "give one report for each shard"};
    }
    addRun(report.at("report").at("run"));
    for (const json& job : report.at("report").at("jobs")) {
      const JobResult result = resultIn(job);
      const auto planned = shard_of_.find(result.job.name);
      if (planned == shard_of_.end() || planned->second != shard ||
          result.status == JobStatus::kSkipped ||
          result.error.has_value() != (result.status == JobStatus::kFailed) ||
          !jobs_.emplace(result.job.name, job).second) {
        return damaged(file);
      }
      ++count_of_[shard];
    }
    return {};
  }

  // What the last attempt at a shard knew from an earlier one has no cost here.
  void addRun(const json& run) {
    known_ += run.at("from_record").get<std::size_t>();
    peak_mb_ = std::max(peak_mb_, run.at("peak_mb").get<double>());
    for (const json& cost : run.at("jobs")) costs_.push_back(cost);
  }

  Status checkOrigin(const json& report, const fs::path& file) const {
    const std::pair<const char*, const std::string&> members[] = {
        {"version", plan_.version}, {"config_hash", plan_.config_hash}, {"plan_hash", plan_hash_}};
    for (const auto& [name, wanted] : members) {
      const std::string found = report.at(name).get<std::string>();
      if (found == wanted) continue;
      return Error{
          ErrorCode::kUnsupported, file.string(),
          std::string("has another ") + name + " (" + found + ") than the plan (" + wanted + ")",
          "run the shard again with this plan"};
    }
    return {};
  }

  // All that the plan asks for must be there.
  Status checkShards() {
    std::map<std::size_t, std::size_t> wanted;
    for (const PlannedJob& job : plan_.jobs) ++wanted[job.shard];
    std::string missing;
    std::size_t count = 0;
    for (std::size_t shard = 1; shard <= plan_.shards; ++shard) {
      const auto file = files_.find(shard);
      if (file != files_.end()) {
        if (count_of_[shard] != wanted[shard]) return damaged(file->second);
      } else if (count++ < kMaxNamed) {
        missing += (missing.empty() ? "" : ", ") + std::to_string(shard);
      }
    }
    if (count == 0) return {};
    if (count > kMaxNamed) missing += ", ..";
    return Error{ErrorCode::kNotFound, "",
                 std::to_string(count) + " of " + std::to_string(plan_.shards) +
                     " shards have no report: " + missing,
                 "run them (again)"};
  }

  const Plan& plan_;
  const std::string plan_hash_;
  std::map<std::string, std::size_t> shard_of_;  // by name of the job
  std::map<std::size_t, fs::path> files_;        // by shard
  std::map<std::size_t, std::size_t> count_of_;  // jobs by shard
  std::map<std::string, json> jobs_;             // by name
  json costs_ = json::array();
  std::size_t known_ = 0;
  double peak_mb_ = 0.0;
};

}  // namespace

std::string shardReportJson(const Plan& plan, std::size_t shard,
                            std::span<const JobResult> results) {
  return textOf({{"schema", kReportSchema},
                 {"version", plan.version},
                 {"config_hash", plan.config_hash},
                 {"plan_hash", planHash(plan)},
                 {"shard", shard},
                 {"shards", plan.shards},
                 {"report", json::parse(batchReportJson(results, plan.out_dir))}});
}

Result<MergedReport> mergeReports(const Plan& plan, std::span<const fs::path> reports) {
  Merger merger(plan);
  for (const fs::path& report : reports) CLIPMILL_CHECK(merger.add(report));
  return std::move(merger).merged();
}

}  // namespace clipmill::batch
