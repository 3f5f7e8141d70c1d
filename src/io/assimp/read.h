// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "core/result.h"
#include "io/import/imported.h"
#include "io/limits.h"

namespace clipmill::io {

/// Reads a file of another format with Assimp (5.2.5 ends the process at some inputs: call it in a
/// process of its own). Files that it refers to are read from its own folder and below, and
/// nowhere else.
///
/// COLLADA tells its unit and its axes, which Assimp puts into the root node; MD5 and SMD are in
/// inches by convention; of other formats the unit is taken to be the metre (warning unit_unknown).
/// Keys are linear. Left out with a warning: cameras and lights, vertex animation, points and
/// lines, pictures that are not there or are neither PNG nor JPEG.
///
/// Errors: kUnsupported (no reader knows it), kMalformed, kLimit.
Result<ImportedScene> readWithAssimp(const std::filesystem::path& path, const Limits& limits);

}  // namespace clipmill::io
