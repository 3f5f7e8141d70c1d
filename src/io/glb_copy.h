// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/file.h"
#include "core/result.h"
#include "core/warnings.h"
#include "io/document.h"

namespace clipmill::io {

/// A file as one GLB, for players that read only GLB: metres, y up. Its animations
/// are those of Scene::clips, in their order.
struct GlbCopy {
  Bytes bytes;
  std::vector<double> start_s;       ///< Time of each clip at second 0 of its animation.
  std::vector<int> source_of_node;   ///< Node::source_id of each node of the GLB.
  double units_per_file_unit = 1.0;  ///< Of lengths in the space of a node.
  Warnings warnings;                 ///< What the copy does not show.
};

/// The copy of an asset that was loaded with its meshes. A glTF file is taken as it is, with what
/// it refers to; of other formats the Scene is written (conversion.h), its clips as one key a
/// frame. Errors: those of convertScene.
Result<GlbCopy> glbCopyOf(const Asset& asset, const Limits& limits);

}  // namespace clipmill::io
