// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/document.h"

namespace clipmill::io::imported {

/// COLLADA, DirectX .x, MD5 and the other formats that clipmill-import reads in a child process,
/// see import_child.h. Formats without a signature are identified by their extension.
FormatType importedFormat();

}  // namespace clipmill::io::imported
