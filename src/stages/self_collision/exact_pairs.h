// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "scene/self_penetration.h"
#include "stages/self_collision/exact_limb.h"

namespace clipmill::collision {

/// Pairs of parts that are freed together because the same limbs are moved for it.
struct PairGroup {
  std::string name;                ///< "left arm"
  std::vector<std::size_t> pairs;  ///< In SelfPenetration::pairs().
  std::vector<std::size_t> limbs;  ///< One, or a left and a right one.
  int rank = 0;                    ///< Those of one rank do not depend on each other.
  /// Of arms that are moved as one: the pairs that hold them against each other. Such a group is
  /// freed only where one of these touches on purpose.
  std::vector<std::size_t> links;
};

/// Whether the limb is the one whose vertices the pair holds against others.
bool isLimbOf(const MovableLimb& limb, const PartPair& pair);

/// Whether a part of the limb is in the pair, on either side.
bool takesPart(const MovableLimb& limb, const PartPair& pair);

/// The pairs in which one of the limbs takes part, ascending.
std::vector<std::size_t> pairsOf(std::span<const std::size_t> limbs, const LimbPoser& poser,
                                 std::span<const PartPair> pairs);

/// Legs against each other, each arm against trunk, thighs and head, arms against each other: in
/// this order, since arms are held against legs as well.
std::vector<PairGroup> groupPairs(std::span<const PartPair> pairs, const LimbPoser& poser);

}  // namespace clipmill::collision
