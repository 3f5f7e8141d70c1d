// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/warnings.h"
#include "io/io.h"

namespace clipmill {

struct SplitOptions {
  std::vector<std::string> clips;  ///< As in RunOptions; empty means all.
  bool skeleton_only = false;      ///< Leave out meshes, and with them morph weights.
  io::ConversionKeys keys;
  io::Limits limits;
};

/// What splitClips() wrote.
struct SplitReport {
  std::vector<std::filesystem::path> written;
  Warnings warnings;
};

/// Writes each chosen clip of `input` into a new file of its own, with the figure: outputNameOf()
/// of `output` and the clip's name. Names are all checked before any is written. Errors: those of
/// io::load(), selectClips(), outputNamesOf(), io::checkOutput() and io::save(); kNotFound for a
/// file without clips; `report` says what was written before one.
Status splitClips(const std::filesystem::path& input, const std::filesystem::path& output,
                  const SplitOptions& options, SplitReport& report);

}  // namespace clipmill
