// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "core/result.h"
#include "io/import/imported.h"
#include "io/limits.h"

namespace clipmill::io {

/// Has the program clipmill-import read a file, in a process of its own: the library that it uses
/// ends the process at some inputs, or never comes to an end. The program is looked for beside the
/// running one, then in ../libexec/clipmill; the environment variable CLIPMILL_IMPORT names
/// another. It has two minutes, or what CLIPMILL_IMPORT_SECONDS says.
///
/// Errors: those of the reader; kMalformed where it broke down, kLimit where it took longer or gave
/// more than it may, kUnsupported where the program is missing, kInterrupted.
Result<ImportedScene> importInChild(const std::filesystem::path& path, const Limits& limits);

}  // namespace clipmill::io
