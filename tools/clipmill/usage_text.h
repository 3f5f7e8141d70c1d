// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <CLI/Error.hpp>

namespace clipmill::cli {

/// What is wrong with a command line, in the form of all other messages. The library's text may
/// quote any bytes of the command line.
std::string usageText(const CLI::ParseError& fault);

}  // namespace clipmill::cli
