// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/file.h"
#include "core/limits.h"
#include "core/result.h"

/// ZIP archives as NumPy writes them (PKWARE APPNOTE 6.3): stored and deflated entries, sizes of 64
/// bits. Encryption, other compression methods and archives of several parts are refused.
namespace clipmill::io::arrays {

/// A file of an archive, as its central directory describes it.
struct ZipEntry {
  std::string name;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;  ///< 0 stored, 8 deflated.
  std::uint32_t crc = 0;
  std::uint64_t packed_bytes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t header_at = 0;  ///< Offset of the local header.
};

/// True where the bytes start with the signature of a local header.
bool looksLikeZip(std::span<const std::byte> bytes);

/// The central directory of the archive in `bytes`. Errors: kMalformed; kUnsupported for an archive
/// of several parts; kLimit for more than 65,535 entries.
Result<std::vector<ZipEntry>> zipEntries(std::span<const std::byte> bytes);

/// The content of an entry of the archive in `bytes`. Errors: kMalformed, also for a wrong
/// checksum; kUnsupported for encryption and other methods; kLimit for more than `max_bytes`.
Result<Bytes> readZipEntry(std::span<const std::byte> bytes, const ZipEntry& entry,
                           std::uint64_t max_bytes);

/// A file to be packed.
struct ZipFile {
  std::string name;  ///< UTF-8.
  Bytes bytes;
};

/// An archive of stored entries, all of 1980-01-01: the same files give the same bytes. Error:
/// kLimit above 4 GiB.
Result<Bytes> writeZip(std::span<const ZipFile> files);

}  // namespace clipmill::io::arrays
