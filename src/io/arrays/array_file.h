// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/file.h"
#include "core/limits.h"
#include "core/result.h"
#include "io/arrays/npy.h"
#include "io/arrays/zip.h"

namespace clipmill::io::arrays {

/// The arrays of an .npz archive or of an .npy file, read one by one: those that nobody asks for
/// may be of types that are not read.
class ArrayFile {
 public:
  /// `bytes` must outlive the object. Errors: those of zipEntries().
  static Result<ArrayFile> open(std::span<const std::byte> bytes, const Limits& limits);

  /// Names of the arrays, in file order; one empty name for an .npy file.
  std::vector<std::string> names() const;
  bool has(std::string_view name) const;
  /// The array of that name; of several the last one, as NumPy reads it. Errors, with the name as
  /// their location: kNotFound; those of readZipEntry() and readNpy(). All arrays together keep to
  /// Limits::max_decoded_bytes.
  Result<Array> read(std::string_view name);

 private:
  std::span<const std::byte> bytes_;
  bool is_archive_ = false;
  std::vector<ZipEntry> entries_;  // names without ".npy"
  std::uint64_t bytes_left_ = 0;
};

/// True for .npy files, and for archives whose first entry is an array.
bool looksLikeArrays(std::span<const std::byte> bytes);

/// An .npz archive of arrays, stored; the same arrays give the same bytes. Error: kLimit above 4
/// GiB.
Result<Bytes> writeNpz(std::span<const std::pair<std::string, Array>> arrays);

}  // namespace clipmill::io::arrays
