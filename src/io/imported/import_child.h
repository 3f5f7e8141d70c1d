// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "core/limits.h"
#include "core/result.h"
#include "io/imported/imported.h"

namespace clipmill::io::imported {

/// Has the program clipmill-import read a file, in a process of its own: the library that it uses
/// crashes or hangs on some inputs. The program is looked for beside the running one, then in
/// ../libexec/clipmill; the environment variable CLIPMILL_IMPORT names another. It has two minutes,
/// or CLIPMILL_IMPORT_SECONDS.
///
/// Errors: those of the reader; kMalformed where it crashed, kLimit where it took longer or gave
/// more than it may, kUnsupported where the program is missing, kInterrupted.
Result<ImportedScene> importInChild(const std::filesystem::path& path, const Limits& limits);

}  // namespace clipmill::io::imported
