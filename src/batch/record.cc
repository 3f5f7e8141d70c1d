// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/record.h"

#include <algorithm>
#include <chrono>

#include <nlohmann/json.hpp>

#include "core/file.h"
#include "core/hash.h"
#include "core/system.h"

namespace clipmill::batch {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Raised when records of before cannot be read any more.
constexpr int kRecordVersion = 3;
constexpr std::uint64_t kMaxRecordBytes = std::uint64_t{64} << 20;
// Two changes within one tick of a file system's clock look the same; no clock ticks slower.
constexpr std::int64_t kSlowestTick_ns = 2'000'000'000;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Size and time of a file, without its hash.
std::optional<FileStamp> look(const fs::path& path) {
  FileStamp stamp;
  stamp.path = path.string();
  stamp.seen_ns = now_ns();
  const auto found = system::lookAt(path);
  if (!found) return std::nullopt;
  stamp.size = found->size;
  stamp.changed_ns = found->changed_ns;
  return stamp;
}

json jsonOf(const std::vector<FileStamp>& stamps) {
  json list = json::array();
  for (const FileStamp& stamp : stamps) {
    list.push_back({{"path", stamp.path},
                    {"size", stamp.size},
                    {"changed_ns", stamp.changed_ns},
                    {"seen_ns", stamp.seen_ns},
                    {"hash", stamp.hash}});
  }
  return list;
}

std::vector<FileStamp> stampsIn(const json& list) {
  std::vector<FileStamp> stamps;
  for (const json& item : list) {
    FileStamp stamp;
    item.at("path").get_to(stamp.path);
    item.at("size").get_to(stamp.size);
    item.at("changed_ns").get_to(stamp.changed_ns);
    item.at("seen_ns").get_to(stamp.seen_ns);
    item.at("hash").get_to(stamp.hash);
    stamps.push_back(std::move(stamp));
  }
  return stamps;
}

BatchRecord recordIn(const json& value) {
  BatchRecord record;
  value.at("key").get_to(record.key);
  record.read = stampsIn(value.at("read"));
  record.written = stampsIn(value.at("written"));
  value.at("clips").get_to(record.clips);
  value.at("warnings").get_to(record.warnings);
  if (value.contains("beside")) record.beside = stampsIn(value.at("beside"));
  if (value.contains("outcomes")) value.at("outcomes").get_to(record.outcomes_json);
  if (value.contains("error")) {
    const json& fault = value.at("error");
    const int code = fault.at("code").get<int>();
    const bool is_code = code >= 0 && code <= static_cast<int>(ErrorCode::kInternal);
    record.error =
        Error{is_code ? static_cast<ErrorCode>(code) : ErrorCode::kInternal,
              fault.at("location").get<std::string>(), fault.at("message").get<std::string>(),
              fault.at("remedy").get<std::string>()};
  }
  return record;
}

bool areAsStamped(const std::vector<FileStamp>& stamps, std::uint64_t max_bytes) {
  return std::all_of(stamps.begin(), stamps.end(),
                     [&](const FileStamp& stamp) { return isAsStamped(stamp, max_bytes); });
}

}  // namespace

Result<FileStamp> stampOf(const fs::path& path, std::uint64_t max_bytes) {
  // Looked at before it is read: a change in between shows later.
  FileStamp stamp = look(path).value_or(FileStamp());
  stamp.path = path.string();
  CLIPMILL_TRY(const Bytes bytes, readFile(path, max_bytes));
  stamp.hash = hashHex(bytes);
  return stamp;
}

bool isAsStamped(const FileStamp& stamp, std::uint64_t max_bytes) {
  const std::optional<FileStamp> now = look(stamp.path);
  if (!now || now->size != stamp.size) return false;
  const bool is_decided = stamp.seen_ns - stamp.changed_ns > kSlowestTick_ns;
  if (is_decided && now->changed_ns == stamp.changed_ns) return true;
  const auto read = stampOf(stamp.path, max_bytes);
  return read && read->hash == stamp.hash;
}

fs::path recordPath(const fs::path& out_dir, const std::string& job_name) {
  return out_dir / ".clipmill" / (hashHex(asBytes(job_name)) + ".json");
}

std::string recordText(const BatchRecord& record) {
  json value = {{"version", kRecordVersion},   {"key", record.key},
                {"read", jsonOf(record.read)}, {"written", jsonOf(record.written)},
                {"clips", record.clips},       {"warnings", record.warnings}};
  if (!record.beside.empty()) value["beside"] = jsonOf(record.beside);
  // As a text, which is parsed for a report alone and not for every file that is up to date.
  if (!record.outcomes_json.empty()) value["outcomes"] = record.outcomes_json;
  if (record.error) {
    value["error"] = {{"code", static_cast<int>(record.error->code)},
                      {"location", record.error->location},
                      {"message", record.error->message},
                      {"remedy", record.error->remedy}};
  }
  return value.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::optional<BatchRecord> recordFrom(std::string_view text) {
  try {
    const json value = json::parse(text);
    if (value.at("version").get<int>() != kRecordVersion) return std::nullopt;
    return recordIn(value);
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

std::optional<BatchRecord> loadRecord(const fs::path& path) {
  const auto bytes = readFile(path, kMaxRecordBytes);
  if (!bytes) return std::nullopt;
  return recordFrom(asText(*bytes));
}

Status saveRecord(const fs::path& path, const BatchRecord& record) {
  // A torn record is no record: the job is done again.
  return replaceFile(path, recordText(record));
}

bool isCurrent(const BatchRecord& record, const std::string& key, std::uint64_t max_bytes) {
  return record.key == key && areAsStamped(record.read, max_bytes) &&
         areAsStamped(record.written, max_bytes) && areAsStamped(record.beside, max_bytes);
}

}  // namespace clipmill::batch
