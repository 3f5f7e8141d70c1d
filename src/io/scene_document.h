// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "io/io.h"

namespace clipmill::io {

/// BVH behind the door: reads the Scene. What is written is a new file in metres.
Status loadBvh(Bytes bytes, const LoadOptions& options, Asset& asset);

/// True for files that a helper program is asked to read: by their content (COLLADA, DirectX .x,
/// MD5), or by the extension of a format that has no mark.
bool looksImportable(std::span<const std::byte> bytes, const std::filesystem::path& path);

/// Such a file behind the door: a child process reads it from its path, see
/// io/import/import_child.h. What is written is a new file in metres.
Status loadImported(Bytes bytes, const LoadOptions& options, Asset& asset);

/// Extensions that looksImportable() knows, with their dots.
std::span<const std::string_view> importableExtensions();

}  // namespace clipmill::io
