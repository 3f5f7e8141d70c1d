// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "batch/jobs.h"
#include "batch/record.h"
#include "core/limits.h"
#include "pipeline/output_names.h"
#include "pipeline/recipe.h"

namespace clipmill::batch {

/// Files to write beside the outputs, named after them with another ending:
/// "walk/a.glb.report.json".
struct BesideOutputs {
  bool reports = false;   ///< The report of the run over each file, beside its first name.
  bool previews = false;  ///< A page for each output that shows it before and after.
};

/// Settings of jobs apart from their recipe.
struct WorkSettings {
  std::vector<std::string> clips;  ///< As for runFile.
  io::Limits limits;
  BesideOutputs beside = {};
};

/// Runs a job in this process on one thread, and creates the folder of its output. The record has
/// the files that were read and written and the outcome, or the error; it is returned for any
/// file. Its key is empty.
BatchRecord doJob(const BatchJob& job, const pipeline::Recipe& recipe,
                  const WorkSettings& settings);

}  // namespace clipmill::batch
