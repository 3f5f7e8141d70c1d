// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "io/gltf/document.h"
#include "io/io.h"

namespace clipmill::io {

/// glTF behind the door: parses, reads the Scene, and keeps the document for writing back.
Status loadGltf(Bytes bytes, const LoadOptions& options, Asset& asset);

/// A GLB in the container that the name `output_path` asks for: as it is, or .gltf with its .bin.
Result<Output> glbIn(Bytes glb, const std::filesystem::path& output_path, const Limits& limits);

}  // namespace clipmill::io
