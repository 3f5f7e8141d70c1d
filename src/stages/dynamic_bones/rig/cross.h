// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/math.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::bones {

/// Two ends of bones that keep their distance.
struct CrossConstraint {
  std::size_t a = 0, b = 0;  ///< Indices in Rig::bones, a < b.
  double rest_m = 0.0;       ///< Distance in the rest pose.
  double compliance = 0.0;   ///< m/N; 0 is stiff.
};

/// Constraints sorted into colours, within which no point occurs twice: those of colour c are
/// [color_begins[c], color_begins[c + 1]); the last entry is the number of constraints.
struct CrossConstraints {
  std::vector<CrossConstraint> all;
  std::vector<std::size_t> color_begins = {0};
  bool empty() const { return all.empty(); }
};

/// The constraints between the branches of all chains that ask for them (see findBranches).
/// Structural between neighbours at one count of bones from the first, shear across the diagonals
/// of each field of four, bend between every second branch where the one between them is as long.
/// Compliances are those of the chain at the mean depth of both bones. No pair occurs twice.
CrossConstraints makeCrossConstraints(const Scene& scene, const Rig& rig,
                                      const DynamicBonesSettings& settings);

/// `constraints` in fixed colours: each takes the first colour in which both of its points are
/// free; order is kept within a colour. Points are below `point_count`.
CrossConstraints colored(std::vector<CrossConstraint> constraints, std::size_t point_count);

/// One sweep of XPBD (Macklin et al. 2016) over all constraints in their order. `inverse_masses`
/// and `ends`: one a bone of the rig, 1/kg and metres; `multipliers`: one a constraint, 0 at the
/// begin of a step, in which they add up over sweeps. Points that coincide, or are not finite, have
/// no direction and stay.
void sweepCrossConstraints(const CrossConstraints& constraints,
                           std::span<const double> inverse_masses, double step_s,
                           std::span<double> multipliers, std::span<Vec3> ends);

}  // namespace clipmill::bones
