// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

/// What a program is given by its user, and shows him, on every system in UTF-8.
namespace clipmill::system {

/// The arguments of this process without its name. Windows converts those of main() to its old
/// code page, which lacks most scripts: there they are read from the command line itself.
std::vector<std::string> utf8Arguments(int count, char** values);

/// From here on the standard streams carry bytes as they are, and a console shows them as UTF-8.
void prepareStandardStreams();

}  // namespace clipmill::system
