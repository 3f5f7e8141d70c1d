// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/batch.h"

#include <atomic>
#include <mutex>

#include <nlohmann/json.hpp>

#include "batch/record.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/parallel.h"
#include "core/system.h"
#include "pipeline/report.h"
#include "pipeline/run.h"

namespace clipmill::batch {
namespace {

namespace fs = std::filesystem;

// What all jobs depend on besides files.
std::string keyOf(const Recipe& recipe, const BatchOptions& options) {
  std::string text = versionText() + '\n' + recipeToml(recipe, false);
  for (const std::string& clip : options.clips) text += '\n' + clip;
  return hashHex(asBytes(text));
}

// Whether a fault lies in the files and the recipe alone, so that it would come again.
bool isLasting(ErrorCode code) {
  return code == ErrorCode::kMalformed || code == ErrorCode::kUnsupported ||
         code == ErrorCode::kRecipe;
}

std::uint64_t warningsOf(const Warnings& warnings) { return warnings.all().size(); }

std::uint64_t warningsOf(const RunReport& report) {
  std::uint64_t count = warningsOf(report.warnings);
  for (const ClipReport& clip : report.clips) {
    count += warningsOf(clip.warnings);
    for (const StageReport& stage : clip.stages) count += warningsOf(stage.warnings);
  }
  for (const RunReport& variant : report.variants) count += warningsOf(variant);
  return count;
}

class Batch {
 public:
  Batch(const Recipe& recipe, const fs::path& out_dir, const BatchOptions& options,
        std::size_t total)
      : recipe_(recipe),
        out_dir_(out_dir),
        options_(options),
        key_(keyOf(recipe, options)),
        total_(total) {}

  JobResult run(const BatchJob& job) {
    JobResult result;
    result.job = job;
    if (is_ended_ || system::interrupted()) return result;
    const fs::path record_path = recordPath(out_dir_, job.name);
    if (!options_.force && isKnown(record_path, result)) return finished(std::move(result));
    begin(job);
    BatchRecord record;
    record.key = key_;
    if (Status done = work(job, record); !done) record.error = done.error();
    if (record.error && record.error->code == ErrorCode::kInterrupted) return result;
    tell(record, result);
    if (!record.error || isLasting(record.error->code)) {
      if (Status saved = saveRecord(record_path, record); !saved) {
        result.status = JobStatus::kFailed;
        result.error = saved.error();
      }
    }
    return finished(std::move(result));
  }

 private:
  bool isKnown(const fs::path& record_path, JobResult& result) const {
    const auto record = loadRecord(record_path);
    if (!record || record->read.empty() || record->read[0].path != result.job.input.string()) {
      return false;
    }
    if (!isCurrent(*record, key_, options_.limits.max_file_bytes)) return false;
    tell(*record, result);
    result.from_record = true;
    return true;
  }

  static void tell(const BatchRecord& record, JobResult& result) {
    result.status = record.error ? JobStatus::kFailed : JobStatus::kDone;
    result.error = record.error;
    result.clips = record.clips;
    result.warnings = record.warnings;
  }

  Status work(const BatchJob& job, BatchRecord& record) const {
    const std::uint64_t most = options_.limits.max_file_bytes;
    CLIPMILL_TRY(FileStamp input, stampOf(job.input, most));
    record.read.push_back(std::move(input));
    std::error_code fault;
    fs::create_directories(job.output.parent_path(), fault);
    if (fault)
      return Error{ErrorCode::kWrite, job.output.string(), "its folder cannot be made", ""};
    RunOptions run;
    run.clips = options_.clips;
    run.threads = 1;
    run.limits = options_.limits;
    RunReport report;
    const Status done = runFile(job.input, recipe_, job.output, run, report);
    record.clips = report.clips.size();
    for (const RunReport& variant : report.variants) record.clips += variant.clips.size();
    record.warnings = warningsOf(report);
    for (const fs::path& path : report.read_files) {
      CLIPMILL_TRY(FileStamp stamp, stampOf(path, most));
      record.read.push_back(std::move(stamp));
    }
    CLIPMILL_CHECK(done);
    for (const fs::path& path : outputsOf(report)) {
      CLIPMILL_TRY(FileStamp stamp, stampOf(path, most));
      record.written.push_back(std::move(stamp));
    }
    return {};
  }

  void begin(const BatchJob& job) {
    const std::lock_guard lock(mutex_);
    if (options_.begun) options_.begun(job);
  }

  JobResult finished(JobResult result) {
    if (result.status == JobStatus::kFailed && options_.fail_fast) is_ended_ = true;
    const std::lock_guard lock(mutex_);
    ++done_;
    if (options_.progress) options_.progress(result, done_, total_);
    return result;
  }

  const Recipe& recipe_;
  const fs::path out_dir_;
  const BatchOptions& options_;
  const std::string key_;
  const std::size_t total_;
  std::atomic<bool> is_ended_ = false;
  std::mutex mutex_;
  std::size_t done_ = 0;
};

}  // namespace

const char* jobStatusWord(JobStatus status) {
  if (status == JobStatus::kDone) return "done";
  return status == JobStatus::kFailed ? "failed" : "skipped";
}

Result<std::vector<JobResult>> runBatch(std::span<const BatchJob> jobs, const Recipe& recipe,
                                        const fs::path& out_dir, const BatchOptions& options) {
  std::error_code fault;
  fs::create_directories(out_dir / ".clipmill", fault);
  if (fault) {
    return Error{ErrorCode::kWrite, out_dir.string(), "cannot be made or written to",
                 "choose another --out-dir"};
  }
  Batch batch(recipe, out_dir, options, jobs.size());
  std::vector<JobResult> results(jobs.size());
  parallelFor(jobs.size(), 1, options.jobs, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) results[i] = batch.run(jobs[i]);
  });
  return results;
}

std::string batchReportJson(std::span<const JobResult> results) {
  using nlohmann::json;
  json jobs = json::array();
  std::size_t counts[3] = {}, known = 0;
  for (const JobResult& result : results) {
    json job = {{"name", result.job.name},
                {"input", result.job.input.generic_string()},
                {"status", jobStatusWord(result.status)},
                {"clips", result.clips},
                {"warnings", result.warnings}};
    if (result.error) {
      job["error"] = {{"code", errorWord(result.error->code)},
                      {"place", result.error->place},
                      {"message", result.error->message},
                      {"remedy", result.error->remedy}};
    }
    jobs.push_back(std::move(job));
    ++counts[static_cast<std::size_t>(result.status)];
    known += result.from_record;
  }
  const json report = {{"version", kProgramVersion}, {"done", counts[0]},
                       {"failed", counts[1]},        {"skipped", counts[2]},
                       {"jobs", std::move(jobs)},    {"run", {{"from_record", known}}}};
  return report.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace clipmill::batch
