// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/math.h"
#include "stages/dynamic_bones/rig.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::bones {

/// Two ends of bones that keep their distance.
struct CrossConstraint {
  std::size_t a = 0, b = 0;  ///< Indices in Rig::bones.
  double rest_m = 0.0;       ///< Distance in the rest pose.
  double compliance = 0.0;   ///< m/N; 0 is stiff.
};

/// The constraints between the branches of all chains that ask for them: structural between
/// neighbours at one depth, shear across the diagonals, bend between every second. Branches are
/// ordered by their angle about the axis of the node that carries them; with CrossShape::kAuto they
/// close to a ring where the widest gap is below 100 degrees. Sorted into colours, within which no
/// point occurs twice: constraints of colour c are [begins[c], begins[c + 1]).
struct CrossConstraints {
  std::vector<CrossConstraint> all;
  std::vector<std::size_t> color_begins;
  bool empty() const { return all.empty(); }
};
CrossConstraints makeCrossConstraints(const Scene& scene, const Rig& rig,
                                      const DynamicBonesSettings& settings);

/// One sweep of XPBD (Macklin et al. 2016) over all constraints in their order. `inverse_masses`
/// and `ends`: one a bone of the rig; `multipliers`: one a constraint, 0 at the begin of a step.
void sweepCrossConstraints(const CrossConstraints& constraints,
                           std::span<const double> inverse_masses, double step_s,
                           std::span<double> multipliers, std::span<Vec3> ends);

}  // namespace clipmill::bones
