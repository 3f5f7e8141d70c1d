// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>

#include "batch/batch.h"

namespace clipmill::cli {

/// Shows the progress of a batch on stderr, and its result at the end. "bar" redraws one line of a
/// terminal; "plain" prints a line after each 5 % of the files; "json" prints only JSON, one line a
/// file and one at the end; "off" prints the result only. "auto" is a bar on a terminal and plain
/// elsewhere.
class BatchProgress {
 public:
  BatchProgress(const std::string& mode, bool quiet, bool verbose);

  /// As BatchOptions::progress calls it.
  void fileDone(const batch::JobResult& result, std::size_t done, std::size_t total);

  /// What was done, what failed, and last the failed files with what can be done about each.
  void finish(std::span<const batch::JobResult> results);

 private:
  enum class Mode { kBar, kPlain, kJson, kOff };
  using Clock = std::chrono::steady_clock;

  void drawBar(const batch::JobResult& result, std::size_t done, std::size_t total);
  std::string pace(std::size_t done, std::size_t total) const;

  Mode mode_;
  bool is_verbose_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_;
  std::size_t failed_ = 0;
  std::size_t known_ = 0;
};

/// One line on a failed file: its name once, what was wrong, what to do.
std::string failureText(const batch::JobResult& result);

}  // namespace clipmill::cli
