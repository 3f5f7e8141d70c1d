// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "penetration/self_penetration.h"
#include "stages/self_collision/exact/limb_pose.h"

namespace clipmill::stages::self_collision {

/// Pairs of body parts that are resolved together because they are resolved by the same limbs.
struct PairGroup {
  std::string name;                ///< "left arm"
  std::vector<std::size_t> pairs;  ///< Indices into SelfPenetration::pairs().
  std::vector<std::size_t> limbs;  ///< One, or a left and a right one.
  int rank = 0;                    ///< Groups of one rank are independent of each other.
  /// Of arms that move as one unit: the pairs of left arm and right arm. Such a group is resolved
  /// only at samples with a deliberate contact of one of these pairs.
  std::vector<std::size_t> links;
  /// Of upper arms: resolved after all others, and only where nothing else becomes worse.
  bool yields = false;
};

/// Whether the vertices that the pair tests are those of the limb.
bool isLimbOf(const MovableLimb& limb, const penetration::PartPair& pair);

/// Whether a part of the limb is in the pair, on either side.
bool takesPart(const MovableLimb& limb, const penetration::PartPair& pair);

/// The pairs in which one of the limbs takes part, ascending.
std::vector<std::size_t> pairsOf(std::span<const std::size_t> limbs, const LimbPoser& poser,
                                 std::span<const penetration::PartPair> pairs);

/// All groups in the order in which they are resolved: leg against leg; both arms as one unit; each
/// arm against trunk, thighs and head; arm against arm; each upper arm against trunk and head. Legs
/// come first because arms are tested against them.
std::vector<PairGroup> groupPairs(std::span<const penetration::PartPair> pairs,
                                  const LimbPoser& poser);

}  // namespace clipmill::stages::self_collision
