// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "batch/batch.h"
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

/// Says on stderr what failed and how many files were done, and returns the exit code of that.
int tellResults(const std::vector<batch::JobResult>& results);

/// Each adds one subcommand to `batch`.
void addBatchPlan(CLI::App& batch, Action& action);
void addBatchRun(CLI::App& batch, Action& action);
void addBatchMerge(CLI::App& batch, Action& action);

}  // namespace clipmill::cli
