// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "anim/skeleton.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/chains/engine_chain.h"
#include "stages/dynamic_bones/unity/text.h"

namespace clipmill::stages::dynamic_bones::unity {

/// The game objects of a text as a hierarchy. Lengths are Unity's, metres; its axes are
/// left-handed.
class Hierarchy {
 public:
  /// Transforms without a name, or in a cycle, are left out.
  explicit Hierarchy(const std::vector<Object>& objects);
  Hierarchy(const Hierarchy&) = delete;
  Hierarchy& operator=(const Hierarchy&) = delete;

  const Skeleton& skeleton() const { return skeleton_; }
  /// Index of the node of a Transform, a GameObject or a component of one; -1 where the text does
  /// not contain it.
  int nodeOf(const std::string& id) const;
  /// Lengths of the node's axes in metres.
  Vec3 scaleOf(int node) const { return scales_[toSize(node)]; }
  /// From its parent, in metres.
  double lengthOf(int node) const;
  const std::vector<int>& childrenOf(int node) const { return children_[toSize(node)]; }
  /// A glob that matches only this node in the file of the model, whose topmost node may have
  /// another name; empty where there is none.
  std::string globOf(int node) const;

 private:
  Skeleton skeleton_;
  std::vector<Vec3> scales_;
  std::vector<std::vector<int>> children_;
  std::map<std::string, int> node_of_id_;
  std::unique_ptr<dynamic_bones::NodeReferences> references_;  // to skeleton_
};

}  // namespace clipmill::stages::dynamic_bones::unity
