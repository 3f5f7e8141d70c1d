// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "side_files.h"

namespace clipmill::cli {

namespace fs = std::filesystem;

namespace {

Status checkSideFile(const SideFile& file, const std::vector<fs::path>& others) {
  const fs::path path = file.path, normal = path.lexically_normal();
  std::error_code fault;  // a path that the system cannot look up is no other's
  const bool exists = fs::exists(path, fault);
  for (const fs::path& other : others) {
    if (other.empty()) continue;
    const bool is_same =
        normal == other.lexically_normal() || (exists && fs::equivalent(path, other, fault));
    if (!is_same) continue;
    return Error{ErrorCode::kUsage, file.flag + " " + file.path,
                 "is also another file of this command", "choose another name"};
  }
  if (fs::is_directory(path, fault)) {
    return Error{ErrorCode::kUsage, file.flag + " " + file.path, "is a folder",
                 "name a file in the folder"};
  }
  if (path.has_parent_path() && !fs::is_directory(path.parent_path(), fault)) {
    return Error{ErrorCode::kWrite, file.flag + " " + file.path,
                 "is in a folder that does not exist", "create the folder first"};
  }
  return {};
}

}  // namespace

Status checkSideFiles(std::span<const SideFile> files, const std::vector<fs::path>& others) {
  std::vector<fs::path> taken = others;
  for (const SideFile& file : files) {
    if (file.path.empty()) continue;
    CLIPMILL_CHECK(checkSideFile(file, taken));
    taken.emplace_back(file.path);
  }
  return {};
}

}  // namespace clipmill::cli
