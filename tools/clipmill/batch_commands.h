// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "batch/batch.h"
#include "batch/isolation.h"
#include "batch/jobs.h"
#include "command.h"

namespace clipmill::cli {

/// What work on many files is made of.
struct BatchSource {
  std::vector<std::string> inputs, clips, assignments;
  std::string recipe, out_dir;
  std::string name = batch::kDefaultOutputName;
  bool recursive = false;
};
void addSourceOptions(CLI::App& command, BatchSource& source);

/// Refuses a source without inputs, recipe or output folder. The parser is not asked to: it would
/// ask for those of `batch` where one of its subcommands is meant. Error: kUsage.
Status checkSource(const BatchSource& source, const std::string& command);

/// The jobs of a source. Errors: as for findInputs() and planJobs().
Result<std::vector<batch::BatchJob>> jobsOf(const BatchSource& source);

/// How work on many files is done.
struct BatchEffort {
  int jobs = 0;
  double timeout_s = 0.0;
  std::uint64_t max_memory_mb = 0;
  bool isolate = false;
  batch::BesideOutputs beside;
  std::string progress = "auto";
};
void addEffortOptions(CLI::App& command, BatchEffort& effort);

/// The processes that an effort asks for, if any: a limit asks for them too, as nothing else can be
/// held to it.
std::optional<batch::Isolation> isolationOf(const BatchEffort& effort);

/// The exit code of a batch with these results.
int exitCodeOf(const std::vector<batch::JobResult>& results);

/// Each adds one subcommand to `batch`.
void addBatchPlan(CLI::App& batch, Action& action);
void addBatchRun(CLI::App& batch, Action& action);
void addBatchMerge(CLI::App& batch, Action& action);
void addBatchShow(CLI::App& batch, Action& action);
void addBatchExplain(CLI::App& batch, Action& action);

}  // namespace clipmill::cli
