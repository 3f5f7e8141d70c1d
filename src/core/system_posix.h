// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

/// What the files system_posix*.cc share.
namespace clipmill::system::posix {

/// False where not all could be written; errno has the reason.
bool writeAll(int file, std::span<const std::byte> bytes);

/// Appends what there is to read. False at the end of it.
bool readSome(int file, std::vector<std::byte>& output);

}  // namespace clipmill::system::posix
