// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

/// Messages of the program on standard error. Only tools, batch and pipeline write them; the
/// modules below them return values.
namespace clipmill::log {

enum class Level { kQuiet, kNormal, kVerbose };

/// Sets what is shown: errors always, warnings and notes from kNormal, details from kVerbose.
void setLevel(Level level);

void error(std::string_view text);
void warning(std::string_view text);
void note(std::string_view text);
void detail(std::string_view text);

}  // namespace clipmill::log
