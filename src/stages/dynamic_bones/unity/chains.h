// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <vector>

#include "stages/dynamic_bones/chains/engine_chain.h"
#include "stages/dynamic_bones/settings.h"
#include "stages/dynamic_bones/unity/components.h"
#include "stages/dynamic_bones/unity/hierarchy.h"

namespace clipmill::stages::dynamic_bones::unity {

/// Converts components to chains. The formulas are in stepwise_spring.h: all three engines move a
/// bone's end by shares per step. The meaning of their values follows the behaviour of DynamicBone
/// 1.3 and UniVRM 0.x, and the manual of PhysBone 1.1, which gives no formulas.
class ChainMaker {
 public:
  ChainMaker(const Hierarchy& hierarchy, Notes& notes) : hierarchy_(hierarchy), notes_(notes) {}

  /// The chain of a component from the node `root` on, without colliders. Nodes of `skipped` and
  /// all nodes below them are not part of it.
  ChainSettings make(Kind kind, const Value& fields, int root, const std::set<int>& skipped);

 private:
  void setDynamicBone(const Value& fields, const std::vector<int>& branch, ChainSettings& chain);
  void setPhysBone(const Value& fields, const std::vector<int>& branch, ChainSettings& chain);
  void setVrmSpring(const Value& fields, const std::vector<int>& branch, ChainSettings& chain);
  void setImmobile(const Value& fields, int root, ChainSettings& chain);
  void setPhysLimit(const Value& fields, const std::vector<double>& depths, ChainSettings& chain);
  std::vector<int> longestBranch(int root, const std::set<int>& skipped) const;
  std::vector<dynamic_bones::EngineBone> bonesOf(const std::vector<int>& branch, double tip_m,
                                                 ChainSettings& chain);
  double upPart(const Vec3& gravity);

  const Hierarchy& hierarchy_;
  Notes& notes_;
};

}  // namespace clipmill::stages::dynamic_bones::unity
