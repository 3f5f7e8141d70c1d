// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "core/result.h"
#include "core/settings.h"
#include "core/warnings.h"
#include "io/io.h"
#include "retarget/normalize.h"

namespace clipmill::pipeline {

const SettingsTable& normalizeTable();

struct NormalizeOptions {
  retarget::NormalizeSettings settings;
  io::ConversionKeys keys;
  io::Limits limits;
};

struct NormalizeReport {
  Warnings found;     ///< What was mended: see retarget::findIrregularities().
  Warnings warnings;  ///< Of reading, and what the new file does not have.
};

/// Writes `input` as a new file without what normalizeScene() finds. Where it finds nothing and the
/// formats are the same, the output is a copy of the input. Errors: those of io::load(),
/// normalizeScene(), io::checkOutput() and io::save().
Status normalizeFile(const std::filesystem::path& input, const std::filesystem::path& output,
                     const NormalizeOptions& options, NormalizeReport& report);

}  // namespace clipmill::pipeline
