// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace clipmill::cli {

/// The HTML page of a batch. Its template is loaded before the work, which may take hours.
class BatchPage {
 public:
  /// Sets the path of the page; an empty path asks for no page. Errors: kNotFound without the
  /// template.
  Status prepare(const std::string& path);

  /// Writes the page of a report, if one was asked for, and logs its size. Without `out_dir` the
  /// outputs are in the folder that the report names. Errors: those of batchPage(), kWrite.
  Status finish(const std::string& report_json,
                const std::optional<std::filesystem::path>& out_dir) const;

 private:
  std::string path_, template_;
};

}  // namespace clipmill::cli
