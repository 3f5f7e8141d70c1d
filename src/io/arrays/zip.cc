// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/arrays/zip.h"

#include <algorithm>
#include <limits>

#include <zlib.h>

#include "core/text.h"
#include "core/to_size.h"
#include "io/arrays/byte_values.h"

namespace clipmill::io::arrays {
namespace {

constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint32_t kEntrySignature = 0x02014b50;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kEnd64Signature = 0x06064b50;
constexpr std::uint32_t kLocator64Signature = 0x07064b50;
constexpr std::uint64_t kLocalBytes = 30, kEntryBytes = 46, kEndBytes = 22;
constexpr std::uint64_t kEnd64Bytes = 56, kLocator64Bytes = 20;
constexpr std::uint32_t kIn64 = 0xffffffff;  // the value is in the extra field
constexpr std::uint16_t kExtra64 = 1;
constexpr std::uint16_t kStored = 0, kDeflated = 8;
constexpr std::uint16_t kEncrypted = 1, kUtf8 = 1 << 11;
constexpr std::uint16_t kFirstDay = (0 << 9) | (1 << 5) | 1;  // 1980-01-01
constexpr std::size_t kMaxEntries = 65535;

Error fault(std::string message) { return {ErrorCode::kMalformed, "zip", std::move(message), ""}; }

bool holds(std::span<const std::byte> bytes, std::uint64_t at, std::uint64_t size) {
  return at <= bytes.size() && size <= bytes.size() - at;
}

// Where the list of entries is.
struct Directory {
  std::uint64_t entries = 0, at = 0;
};

Result<std::uint64_t> endRecord(std::span<const std::byte> bytes) {
  constexpr std::uint64_t kLongestComment = 65535;
  if (bytes.size() < kEndBytes) return fault("is too short for an archive");
  const std::uint64_t last = bytes.size() - kEndBytes;
  for (std::uint64_t back = 0; back <= std::min(last, kLongestComment); ++back) {
    if (loadValue<std::uint32_t>(bytes, last - back) == kEndSignature) return last - back;
  }
  return fault("has no central directory; the file may be cut off");
}

Result<Directory> findDirectory(std::span<const std::byte> bytes) {
  CLIPMILL_TRY(const std::uint64_t end, endRecord(bytes));
  if (loadValue<std::uint16_t>(bytes, end + 4) != 0) {
    return Error{ErrorCode::kUnsupported, "zip", "is a part of an archive in several files",
                 "pack it into one file"};
  }
  Directory directory{loadValue<std::uint16_t>(bytes, end + 10),
                      loadValue<std::uint32_t>(bytes, end + 16)};
  const bool is_wide = directory.entries == 0xffff || directory.at == kIn64;
  if (!is_wide || end < kLocator64Bytes) return directory;
  const std::uint64_t locator = end - kLocator64Bytes;
  if (loadValue<std::uint32_t>(bytes, locator) != kLocator64Signature) return directory;
  const auto end64 = loadValue<std::uint64_t>(bytes, locator + 8);
  if (!holds(bytes, end64, kEnd64Bytes) ||
      loadValue<std::uint32_t>(bytes, end64) != kEnd64Signature) {
    return fault("has a broken 64-bit directory");
  }
  return Directory{loadValue<std::uint64_t>(bytes, end64 + 32),
                   loadValue<std::uint64_t>(bytes, end64 + 48)};
}

// Replaces the values that are in the extra field of 64-bit sizes.
Status widen(std::span<const std::byte> extra, ZipEntry& entry) {
  std::uint64_t at = 0;
  while (holds(extra, at, 4)) {
    const auto id = loadValue<std::uint16_t>(extra, at);
    const auto size = loadValue<std::uint16_t>(extra, at + 2);
    at += 4;
    if (!holds(extra, at, size)) break;
    if (id != kExtra64) {
      at += size;
      continue;
    }
    const std::uint64_t end = at + size;
    for (std::uint64_t* value : {&entry.bytes, &entry.packed_bytes, &entry.header_at}) {
      if (*value != kIn64) continue;
      if (end - at < 8) return fault("has a 64-bit size that is missing");
      *value = loadValue<std::uint64_t>(extra, at);
      at += 8;
    }
    return {};
  }
  return {};
}

Result<Bytes> inflated(std::span<const std::byte> packed, std::uint64_t size) {
  if (size > std::numeric_limits<uInt>::max() || packed.size() > std::numeric_limits<uInt>::max()) {
    return Error{ErrorCode::kLimit, "", "exceeds 4 GiB", "store it without compression"};
  }
  Bytes out(toSize(size));
  z_stream stream{};
  Bytef nowhere = 0;  // zlib requires an address, even for no data
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = out.empty() ? &nowhere : reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
    return Error{ErrorCode::kInternal, "", "zlib does not start", ""};
  }
  const int status = inflate(&stream, Z_FINISH);
  const bool is_whole = status == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  if (!is_whole) return Error{ErrorCode::kMalformed, "", "its compressed data is corrupt", ""};
  return out;
}

std::uint32_t checksum(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

bool looksLikeZip(std::span<const std::byte> bytes) {
  return holds(bytes, 0, kLocalBytes) && loadValue<std::uint32_t>(bytes, 0) == kLocalSignature;
}

Result<std::vector<ZipEntry>> zipEntries(std::span<const std::byte> bytes) {
  CLIPMILL_TRY(const Directory directory, findDirectory(bytes));
  if (directory.entries > kMaxEntries) {
    return Error{ErrorCode::kLimit, "zip", "has more than 65,535 entries", ""};
  }
  std::vector<ZipEntry> entries;
  std::uint64_t at = directory.at;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    if (!holds(bytes, at, kEntryBytes) || loadValue<std::uint32_t>(bytes, at) != kEntrySignature) {
      return fault("has a broken central directory");
    }
    const std::uint64_t name_bytes = loadValue<std::uint16_t>(bytes, at + 28);
    const std::uint64_t extra_bytes = loadValue<std::uint16_t>(bytes, at + 30);
    const std::uint64_t comment_bytes = loadValue<std::uint16_t>(bytes, at + 32);
    if (!holds(bytes, at + kEntryBytes, name_bytes + extra_bytes + comment_bytes)) {
      return fault("has a broken central directory");
    }
    ZipEntry entry;
    entry.flags = loadValue<std::uint16_t>(bytes, at + 8);
    entry.method = loadValue<std::uint16_t>(bytes, at + 10);
    entry.crc = loadValue<std::uint32_t>(bytes, at + 16);
    entry.packed_bytes = loadValue<std::uint32_t>(bytes, at + 20);
    entry.bytes = loadValue<std::uint32_t>(bytes, at + 24);
    entry.header_at = loadValue<std::uint32_t>(bytes, at + 42);
    entry.name = asText(bytes.subspan(toSize(at + kEntryBytes), toSize(name_bytes)));
    CLIPMILL_CHECK(
        widen(bytes.subspan(toSize(at + kEntryBytes + name_bytes), toSize(extra_bytes)), entry));
    entries.push_back(std::move(entry));
    at += kEntryBytes + name_bytes + extra_bytes + comment_bytes;
  }
  return entries;
}

Result<Bytes> readZipEntry(std::span<const std::byte> bytes, const ZipEntry& entry,
                           std::uint64_t max_bytes) {
  const std::string location = printable(entry.name, 80);
  if (entry.flags & kEncrypted) {
    return Error{ErrorCode::kUnsupported, location, "is encrypted", "pack it without a password"};
  }
  if (entry.method != kStored && entry.method != kDeflated) {
    return Error{ErrorCode::kUnsupported, location,
                 "has compression method " + std::to_string(entry.method),
                 "pack it stored or deflated, as numpy.savez does"};
  }
  if (entry.bytes > max_bytes) {
    return Error{ErrorCode::kLimit, location, "needs more memory than the limit allows",
                 "raise --max-decoded-mb"};
  }
  if (!holds(bytes, entry.header_at, kLocalBytes) ||
      loadValue<std::uint32_t>(bytes, entry.header_at) != kLocalSignature) {
    return within(location, fault("has no local header"));
  }
  // Sizes of the local header may be missing; those of the directory count.
  const std::uint64_t data_at = entry.header_at + kLocalBytes +
                                loadValue<std::uint16_t>(bytes, entry.header_at + 26) +
                                loadValue<std::uint16_t>(bytes, entry.header_at + 28);
  if (!holds(bytes, data_at, entry.packed_bytes)) {
    return within(location, fault("is cut off"));
  }
  const auto packed = bytes.subspan(toSize(data_at), toSize(entry.packed_bytes));
  Bytes content;
  if (entry.method == kStored) {
    if (entry.packed_bytes != entry.bytes) return within(location, fault("has two sizes"));
    content.assign(packed.begin(), packed.end());
  } else {
    auto unpacked = inflated(packed, entry.bytes);
    if (!unpacked) return within(location, unpacked.error());
    content = std::move(*unpacked);
  }
  if (checksum(content) != entry.crc) {
    return Error{ErrorCode::kMalformed, location, "has a wrong checksum",
                 "copy the file again; it was damaged"};
  }
  return content;
}

Result<Bytes> writeZip(std::span<const ZipFile> files) {
  constexpr std::uint64_t kLimit = 0xfffffffe;
  std::uint64_t total = kEndBytes;
  for (const ZipFile& file : files) {
    total += kLocalBytes + kEntryBytes + 2 * file.name.size() + file.bytes.size();
  }
  if (total > kLimit || files.size() >= kMaxEntries) {
    return Error{ErrorCode::kLimit, "", "would exceed 4 GiB", "choose fewer clips, or lower --fps"};
  }
  ByteWriter out, directory;
  // What local header and directory have in common, from the version on.
  const auto common = [](const ZipFile& file, ByteWriter& to) {
    const auto size = static_cast<std::uint32_t>(file.bytes.size());
    for (const std::uint16_t value :
         {std::uint16_t{20}, kUtf8, kStored, std::uint16_t{0}, kFirstDay})
      to.value(value);
    to.value(checksum(file.bytes));
    to.value(size);
    to.value(size);
    to.value(static_cast<std::uint16_t>(file.name.size()));
    to.value(std::uint16_t{0});
  };
  for (const ZipFile& file : files) {
    const auto header_at = static_cast<std::uint32_t>(out.bytes.size());
    out.value(kLocalSignature);
    common(file, out);
    out.text(file.name);
    out.bytes.insert(out.bytes.end(), file.bytes.begin(), file.bytes.end());
    directory.value(kEntrySignature);
    directory.value(std::uint16_t{20});
    common(file, directory);
    for (int i = 0; i < 3; ++i) directory.value(std::uint16_t{0});
    directory.value(std::uint32_t{0});
    directory.value(header_at);
    directory.text(file.name);
  }
  const auto directory_at = static_cast<std::uint32_t>(out.bytes.size());
  out.bytes.insert(out.bytes.end(), directory.bytes.begin(), directory.bytes.end());
  out.value(kEndSignature);
  out.value(std::uint32_t{0});
  for (int i = 0; i < 2; ++i) out.value(static_cast<std::uint16_t>(files.size()));
  out.value(static_cast<std::uint32_t>(directory.bytes.size()));
  out.value(directory_at);
  out.value(std::uint16_t{0});
  return std::move(out.bytes);
}

}  // namespace clipmill::io::arrays
