// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace clipmill {

using Bytes = std::vector<std::byte>;

/// The whole file. Errors: kNotFound, kUnreadable, kLimit when it is larger than `max_bytes`.
Result<Bytes> readFile(const std::filesystem::path& path, std::uint64_t max_bytes);

/// Writes `bytes` to a temporary file beside `path`, flushes it, and renames it over `path`, so
/// that `path` holds either its old content or all of the new. A device or pipe, as /dev/null,
/// stays and gets the bytes, and so does the file that a link leads to. Error: kWrite.
Status writeFileAtomically(const std::filesystem::path& path, std::span<const std::byte> bytes);
Status writeFileAtomically(const std::filesystem::path& path, std::string_view text);

/// The same without the flush, for files that can be made again: after a loss of power the content
/// of `path` is undefined.
Status replaceFile(const std::filesystem::path& path, std::string_view text);

/// Removes what writeFileAtomically() of another process left in `folder` when it was ended.
void removeTemporaries(const std::filesystem::path& folder, std::uint64_t process_id);

/// The bytes seen as text, and text seen as bytes; no copy.
std::string_view asText(std::span<const std::byte> bytes);
std::span<const std::byte> asBytes(std::string_view text);

}  // namespace clipmill
