// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/canonical_paths.h"

namespace clipmill::batch {
namespace {

namespace fs = std::filesystem;

fs::path lookedUp(const fs::path& path) {
  std::error_code fault;
  const fs::path location = fs::weakly_canonical(path, fault);
  return fault ? path.lexically_normal() : location;
}

}  // namespace

fs::path Locations::of(const fs::path& path) {
  const fs::path name = path.filename();
  std::error_code fault;
  if (name.empty() || name == "." || name == ".." || fs::is_symlink(path, fault)) {
    return lookedUp(path);
  }
  const fs::path folder = path.parent_path();
  const auto [known, is_new] = folders_.try_emplace(folder);
  if (is_new) known->second = lookedUp(folder.empty() ? fs::path(".") : folder);
  return known->second / name;
}

}  // namespace clipmill::batch
