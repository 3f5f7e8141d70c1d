// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "humanoid/limb_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/to_size.h"

namespace clipmill::humanoid {
namespace {

constexpr std::size_t kMaxBranches = 24;
constexpr std::size_t kMaxLimb = 16;
// Bones of a pair differ by no more than this share of the longer one.
constexpr double kLikeness = 0.15;
// Of the shorter chain this share is mirrored: what a hand holds hangs on one side only.
constexpr double kMirroredShare = 0.6;

// Three joints of a chain by their positions in it.
struct Bones {
  std::size_t upper = 0, lower = 0, end = 0;
};

std::vector<double> lengthsAlong(const JointLayout& character, const std::vector<int>& chain) {
  std::vector<double> along = {0.0};
  for (std::size_t i = 1; i < chain.size(); ++i) {
    along.push_back(along.back() + distanceBetween(character, chain[i - 1], chain[i]));
  }
  return along;
}

// The two neighbouring stretches that are long and of like length; the last joint is no later than
// `last_end`, nor earlier than `first_end`.
Bones longestTwo(const std::vector<double>& along, std::size_t first_end, std::size_t last_end) {
  constexpr double kUnlikeness = 0.5;  // what a difference of lengths costs
  Bones best{0, 1, std::min<std::size_t>(2, last_end)};
  double best_score = -1.0;
  for (std::size_t end = std::max<std::size_t>(2, first_end); end <= last_end; ++end) {
    for (std::size_t lower = 1; lower < end; ++lower) {
      for (std::size_t upper = 0; upper < lower; ++upper) {
        const double a = along[lower] - along[upper], b = along[end] - along[lower];
        const double score = std::min(a, b) - kUnlikeness * std::abs(a - b);
        if (score <= best_score) continue;
        best = {upper, lower, end};
        best_score = score;
      }
    }
  }
  return best;
}

// The upper joint, moved on past a bone that is short beside the rest of the distance to the lower
// one: long forearms make a collar bone and an upper arm look like one.
std::size_t withoutCollar(const std::vector<double>& along, Bones bones) {
  constexpr double kCollarShare = 0.25;
  while (bones.upper + 1 < bones.lower &&
         along[bones.upper + 1] - along[bones.upper] <
             kCollarShare * (along[bones.lower] - along[bones.upper])) {
    ++bones.upper;
  }
  return bones.upper;
}

// The first joint behind the foot that is not in the ankle still, or -1.
int toesBehind(const JointLayout& character, const std::vector<int>& chain, const Bones& bones) {
  constexpr double kFootPerShin = 0.15;
  if (bones.end >= chain.size()) return -1;
  const double shin_m = distanceBetween(character, chain[bones.lower], chain[bones.end]);
  for (std::size_t i = bones.end + 1; i < chain.size(); ++i) {
    if (distanceBetween(character, chain[bones.end], chain[i]) > kFootPerShin * shin_m) {
      return chain[i];
    }
  }
  return -1;
}

}  // namespace

LimbPairs::LimbPairs(const JointLayout& character)
    : character_(character),
      considered_(character.positions.size(), !character.has_joints),
      reach_m_(character.positions.size(), 0.0) {
  for (std::size_t i = character.positions.size(); i-- > 0;) {
    if (character.is_joint[i]) considered_[i] = true;
    const int parent = character.parentOf(static_cast<int>(i));
    if (parent < 0 || !considered_[i]) continue;
    const std::size_t p = toSize(parent);
    considered_[p] = true;
    reach_m_[p] = std::max(reach_m_[p], boneTo(static_cast<int>(i)) + reach_m_[i]);
  }
}

double LimbPairs::boneTo(int node) const {
  return distanceBetween(character_, node, character_.parentOf(node));
}

std::vector<int> LimbPairs::branchesOf(int node) const {
  std::vector<int> branches;
  for (int child : character_.childrenOf(node)) {
    if (considered_[toSize(child)]) branches.push_back(child);
  }
  std::stable_sort(branches.begin(), branches.end(),
                   [&](int a, int b) { return boneTo(a) + reachOf(a) > boneTo(b) + reachOf(b); });
  if (branches.size() > kMaxBranches) branches.resize(kMaxBranches);
  return branches;
}

std::vector<int> LimbPairs::chainFrom(int root) const {
  std::vector<int> chain = {root};
  while (chain.size() < kMaxLimb) {
    const std::vector<int> branches = branchesOf(chain.back());
    if (branches.empty()) break;
    chain.push_back(branches.front());
  }
  return chain;
}

LimbPair LimbPairs::match(int a, int b) const {
  LimbPair pair;
  const std::vector<int> chain_a = chainFrom(a), chain_b = chainFrom(b);
  const std::size_t shorter = std::min(chain_a.size(), chain_b.size());
  // Of rigs with joints on top of each other the short bones are as good as equal.
  const double slack_m = 0.02 * std::min(reachOf(a), reachOf(b));
  const auto isAlike = [&](std::size_t i) {
    const double x = boneTo(chain_a[i]), y = boneTo(chain_b[i]);
    return std::abs(x - y) <= kLikeness * std::max(x, y) + slack_m;
  };
  double common_m = 0.0;
  for (std::size_t i = 0; i < shorter && isAlike(i); ++i) {
    pair.a.push_back(chain_a[i]);
    pair.b.push_back(chain_b[i]);
    common_m += boneTo(chain_a[i]);
  }
  const double whole_m = std::min(boneTo(a) + reachOf(a), boneTo(b) + reachOf(b));
  if (pair.a.size() < 2 || common_m < kMirroredShare * whole_m) return {};
  pair.length_m = common_m;
  return pair;
}

std::vector<LimbPair> LimbPairs::below(int node) const {
  const std::vector<int> branches = branchesOf(node);
  std::vector<LimbPair> pairs;
  for (std::size_t i = 0; i < branches.size(); ++i) {
    for (std::size_t j = i + 1; j < branches.size(); ++j) {
      LimbPair pair = match(std::min(branches[i], branches[j]), std::max(branches[i], branches[j]));
      if (pair.length_m > 0.0) pairs.push_back(std::move(pair));
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const LimbPair& x, const LimbPair& y) { return x.length_m > y.length_m; });
  return pairs;
}

Limb armFromChain(const JointLayout& character, const std::vector<int>& chain, int fan) {
  Limb arm;
  if (chain.size() < 3) {
    arm.upper = chain[0];
    arm.lower = chain[1];
    return arm;
  }
  const std::size_t last = chain.size() - 1;
  const std::size_t hand = toSize(fan);
  const std::vector<double> along = lengthsAlong(character, chain);
  Bones bones = fan >= 2 ? longestTwo(along, hand, hand) : longestTwo(along, 2, last);
  bones.upper = withoutCollar(along, bones);
  arm.first = bones.upper > 0 ? chain[bones.upper - 1] : -1;
  arm.upper = chain[bones.upper];
  arm.lower = chain[bones.lower];
  arm.end = chain[bones.end];
  return arm;
}

Limb legFromChain(const JointLayout& character, const std::vector<int>& chain) {
  constexpr std::size_t kPlainLeg = 4;  // thigh, shin, foot, toes
  Limb leg;
  Bones bones{0, 1, 2};
  if (chain.size() > kPlainLeg) {
    bones = longestTwo(lengthsAlong(character, chain), 2, chain.size() - 1);
  }
  leg.upper = chain[bones.upper];
  leg.lower = chain[bones.lower];
  if (bones.end < chain.size()) leg.end = chain[bones.end];
  leg.toes = toesBehind(character, chain, bones);
  return leg;
}

}  // namespace clipmill::humanoid
