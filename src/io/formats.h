// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "io/document.h"

namespace clipmill::io {

/// All formats that can be read, in the order in which a file is tested for them.
std::span<const FormatType> formatTypes();

/// The format of a file with this content and path, or null.
const FormatType* findFormat(std::span<const std::byte> bytes, const std::filesystem::path& path);

}  // namespace clipmill::io
