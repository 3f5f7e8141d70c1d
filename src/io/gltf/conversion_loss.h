// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/warnings.h"
#include "io/gltf/document.h"

namespace clipmill::io::gltf {

/// What the document has and a Scene cannot store, so that a conversion drops it: cameras, lights,
/// extras (of nodes: those that customPropertyOf() has no property for), extensions (VRM among
/// them) except those that readScene() reads, tangents without normals, custom attributes, how a
/// texture is transformed and sampled, lines and points, meshes that no node shows, and the like.
/// One code a kind, each counted once per occurrence.
///
/// Not included: what readScene() warns of, what has the same meaning in another encoding (sparse
/// and quantised accessors, compression, strips and fans, matrices of nodes), and the file layout
/// (names of buffers and accessors).
Warnings conversionLossOf(const Document& document);

}  // namespace clipmill::io::gltf
