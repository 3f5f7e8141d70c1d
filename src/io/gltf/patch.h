// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "anim/skeleton.h"
#include "anim/track.h"
#include "core/file.h"
#include "core/result.h"
#include "io/document.h"
#include "io/gltf/document.h"
#include "scene/additions.h"

namespace clipmill::io::gltf {

/// The document with the tracks of `edits` replaced, or added where the clip had none. Everything
/// else stays: the rest of the JSON text character for character, the BIN chunk as a prefix of the
/// new one, other chunks and buffers. The old keys stay in the buffer without being referred to. A
/// node given as a matrix is rewritten as translation, rotation and scale once it is a target. New
/// animations are appended to those of the file, in the order of the edits; one without a name has
/// that of its clip in `clips`. With no edits the result is the original file.
///
/// `morphs` become targets at the end of their meshes, see patch_morphs.h; `skeleton` is without
/// them, while tracks of their nodes' weights are as in AddedMorph. `extras` become members of the
/// extras of the file; extras that are no object stay as they are.
///
/// Keys are stored as 32-bit floats. Errors: kUnsupported where a value or the order of key times
/// does not survive that; kLimit above 4 GiB; those of planMorphs().
Result<Bytes> patchDocument(const Document& document, const Skeleton& skeleton,
                            std::span<const ClipEdit> edits,
                            std::span<const AddedMorph> morphs = {}, const io::Limits& limits = {},
                            std::span<const AddedExtra> extras = {},
                            std::span<const Clip> clips = {});

class Patcher;

/// patchDocument() for edits that come one by one, without additions. What it is made of outlives
/// it.
class ClipPatch {
 public:
  ClipPatch(const Document& document, const Skeleton& skeleton, std::span<const Clip> clips);
  ~ClipPatch();

  Status add(const ClipEdit& edit);
  /// The document with all edits. Called once.
  Result<Bytes> finish();

 private:
  std::unique_ptr<Patcher> patcher_;
};

}  // namespace clipmill::io::gltf
