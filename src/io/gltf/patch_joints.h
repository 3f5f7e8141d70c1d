// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/file.h"
#include "core/result.h"
#include "io/gltf/document.h"
#include "scene/additions.h"

namespace clipmill::io::gltf {

/// The document with the joints and weights of `additions`; its morphs are left to patchDocument().
/// `scene` is what readScene() made of it, with meshes where weights are added.
///
/// Joints become nodes behind those of the document. Skins get longer `joints`, and an accessor
/// with all their inverse bind matrices. Primitives with new weights get their JOINTS_0 and
/// WEIGHTS_0 (float) and lose further sets; those that readScene() cannot read (Draco) keep theirs.
/// A mesh that other nodes show too is copied for the node that gets weights. The rest of the text
/// stays character for character, the BIN chunk as a prefix of the new one.
///
/// Errors: kInternal for additions that do not fit; kUnsupported for values that 32-bit floats
/// cannot store, and for more joints than a skin can have.
Result<Bytes> patchJoints(const Document& document, const Scene& scene, const Additions& additions);

}  // namespace clipmill::io::gltf
