// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace clipmill {

/// XXH3-128 of the bytes, as 32 lower-case hexadecimal digits. Not for secrets.
std::string hashHex(std::span<const std::byte> bytes);

}  // namespace clipmill
