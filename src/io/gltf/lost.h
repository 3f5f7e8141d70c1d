// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/warnings.h"
#include "io/gltf/document.h"

namespace clipmill::gltf {

/// What the document holds and a Scene has no place for, so that another format made of the Scene
/// goes without it: cameras, lights, extras, extensions (VRM among them) but for those that
/// readScene() takes in, second UV and colour sets, tangents, custom attributes, how a texture is
/// placed and sampled, lines and points, meshes that no node shows, and the like. One code a kind,
/// each counted once for every place it stands in.
///
/// Not told: what readScene() warns of itself, what means the same in another spelling (sparse and
/// quantised accessors, compression, strips and fans, matrices of nodes), and what says how the
/// file is laid out (names of buffers and accessors).
Warnings lostInScene(const Document& document);

}  // namespace clipmill::gltf
