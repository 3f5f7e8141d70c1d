// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace clipmill::io::imported {

/// The message of a library as one clause for people: its first line without full stop, 200 bytes
/// at most. Empty where it names parts of the library's own code, which mean nothing to them.
std::string plainCause(std::string_view message);

}  // namespace clipmill::io::imported
