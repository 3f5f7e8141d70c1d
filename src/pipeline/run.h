// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "io/io.h"
#include "pipeline/clip_choice.h"
#include "pipeline/recipe.h"
#include "pipeline/report.h"
#include "pipeline/stage_run.h"

namespace clipmill::pipeline {

/// One step of a run that has started: "sample", a stage's name, "reduce", "save".
using ProgressCallback =
    std::function<void(std::string_view step, std::size_t done, std::size_t total)>;

/// What the stages have found in the file, before the first of them runs.
using ResolvedCallback = std::function<void(const ResolvedRecipe&)>;

struct RunOptions {
  std::vector<std::string> clips;  ///< Names, indices or globs; empty means all.
  int threads = 1;
  bool dry_run = false;  ///< Do all the work, write nothing.
  io::Limits limits;
  ProgressCallback progress;  ///< May be empty.
  ResolvedCallback resolved;  ///< May be empty.
};

/// The recipe with the settings that runFile() would give its stages for this file. Runs no stage
/// and writes nothing. Errors: as for runFile().
Result<ResolvedRecipe> resolveRecipe(const std::filesystem::path& input, const Recipe& recipe,
                                     const RunOptions& options);

/// Loads `input`, runs the stages of `recipe` over the selected clips, and writes `output`, or one
/// file a variant where a stage asks for several: outputNameOf() has their names. What it did is
/// in `report`, also when it fails; nothing is written before all that is to be written is made,
/// and an error names the files that were written before it.
Status runFile(const std::filesystem::path& input, const Recipe& recipe,
               const std::filesystem::path& output, const RunOptions& options, RunReport& report);

}  // namespace clipmill::pipeline
