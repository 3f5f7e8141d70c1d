// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "anim/skeleton.h"
#include "core/warnings.h"
#include "io/fbx/document.h"
#include "io/fbx/transform_chain.h"

namespace clipmill::io::fbx {

/// The Models of a file as nodes, and the mapping back to the Models.
struct Nodes {
  Skeleton skeleton;                   ///< Node::source_id counts the Models in file order.
  std::vector<int> object_of_node;     ///< Index in Document::objects.
  std::vector<int> node_of_object;     ///< -1 for objects that are no Models.
  std::vector<TransformChain> chains;  ///< Of each node, without animation.
};

/// All Models, parents first, with their transforms at rest. Adds to `warnings` what is read in
/// an order that the file does not state. Error: kMalformed for Models that hang in a circle.
Result<Nodes> readNodes(const Document& document, Warnings& warnings);

}  // namespace clipmill::io::fbx
