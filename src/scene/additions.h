// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "core/math.h"

/// What stages add to a file besides motion.
namespace clipmill {

/// A new morph target of the mesh that a node shows. The weight at rest is 0.
///
/// Added morphs follow the node's own in the order in which they stand in their list. A weights
/// track of a node with added morphs has Node::weights_count + added values a key: first those of
/// the node's own morphs, then those of the added ones.
struct AddedMorph {
  int node = 0;                       ///< Index in Skeleton::nodes.
  std::string name;                   ///< Empty: the writer finds one.
  std::vector<Vec3> position_deltas;  ///< Displacements at weight 1, one a vertex of the node's
                                      ///< mesh (SkinnedMesh::positions, and in its space), in file
                                      ///< units.
};

}  // namespace clipmill
