// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>

namespace clipmill::batch {

/// Canonical paths of files, so that two names of one file compare equal. A folder is
/// looked up once.
class Locations {
 public:
  /// The path without links and dots; the file need not exist.
  std::filesystem::path of(const std::filesystem::path& path);

 private:
  std::map<std::filesystem::path, std::filesystem::path> folders_;
};

}  // namespace clipmill::batch
