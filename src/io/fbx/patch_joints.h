// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/fbx/read.h"
#include "scene/additions.h"

namespace clipmill::io::fbx {

/// The file with the joints and weights of `additions`; its morphs are left to patchDocument().
/// `read` and `scene` are what readScene() made of `document`, with meshes where weights are added.
///
/// Joints become limbs behind the Models of the file, in their order. New joints of a skin get
/// clusters, and an entry in the bind poses that have the mesh or other joints of it. Clusters of
/// vertices whose influences change are rewritten; in them, as everywhere, other vertices keep
/// their weights unchanged. Everything else stays byte for byte.
///
/// Errors: kInternal for additions that do not fit; kUnsupported before FBX 7, for a mesh that
/// several nodes show or that has several skins, and for vertices that follow the node of the mesh
/// in part.
Result<Bytes> patchJoints(const Document& document, const ReadScene& read, const Scene& scene,
                          const Additions& additions);

}  // namespace clipmill::io::fbx
