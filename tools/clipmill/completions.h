// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "command_reference.h"

namespace clipmill::cli {

/// Scripts with which a shell completes commands, flags, their values, and keys of --set.
/// Where the value is a text, files are offered.
std::string bashCompletions(const Reference& reference);
std::string zshCompletions(const Reference& reference);
std::string fishCompletions(const Reference& reference);

}  // namespace clipmill::cli
