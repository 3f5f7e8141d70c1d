// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/warnings.h"
#include "io/io.h"

namespace clipmill::pipeline {

struct SplitOptions {
  std::vector<std::string> clips;  ///< As in RunOptions; empty means all.
  bool skeleton_only = false;      ///< Leave out meshes, and with them morph weights.
  io::ConversionKeys keys;
  io::Limits limits;
  io::ArraySettings arrays = {};
};

/// The files that splitClips() wrote.
struct SplitReport {
  std::vector<std::filesystem::path> written;
  Warnings warnings;
};

/// Writes each chosen clip of `input` into a new file of its own, with the character:
/// distinctOutputNamesOf() of `output` and the clips' names. Names are all checked before any is
/// written. Errors: those of io::load(), selectClips(), io::checkOutput() and io::save(); kNotFound
/// for a file without clips; `report` lists what was written before one.
Status splitClips(const std::filesystem::path& input, const std::filesystem::path& output,
                  const SplitOptions& options, SplitReport& report);

}  // namespace clipmill::pipeline
