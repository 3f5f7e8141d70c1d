// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace clipmill::batch {

/// A file as it was seen.
struct FileStamp {
  std::string path;
  std::uint64_t size = 0;
  std::int64_t changed_ns = 0;  ///< Time of its last change, since 1970.
  std::int64_t seen_ns = 0;     ///< When it was looked at, by the same clock.
  std::string hash;             ///< XXH3-128 of its bytes.
};

/// Reads the file. Errors: those of readFile.
Result<FileStamp> stampOf(const std::filesystem::path& path, std::uint64_t max_bytes);

/// Whether the file still is what it was. Its bytes are read unless size and time of change decide:
/// they do where it was seen long enough after that change for another one to show.
bool isAsStamped(const FileStamp& stamp, std::uint64_t max_bytes);

/// What became of a job, so that it need not be done again until something changes.
struct BatchRecord {
  std::string key;                 ///< What else than files it depends on, hashed.
  std::vector<FileStamp> read;     ///< The input first, then what it and the settings refer to.
  std::vector<FileStamp> written;  ///< The outputs; empty for a job that failed.
  std::vector<FileStamp> beside;   ///< What stages and BesideOutputs put beside the outputs.
  std::optional<Error> error;
  std::uint64_t clips = 0;
  std::uint64_t warnings = 0;
  std::string outcomes_json;  ///< clipOutcomesJson(); empty for a job that failed.
};

/// Where the record of a job lies.
std::filesystem::path recordPath(const std::filesystem::path& out_dir, const std::string& job_name);

/// The record as text, and back; nothing for a text that is none.
std::string recordText(const BatchRecord& record);
std::optional<BatchRecord> recordFrom(std::string_view text);

/// Nothing where there is none that can be understood.
std::optional<BatchRecord> loadRecord(const std::filesystem::path& path);
/// Error: kWrite.
Status saveRecord(const std::filesystem::path& path, const BatchRecord& record);

/// Whether nothing changed that the job depends on, and what it wrote is still there.
bool isCurrent(const BatchRecord& record, const std::string& key, std::uint64_t max_bytes);

}  // namespace clipmill::batch
