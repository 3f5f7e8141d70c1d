// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/batch.h"

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>

#include <nlohmann/json.hpp>

#include "batch/record.h"
#include "batch/work.h"
#include "core/parallel.h"
#include "core/system.h"
#include "core/to_size.h"
#include "pipeline/output_names.h"
#include "pipeline/recipe_rules.h"
#include "pipeline/report.h"

namespace clipmill::batch {
namespace {

namespace fs = std::filesystem;

// Whether a fault lies in the files and the recipe alone, so that it would come again.
bool isLasting(ErrorCode code) {
  return code == ErrorCode::kMalformed || code == ErrorCode::kUnsupported ||
         code == ErrorCode::kRecipe;
}

// The recipe of some jobs, its rules applied.
struct JobRecipe {
  pipeline::Recipe recipe;
  std::map<io::OutputFormat, std::string> keys;
};

// One for each combination of rules that is meant for any job: a job depends on no other rule.
class JobRecipes {
 public:
  Status add(const pipeline::Recipe& recipe, const BatchJob& job, const BatchOptions& options) {
    const std::vector<std::size_t> rules = pipeline::rulesFor(recipe, job.relative);
    auto [known, is_new] = by_rules_.try_emplace(rules);
    if (is_new) {
      CLIPMILL_TRY(known->second.recipe, pipeline::withRules(recipe, rules));
      for (const auto format :
           {io::OutputFormat::kNone, io::OutputFormat::kGltf, io::OutputFormat::kFbx}) {
        known->second.keys[format] = recordKey(known->second.recipe, format, options.clips,
                                               options.beside, options.versions);
      }
    }
    of_jobs_.push_back(&known->second);
    return {};
  }
  const JobRecipe& of(std::size_t job) const { return *of_jobs_[job]; }

 private:
  std::map<std::vector<std::size_t>, JobRecipe> by_rules_;
  std::vector<const JobRecipe*> of_jobs_;
};

class Batch {
 public:
  Batch(const fs::path& out_dir, const BatchOptions& options, std::size_t total)
      : out_dir_(out_dir), options_(options), total_(total) {}

  JobResult run(const BatchJob& job, const JobRecipe& recipe) {
    JobResult result;
    result.job = job;
    if (is_ended_ || system::interrupted()) return result;
    const fs::path record_path = recordPath(out_dir_, job.name);
    if (!options_.force && isKnown(record_path, keyOf(job, recipe), result)) {
      return finished(std::move(result));
    }
    start(job);
    const BatchRecord record = work(job, recipe, result);
    if (record.error && record.error->code == ErrorCode::kInterrupted) return result;
    applyRecord(record, result);
    if (!record.error || isLasting(record.error->code)) {
      if (Status saved = saveRecord(record_path, record); !saved) {
        result.status = JobStatus::kFailed;
        result.error = saved.error();
      }
    }
    return finished(std::move(result));
  }

 private:
  static const std::string& keyOf(const BatchJob& job, const JobRecipe& recipe) {
    return recipe.keys.at(io::outputFormatOf(job.output));
  }

  bool isKnown(const fs::path& record_path, const std::string& key, JobResult& result) const {
    const auto record = loadRecord(record_path);
    if (!record || record->read.empty() || record->read[0].path != result.job.input.string()) {
      return false;
    }
    if (!isCurrent(*record, key, options_.limits.max_file_bytes)) return false;
    applyRecord(*record, result);
    result.from_record = true;
    return true;
  }

  static void applyRecord(const BatchRecord& record, JobResult& result) {
    result.status = record.error ? JobStatus::kFailed : JobStatus::kDone;
    result.error = record.error;
    result.clips = record.clips;
    result.warnings = record.warnings;
    for (const FileStamp& stamp : record.read) result.read.emplace_back(stamp.path);
    for (const FileStamp& stamp : record.written) {
      result.written.emplace_back(stamp.path);
      result.output_bytes += stamp.size;
    }
    if (!record.read.empty()) result.input_bytes = record.read.front().size;
    result.outcomes_json = record.outcomes_json;
  }

  // The same in this process as in one of its own.
  BatchRecord work(const BatchJob& job, const JobRecipe& recipe, JobResult& result) const {
    const auto start = std::chrono::steady_clock::now();
    const WorkSettings settings{options_.clips, options_.limits, options_.beside};
    BatchRecord record;
    if (options_.isolation) {
      IsolatedWork done = doJobInChild(job, recipe.recipe, settings, *options_.isolation);
      record = std::move(done.record);
      result.peak_memory_bytes = done.peak_memory_bytes;
    } else {
      record = doJob(job, recipe.recipe, settings);
    }
    record.key = keyOf(job, recipe);
    result.milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(
                              std::chrono::steady_clock::now() - start)
                              .count();
    return record;
  }

  void start(const BatchJob& job) {
    const std::lock_guard lock(mutex_);
    if (options_.started) options_.started(job);
  }

