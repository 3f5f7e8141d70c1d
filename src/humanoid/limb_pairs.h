// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/to_size.h"
#include "humanoid/joint_layout.h"

namespace clipmill::humanoid {

/// Two chains that mirror each other, each from its root outwards, equally many nodes in both.
struct LimbPair {
  std::vector<int> a, b;
  double length_m = 0.0;  ///< Of one of them, with the chain to it from the node that carries both.
};

/// Finds chains of joints with bones of equal length.
class LimbPairs {
 public:
  explicit LimbPairs(const JointLayout& character);

  /// All pairs below `node`, the longest first; joints only, where the file has joints.
  std::vector<LimbPair> below(int node) const;
  /// Children of `node` that are joints or lead to some, those that reach farthest first; of very
  /// many the first few.
  std::vector<int> branchesOf(int node) const;
  /// Length of the longest chain down from `node`, metres.
  double reachOf(int node) const { return reach_m_[toSize(node)]; }

 private:
  std::vector<int> chainFrom(int root) const;
  LimbPair match(int a, int b) const;
  double boneTo(int node) const;

  const JointLayout& character_;
  std::vector<bool> considered_;
  std::vector<double> reach_m_;
};

/// Upper, lower and end joint of a chain of an arm: the two bones that are long and of like length.
/// `fan` is the position in the chain at which fingers spread, or -1.
Limb armFromChain(const JointLayout& character, const std::vector<int>& chain, int fan);
Limb legFromChain(const JointLayout& character, const std::vector<int>& chain);

}  // namespace clipmill::humanoid
