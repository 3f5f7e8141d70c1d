// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "batch/batch.h"
#include "core/result.h"
#include "core/system.h"

namespace clipmill::batch {

/// The events of a shard, one line of JSON each, written when they happen: after a
/// crash it shows which files were in work. No result depends on it; records decide.
class Journal {
 public:
  /// Appends to an existing file. Error: kWrite.
  static Result<Journal> open(const std::filesystem::path& path, std::size_t jobs);
  void start(const BatchJob& job);
  void end(const JobResult& result);
  /// The first error of any event. Error: kWrite.
  Status close();

 private:
  void add(const std::string& line);

  system::AppendedFile file_;
  Status status_;
};

}  // namespace clipmill::batch