  JobResult finished(JobResult result) {
    if (result.status == JobStatus::kFailed && options_.fail_fast) is_ended_ = true;
    const std::lock_guard lock(mutex_);
    ++done_;
    if (options_.progress) options_.progress(result, done_, total_);
    return result;
  }

  const fs::path out_dir_;
  const BatchOptions& options_;
  const std::size_t total_;
  std::atomic<bool> is_ended_ = false;
  std::mutex mutex_;
  std::size_t done_ = 0;
};

double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes / 1024) / 1024.0; }

nlohmann::json costJson(const JobResult& result) {
  nlohmann::json cost = {{"name", result.job.name}, {"ms", result.milliseconds}};
  if (result.peak_memory_bytes > 0) cost["peak_mb"] = megabytes(result.peak_memory_bytes);
  return cost;
}

// Below the output folder: they lie beside the output that the job is named after.
nlohmann::json outputsJson(const JobResult& result) {
  nlohmann::json outputs = nlohmann::json::array();
  const fs::path folder = fs::path(result.job.name).parent_path();
  for (const fs::path& path : result.written) {
    outputs.push_back((folder / path.filename()).generic_string());
  }
  return outputs;
}

nlohmann::json jobJson(const JobResult& result) {
  nlohmann::json job = {{"name", result.job.name},
                        {"input", result.job.input.generic_string()},
                        {"status", jobStatusWord(result.status)},
                        {"clips", result.clips},
                        {"warnings", result.warnings}};
  if (result.error) {
    job["error"] = {{"code", pipeline::errorWord(result.error->code)},
                    {"location", result.error->location},
                    {"message", result.error->message},
                    {"remedy", result.error->remedy}};
  }
  if (result.status != JobStatus::kDone) return job;
  job["outputs"] = outputsJson(result);
  job["input_bytes"] = result.input_bytes;
  job["output_bytes"] = result.output_bytes;
  // Of a record that someone changed it may be anything.
  nlohmann::json outcomes = nlohmann::json::parse(result.outcomes_json, nullptr, false);
  if (outcomes.is_object()) job["outcomes"] = std::move(outcomes);
  return job;
}

}  // namespace

const char* jobStatusWord(JobStatus status) {
  if (status == JobStatus::kDone) return "done";
  return status == JobStatus::kFailed ? "failed" : "skipped";
}

Result<std::vector<JobResult>> runBatch(std::span<const BatchJob> jobs,
                                        const pipeline::Recipe& recipe, const fs::path& out_dir,
                                        const BatchOptions& options) {
  std::error_code fault;
  fs::create_directories(out_dir / ".clipmill", fault);
  if (fault) {
    return Error{ErrorCode::kWrite, out_dir.string(), "cannot be created or written",
                 "choose another --out-dir"};
  }
  JobRecipes recipes;
  for (const BatchJob& job : jobs) CLIPMILL_CHECK(recipes.add(recipe, job, options));
  Batch batch(out_dir, options, jobs.size());
  std::vector<JobResult> results(jobs.size());
  parallelFor(jobs.size(), 1, options.jobs, [&](std::size_t start, std::size_t end) {
    for (std::size_t i = start; i < end; ++i) results[i] = batch.run(jobs[i], recipes.of(i));
  });
  return results;
}

std::string batchReportJson(std::span<const JobResult> results, const fs::path& out_dir) {
  using nlohmann::json;
  json jobs = json::array(), costs = json::array();
  std::size_t counts[3] = {}, known = 0;
  for (const JobResult& result : results) {
    jobs.push_back(jobJson(result));
    ++counts[toSize(result.status)];
    known += result.from_record;
    if (result.status != JobStatus::kSkipped && !result.from_record) {
      costs.push_back(costJson(result));
    }
  }
  const json run = {{"from_record", known},
                    {"out_dir", out_dir.generic_string()},
                    {"peak_mb", megabytes(system::peakMemoryBytes())},
                    {"jobs", std::move(costs)}};
  const json report = {{"version", pipeline::kProgramVersion},
                       {"done", counts[0]},
                       {"failed", counts[1]},
                       {"skipped", counts[2]},
                       {"jobs", std::move(jobs)},
                       {"run", run}};
  return report.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string batchDependencyRules(std::span<const JobResult> results,
                                 const std::vector<fs::path>& shared) {
  std::string rules;
  for (const JobResult& result : results) {
    if (result.status == JobStatus::kSkipped) continue;
    std::vector<fs::path> inputs = result.read;
    if (inputs.empty()) inputs.push_back(result.job.input);
    inputs.insert(inputs.end(), shared.begin(), shared.end());
    rules += pipeline::dependencyRule(
        result.written.empty() ? std::vector<fs::path>{result.job.output} : result.written, inputs);
  }
  return rules;
}

}  // namespace clipmill::batch
