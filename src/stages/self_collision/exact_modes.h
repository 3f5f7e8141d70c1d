// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stages/self_collision/exact_limb.h"
#include "stages/self_collision/exact_pairs.h"

namespace clipmill::collision {

/// One way in which limbs may be moved: each by its change times one common amount.
struct Mode {
  std::vector<std::size_t> limbs;
  std::vector<LimbChange> units;  ///< One a limb; an amount of 1 is about a radian.
  double most = 1.0;              ///< Largest amount.
  double guess = 0.0;             ///< Where to look first.
};

/// Where a group of pairs is deepest. Vectors are along the axes that carry the group's limbs.
struct DeepPlace {
  Vec3 way_out{0.0};               ///< On which the first limb of the group gets out; any length.
  std::vector<Vec3> lever;         ///< One a limb: from shoulder or hip to the deepest place.
  std::vector<Vec3> collar_lever;  ///< Likewise from the collar; zero without one.
  std::vector<Vec3> end_lever;     ///< Likewise from wrist or ankle.
  std::vector<bool> is_held;       ///< One a limb: its end has to stay where it is.
  /// Of a single arm: the one that it touches on purpose.
  std::optional<std::size_t> companion;
  std::vector<bool> is_busy;  ///< One a limb: touches something on purpose; others move first.
};

/// The ways to free a group, in the order of the degrees of freedom: swivel with the end held;
/// turns and shifts outwards in the frontal plane and along other directions of the body; along the
/// way out; for single arms then the collar bone, at most 10 degrees, and the hand. An arm that
/// holds the other takes it along. Of two limbs both move in opposite ways, or one of them.
std::vector<Mode> candidateModes(const PairGroup& group, const LimbPoser& poser,
                                 const DeepPlace& place, double most_turn_rad);

}  // namespace clipmill::collision
