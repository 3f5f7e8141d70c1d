// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace clipmill::cli {

/// The page of a batch. What it is made from is looked for before the work, which may take hours.
class BatchPage {
 public:
  /// Where it is to be written; an empty path asks for no page. `others` are the other files that
  /// the command writes or reads, of which empty ones count for nothing. Errors: kNotFound without
  /// the page's template; kUsage for a path that is another's.
  Status begin(const std::string& path, const std::vector<std::string>& others);

  /// Writes the page of a report, if one was asked for, and says so. Without `out_dir` outputs lie
  /// where the report says. Errors: those of batchPage(), kWrite.
  Status finish(const std::string& report_json,
                const std::optional<std::filesystem::path>& out_dir) const;

 private:
  std::string path_, template_;
};

}  // namespace clipmill::cli
