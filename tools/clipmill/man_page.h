// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "command_reference.h"

namespace clipmill::cli {

/// The manual page clipmill(1), in roff: every command with its flags, every stage with the keys of
/// its recipe.
std::string manPage(const Reference& reference, const std::string& date);

}  // namespace clipmill::cli
