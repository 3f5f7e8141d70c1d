// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "scene/humanoid_figure.h"

namespace clipmill::humanoid {

/// Two chains that mirror each other, each from its root outwards, equally many nodes in both.
struct LimbPair {
  std::vector<int> a, b;
  double length_m = 0.0;  ///< Of one of them, with the way to it from the node that carries both.
};

/// Finds chains of joints with bones of equal length.
class LimbPairs {
 public:
  explicit LimbPairs(const Figure& figure);

  /// All pairs below `node`, the longest first; joints only, where the file has joints.
  std::vector<LimbPair> below(int node) const;
  /// Children of `node` that are joints or lead to some, those that reach farthest first; of very
  /// many the first few.
  std::vector<int> branchesOf(int node) const;
  /// Length of the longest way down from `node`, metres.
  double reachOf(int node) const { return reach_m_[static_cast<std::size_t>(node)]; }

 private:
  std::vector<int> chainFrom(int root) const;
  LimbPair match(int a, int b) const;
  double boneTo(int node) const;

  const Figure& figure_;
  std::vector<bool> considered_;
  std::vector<double> reach_m_;
};

/// Upper, lower and end joint of a chain of an arm: the two bones that are long and of like length.
/// `fan` is the position in the chain at which fingers spread, or -1.
Limb armFromChain(const Figure& figure, const std::vector<int>& chain, int fan);
Limb legFromChain(const Figure& figure, const std::vector<int>& chain);

}  // namespace clipmill::humanoid
