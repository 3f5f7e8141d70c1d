// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "io/fbx/animation.h"
#include "io/fbx/document.h"
#include "io/fbx/read_nodes.h"

namespace clipmill::io::fbx {

/// One blend shape of one node: where its displacements are stored.
struct ShapeSource {
  Element element;  ///< Indexes, Vertices, Normals.
  std::string name;
  /// What each displacement is multiplied by [%]; empty: 100. Blender writes the weights of a
  /// vertex group so.
  std::vector<double> point_percents = {};
};

/// The blend shapes of all nodes, in the order of the morph weights. A channel with several shapes
/// (in-betweens) has one weight for each.
struct Shapes {
  std::vector<ShapeChannel> channels;
  std::vector<ShapeSource> of_weight;
  std::vector<int> node_of_weight;
};

/// Finds them, and gives the nodes their morph weights at rest. Error: kMalformed for damaged
/// weights.
Result<Shapes> readShapes(const Document& document, Nodes& nodes);

/// The object that holds the polygons of a Model: its Geometry, or (FBX 6) itself; -1 for none.
int geometryOf(const Document& document, int model);

}  // namespace clipmill::io::fbx
