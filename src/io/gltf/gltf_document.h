// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/document.h"

namespace clipmill::io::gltf {

/// glTF 2.0: .gltf, .glb, .vrm and .vrma files.
FormatType gltfFormat();

/// A GLB in the container that the extension of `output_path` selects: as it is, or .gltf with its
/// .bin file.
Result<Output> glbOutput(Bytes glb, const std::filesystem::path& output_path, const Limits& limits);

}  // namespace clipmill::io::gltf
