// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"

namespace clipmill::cli {

/// A file that a command writes besides its outputs: a report, a page, a make rule.
struct SideFile {
  std::string flag;  ///< "--report"
  std::string path;  ///< Empty where it was not asked for.
};

/// An error where one of `files` is another one, or one of `others` (which the command reads or
/// writes), is a folder, or is in a folder that does not exist. Called before any work, so that
/// nothing is written over.
Status checkSideFiles(std::span<const SideFile> files,
                      const std::vector<std::filesystem::path>& others);

}  // namespace clipmill::cli
