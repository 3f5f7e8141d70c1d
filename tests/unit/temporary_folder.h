// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "core/file.h"
#include "core/system.h"
#include "core/utf8_path.h"

namespace clipmill::test {

/// A fresh empty folder, removed with all that is in it when the test is over. Its paths have
/// slashes, as those of the command line.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    static int counter = 0;
    path_ = withSlashes(
        std::filesystem::temp_directory_path() /
        ("clipmill_test_" + std::to_string(system::processId()) + "_" + std::to_string(counter++)));
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const {
    return withSlashes(path_ / name);
  }
  /// The path of a file in it, as messages and reports spell it.
  std::string text(const std::string& name) const { return utf8Text(path_ / name); }

  std::filesystem::path write(const std::string& name, const Bytes& bytes) const {
    const std::filesystem::path path = *this / name;
    std::filesystem::create_directories(path.parent_path());
    if (!writeFileAtomically(path, bytes)) std::abort();
    return path;
  }
  Bytes read(const std::string& name) const {
    return readFile(path_ / name, std::uint64_t{1} << 30).value();
  }
  /// Paths of all files, relative and sorted.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path_)) {
      if (!entry.is_directory()) names.push_back(utf8Text(entry.path().lexically_relative(path_)));
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace clipmill::test
