// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "sheet_path.h"

#include <filesystem>

#include "core/file_names.h"

namespace clipmill::cli {

Status checkSheetPath(const std::string& path) {
  if (path.empty() || smallLetters(std::filesystem::path(path).extension().string()) == ".png") {
    return {};
  }
  return Error{ErrorCode::kUsage, path, "a contact sheet is a PNG image",
               "give --sheet a name that ends with .png"};
}

}  // namespace clipmill::cli
