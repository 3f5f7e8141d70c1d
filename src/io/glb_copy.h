// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/file.h"
#include "core/result.h"
#include "core/warnings.h"
#include "io/io.h"

namespace clipmill::io {

/// What a file shows, as one GLB for players that read nothing else. In the file's own units and
/// axes: Scene::metric_from_file leads on to metres.
struct GlbCopy {
  Bytes bytes;
  std::vector<int> clip_of_animation;  ///< Index in Scene::clips of each animation of the GLB.
  std::vector<int> source_of_node;     ///< Node::source_id of each node of the GLB.
  Warnings warnings;                   ///< What the copy does not show.
};

/// The copy of an asset that was loaded with its meshes. A glTF file is taken as it is, with what
/// it refers to; of other formats the Scene is written, its clips as one key a frame. Errors: those
/// of writeGlb, and kLimit where the sampled clips need more memory than the limit.
Result<GlbCopy> glbCopyOf(const Asset& asset, const Limits& limits);

}  // namespace clipmill::io
