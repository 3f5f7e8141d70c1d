// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>

namespace clipmill::batch {

/// Where files really lie, so that two names of one file are told apart from two files. A folder is
/// looked up once.
class Places {
 public:
  /// The path without links and dots; what is not there yet has a place too.
  std::filesystem::path of(const std::filesystem::path& path);

 private:
  std::map<std::filesystem::path, std::filesystem::path> folders_;
};

}  // namespace clipmill::batch
