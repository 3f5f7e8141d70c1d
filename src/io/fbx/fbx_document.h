// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/document.h"

namespace clipmill::io::fbx {

/// FBX files, binary and text.
FormatType fbxFormat();

}  // namespace clipmill::io::fbx
