// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "core/math.h"

/// Joints that a file gains in its hierarchy before it is read for a run.
namespace clipmill {

/// A joint that is inserted between a node and some of its children.
struct InsertedJoint {
  std::string name;
  /// Index in Skeleton::nodes, with the inserted joints behind those of the file; -1 for the scene.
  int parent = -1;
  Transform rest;  ///< Local, in file units.
  /// Nodes that were children of `parent` and become children of this joint. Their local
  /// transforms stay, so `rest` is the identity where they are to keep their world positions.
  std::vector<int> adopted;
};

struct JointInsertion {
  std::vector<InsertedJoint> joints;
  /// A node of the file, a joint of the skins that get the new joints.
  int anchor = -1;
};

}  // namespace clipmill
