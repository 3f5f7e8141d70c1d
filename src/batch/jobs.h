// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "batch/inputs.h"
#include "core/result.h"

namespace clipmill::batch {

/// One file of a batch.
struct BatchJob {
  std::string name;  ///< The output's path below the output folder, with '/'; no two are the same.
  std::filesystem::path input, output;
  std::string relative;  ///< The relative name of the input, for rules of recipes, with '/'.
};

/// The output of a job of that name, with '/'.
std::filesystem::path outputOf(const std::filesystem::path& out_dir, const std::string& name);

/// The default pattern: outputs have the relative names of their inputs.
inline constexpr const char* kDefaultOutputName = "{dir}/{stem}{ext}";

/// A job for each input, by name. In `name_pattern` {dir} is the folder of the input's relative
/// name, {stem} its name without extension and {ext} the extension with its dot. Names that differ
/// in the case of letters alone get a number, but for the first: "walk_2.glb". Inputs that lie in
/// `out_dir` are left out: they were made by an earlier batch. Errors, all kUsage and before any
/// work: all inputs in `out_dir`, two inputs with one output, an output that is an input or lies
/// outside of `out_dir`, a name that cannot be written, a field that is not known.
Result<std::vector<BatchJob>> planJobs(std::span<const BatchInput> inputs,
                                       const std::filesystem::path& out_dir,
                                       const std::string& name_pattern);

}  // namespace clipmill::batch
