// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>

#include "io/document.h"
#include "io/fbx/read.h"
#include "scene/additions.h"

namespace clipmill::io::fbx {

/// The file with new curves for the T, R, S channels and shape weights that `edits` change, in the
/// stack (or take) of each clip. `scene` and `read` are what readScene() made of `document`.
///
/// In FBX 7 each changed property gets a new curve node in the lowest layer of its stack and leaves
/// all layers of that stack; what other stacks and properties share with it stays for them. Keys
/// are linear, constant or cubic as the tracks are (channel_keys.h); unit, axes and rotation order
/// stay. FBX 5 and 6 get new Channel elements in the Take. New clips become a stack of one layer,
/// and a Take. A new name is given to the stack, its Take, and the mark of the current one.
/// Everything else stays byte for byte.
///
/// `morphs` become channels at the end of the last BlendShape of their mesh, or of a new one, and
/// DeformPercent curves where a track of their node has their weights. Their normals stay zero:
/// readers make normals anew, or show those of the mesh.
///
/// Errors: kUnsupported for what cannot be written in place (a curve node that serves several
/// stacks and properties, in-betweens whose weights contradict each other; morphs of a mesh that
/// several nodes show, or before FBX 7, or below a geometric scale of zero), kLimit; kInternal for
/// morphs and tracks that do not fit their node.
Result<Bytes> patchDocument(const Document& document, const ReadScene& read, const Scene& scene,
                            std::span<const ClipEdit> edits,
                            std::span<const AddedMorph> morphs = {});

/// A warning for each edited node that a constraint of the file moves too: programs that follow
/// constraints will not show the new keys there.
Warnings constraintWarnings(const Document& document, const ReadScene& read, const Scene& scene,
                            std::span<const ClipEdit> edits);

}  // namespace clipmill::io::fbx
