// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "batch/batch.h"
#include "core/result.h"
#include "core/system.h"

namespace clipmill::batch {

/// What a shard did, a line of JSON for each event, handed to the system as it happens: after a
/// crash it tells which files were in hand. Nothing is decided by it; records do that.
class Journal {
 public:
  /// Goes on at the end of the file where there is one. Error: kWrite.
  static Result<Journal> open(const std::filesystem::path& path, std::size_t jobs);
  void begin(const BatchJob& job);
  void end(const JobResult& result);
  /// The first error that came up in between. Error: kWrite.
  Status close();

 private:
  void add(const std::string& line);

  system::AppendedFile file_;
  Status status_;
};

}  // namespace clipmill::batch
