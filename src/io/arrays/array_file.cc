// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/arrays/array_file.h"

#include <algorithm>

#include "core/text.h"
#include "io/arrays/byte_values.h"

namespace clipmill::io::arrays {
namespace {

constexpr std::string_view kEnding = ".npy";

}  // namespace

Result<ArrayFile> ArrayFile::open(std::span<const std::byte> bytes, const Limits& limits) {
  ArrayFile file;
  file.bytes_ = bytes;
  file.bytes_left_ = limits.max_decoded_bytes;
  file.is_archive_ = !looksLikeNpy(bytes);
  if (!file.is_archive_) return file;
  CLIPMILL_TRY(std::vector<ZipEntry> entries, zipEntries(bytes));
  for (ZipEntry& entry : entries) {
    if (!entry.name.ends_with(kEnding)) continue;
    entry.name.resize(entry.name.size() - kEnding.size());
    file.entries_.push_back(std::move(entry));
  }
  return file;
}

std::vector<std::string> ArrayFile::names() const {
  if (!is_archive_) return {""};
  std::vector<std::string> names;
  for (const ZipEntry& entry : entries_) names.push_back(entry.name);
  return names;
}

bool ArrayFile::has(std::string_view name) const {
  if (!is_archive_) return name.empty();
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const ZipEntry& entry) { return entry.name == name; });
}

Result<Array> ArrayFile::read(std::string_view name) {
  const std::string location = printable(name, 80);
  if (!has(name)) {
    return Error{ErrorCode::kNotFound, location, "is not in the file", ""};
  }
  Bytes unpacked;
  std::span<const std::byte> content = bytes_;
  if (is_archive_) {
    const auto entry = std::find_if(entries_.rbegin(), entries_.rend(),
                                    [&](const ZipEntry& e) { return e.name == name; });
    CLIPMILL_TRY(unpacked, readZipEntry(bytes_, *entry, bytes_left_));
    content = unpacked;
  }
  auto array = readNpy(content, bytes_left_);
  if (!array) return within(location, array.error());
  bytes_left_ -= std::min<std::uint64_t>(bytes_left_, array->data.size());
  return array;
}

bool looksLikeArrays(std::span<const std::byte> bytes) {
  if (looksLikeNpy(bytes)) return true;
  if (!looksLikeZip(bytes)) return false;
  const std::size_t name_bytes = loadValue<std::uint16_t>(bytes, 26);
  return asText(bytes.subspan(30)).substr(0, name_bytes).ends_with(kEnding);
}

Result<Bytes> writeNpz(std::span<const std::pair<std::string, Array>> arrays) {
  std::vector<ZipFile> files;
  for (const auto& [name, array] : arrays) {
    files.push_back({name + std::string(kEnding), writeNpy(array)});
  }
  return writeZip(files);
}

}  // namespace clipmill::io::arrays
