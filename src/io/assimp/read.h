// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "core/limits.h"
#include "core/result.h"
#include "io/imported/imported.h"

namespace clipmill::io::assimp {

/// Reads a file of another format with Assimp (5.2.5 ends the process at some inputs: call it in a
/// process of its own). Files that it refers to are read from its own folder and below, and
/// nowhere else.
///
/// COLLADA stores its unit and its axes, which Assimp puts into the root node; MD5 and SMD are in
/// inches by convention; other formats are assumed to be in metres (warning unit_unknown).
/// Keys are linear. Dropped with a warning: cameras and lights, vertex animation, points and
/// lines, images that do not exist or are neither PNG nor JPEG.
///
/// Errors: kUnsupported (no reader knows it), kMalformed, kLimit.
Result<imported::ImportedScene> readWithAssimp(const std::filesystem::path& path,
                                               const Limits& limits);

}  // namespace clipmill::io::assimp
