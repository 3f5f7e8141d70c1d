// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "batch/jobs.h"
#include "batch/record.h"
#include "io/limits.h"
#include "pipeline/recipe.h"

namespace clipmill::batch {

/// What is written beside outputs, under their names with an ending of its own:
/// "walk/a.glb.report.json".
struct BesideOutputs {
  bool reports = false;   ///< The report of the run over each file, beside its first name.
  bool previews = false;  ///< A page for each output that shows it before and after.
};
inline constexpr const char* kReportEnding = ".report.json";
inline constexpr const char* kPreviewEnding = ".preview.html";

/// What jobs are done with besides their recipe.
struct WorkSettings {
  std::vector<std::string> clips;  ///< As for runFile.
  io::Limits limits;
  BesideOutputs beside = {};
};

/// Does a job in this process on one thread, and makes the folder of its output. The record says
/// what was read, written and made, or what went wrong: whatever the file did, it is returned. Its
/// key is left empty.
BatchRecord doJob(const BatchJob& job, const Recipe& recipe, const WorkSettings& settings);

}  // namespace clipmill::batch
