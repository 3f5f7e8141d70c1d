// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

namespace clipmill::stages::tet_bake {

/// The least volumes of the limbs of a clip with skinning alone, over those at rest and without
/// joint scales: what a bake should not have less than.
struct LimbGoal {
  double dual = 1.0;   ///< With dual quaternion skinning.
  double plain = 1.0;  ///< With plain skinning.

  /// The larger of both, with a margin for what the fit of morphs loses, but no more than at rest.
  double wanted(double margin) const {
    constexpr double kLessThanAtRest = 1e-9;  // rounding
    return std::min(std::max(dual, plain) + margin, 1.0 - kLessThanAtRest);
  }
};

}  // namespace clipmill::stages::tet_bake
