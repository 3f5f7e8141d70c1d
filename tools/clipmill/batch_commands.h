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

/// The inputs and the recipe of a batch.
struct BatchSource {
  std::vector<std::string> inputs, clips, assignments;
  std::string recipe, out_dir;
  std::string name = batch::kDefaultOutputName;
  bool recursive = false;
};
void addSourceOptions(CLI::App& command, BatchSource& source);

/// Checks that a source has inputs, recipe and output folder. The parser cannot check this: it
/// would require those of `batch` for its subcommands too. Error: kUsage.
Status checkSource(const BatchSource& source, const std::string& command);

/// The jobs of a source. Errors: as for findInputs() and planJobs().
Result<std::vector<batch::BatchJob>> jobsOf(const BatchSource& source);

/// How a batch processes its files.
struct BatchEffort {
  int jobs = 0;
  double timeout_s = 0.0;
  std::uint64_t max_memory_mb = 0;
  bool isolate = false;
  batch::BesideOutputs beside;
  std::string progress = "auto";
};
void addEffortOptions(CLI::App& command, BatchEffort& effort);

/// The isolation of an effort, if any. A time or memory limit implies it, because only a process
/// can be limited.
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
