// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/limits.h"
#include "core/result.h"
#include "io/gltf/document.h"
#include "scene/scene.h"

namespace clipmill::io::gltf {

/// The Scene of a document: all nodes (every scene of the file), skins, clips in the order of
/// `animations`, and the meshes, materials and images if `with_meshes`. Node::source_id is the glTF
/// node index. What a Scene cannot store is ignored without a warning; conversionLossOf() lists it.
///
/// Refused (kMalformed): nodes that form a cycle or have two parents, references to nothing, key
/// times that descend or are not finite, outputs whose length does not fit. Read with a warning:
/// matrices with shear, channels of unknown kind, vertices without weights, Draco geometry, faults
/// in materials and vertex colours, images that cannot be read.
Result<Scene> readScene(const Document& document, bool with_meshes, const io::Limits& limits);

/// The errors of readScene() without meshes. Keeps the keys of one clip at a time.
Status checkScene(const Document& document, const io::Limits& limits);

}  // namespace clipmill::io::gltf
