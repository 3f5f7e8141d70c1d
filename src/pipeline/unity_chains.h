// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <vector>

#include "pipeline/unity_components.h"
#include "pipeline/unity_figure.h"
#include "stages/dynamic_bones/chains/engine_chain.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::unity {

/// Makes chains of components. The formulas stand in stepwise_spring.h: all three engines move a
/// bone's end by shares in every step. What their numbers mean: DynamicBone 1.3 and UniVRM 0.x by
/// what they do, PhysBone 1.1 by its manual, which gives no formulas.
class ChainMaker {
 public:
  ChainMaker(const Figure& figure, Notes& notes) : figure_(figure), notes_(notes) {}

  /// The chain of a component from the node `root` on, without colliders. Nodes of `skipped` and
  /// all below them are not in it.
  ChainSettings make(Kind kind, const Value& fields, int root, const std::set<int>& skipped);

 private:
  void setDynamicBone(const Value& fields, const std::vector<int>& branch, ChainSettings& chain);
  void setPhysBone(const Value& fields, const std::vector<int>& branch, ChainSettings& chain);
  void setVrmSpring(const Value& fields, const std::vector<int>& branch, ChainSettings& chain);
  void setImmobile(const Value& fields, int root, ChainSettings& chain);
  void setPhysLimit(const Value& fields, const std::vector<double>& depths, ChainSettings& chain);
  std::vector<int> longestBranch(int root, const std::set<int>& skipped) const;
  std::vector<bones::EngineBone> bonesOf(const std::vector<int>& branch, double tip_m,
                                         ChainSettings& chain);
  double upPart(const Vec3& gravity);

  const Figure& figure_;
  Notes& notes_;
};

}  // namespace clipmill::unity
