// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "io/gltf/document.h"
#include "io/io.h"

namespace clipmill::io {

/// glTF behind the door: parses, reads the Scene, and keeps the document for writing back.
Status loadGltf(Bytes bytes, const LoadOptions& options, Asset& asset);

}  // namespace clipmill::io
