// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace clipmill {

/// A name for a file that is to become `path` by rename: hidden, in the same folder (so that the
/// rename stays on one file system), and of no file that is there.
std::filesystem::path temporaryBeside(const std::filesystem::path& path);

/// The name of the file that a file of such a name was to become: a process that was killed may
/// have left one behind. Nothing for other names.
std::optional<std::string> targetOfTemporary(std::string_view file_name);

/// Whether temporaryBeside() of that process made the name.
bool isTemporaryOf(std::string_view file_name, std::uint64_t process_id);

/// The process that makes, or made, a temporary file of this name; nothing for other names.
std::optional<std::uint64_t> processOfTemporary(std::string_view file_name);

}  // namespace clipmill
