// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "batch/isolation.h"
#include "batch/jobs.h"
#include "batch/record_key.h"
#include "batch/work.h"
#include "core/limits.h"
#include "core/result.h"
#include "pipeline/recipe.h"

namespace clipmill::batch {

enum class JobStatus {
  kDone,     ///< Its output is there and current.
  kFailed,   ///< It has an error of its own; others went on.
  kSkipped,  ///< Not started: the batch ended before.
};

/// The name of a status in reports: "done", ..
const char* jobStatusWord(JobStatus status);

struct JobResult {
  BatchJob job;
  JobStatus status = JobStatus::kSkipped;
  bool from_record = false;  ///< Unchanged since an earlier batch; not processed.
  std::optional<Error> error;
  std::uint64_t clips = 0;
  std::uint64_t warnings = 0;
  std::vector<std::filesystem::path> read;     ///< The input first; empty for a skipped one.
  std::vector<std::filesystem::path> written;  ///< Empty unless done.
  std::uint64_t input_bytes = 0;               ///< Of the input alone.
  std::uint64_t output_bytes = 0;              ///< Of all that was written.
  std::string outcomes_json;                   ///< clipOutcomesJson(); empty unless done.
  std::int64_t milliseconds = 0;               ///< 0 for an unchanged file.
  std::uint64_t peak_memory_bytes = 0;         ///< Of its child process; 0 without one.
};

struct BatchOptions {
  std::vector<std::string> clips;  ///< As for runFile.
  int jobs = 0;                    ///< Files in parallel; 0 for one for each core.
  bool fail_fast = false;          ///< Start no more files after a failure.
  bool force = false;              ///< Process unchanged files too.
  io::Limits limits;
  BesideOutputs beside = {};
  std::optional<Isolation> isolation;           ///< Each job in a process of its own.
  ResultVersions versions = currentVersions();  ///< What records are compared with.
  /// Called when work on a job starts, which is not where it is known. May be empty. Calls of this
  /// and of `progress` come one at a time.
  std::function<void(const BatchJob& job)> started = {};
  /// Called when a job is done, in no fixed order. May be empty.
  std::function<void(const JobResult& result, std::size_t done, std::size_t total)> progress;
};

/// Runs `recipe`, as its rules make it, over every job, each on one thread, and keeps a record of
/// each beside the outputs
/// (`.clipmill` in `out_dir`): a job whose input, files and recordKey() are as they were is
/// not done again, nor one that failed for what is in them. Records are written when a job ends,
/// and outputs by rename, so that a batch that was killed goes on where it was. Returns the results
/// in the order of the jobs, the same for any number of files at a time. Errors: kWrite where
/// `out_dir` cannot be made.
Result<std::vector<JobResult>> runBatch(std::span<const BatchJob> jobs,
                                        const pipeline::Recipe& recipe,
                                        const std::filesystem::path& out_dir,
                                        const BatchOptions& options);

/// The results as JSON: for each job its name, input, status, clips, warnings and error; for a job
/// that is done also its outputs (relative to the output folder), bytes read and written, and
/// clipOutcomesJson(). All of it is the same for the same inputs, except the member "run": how many
/// results came from records, the peak memory of this process, the output folder, and the time and
/// peak memory of each job that was run.
std::string batchReportJson(std::span<const JobResult> results,
                            const std::filesystem::path& out_dir);

/// Make rules, one for each job that was started: its outputs depend on the files that it read and
/// on `shared`, the files that all jobs depend on.
std::string batchDependencyRules(std::span<const JobResult> results,
                                 const std::vector<std::filesystem::path>& shared);

}  // namespace clipmill::batch
