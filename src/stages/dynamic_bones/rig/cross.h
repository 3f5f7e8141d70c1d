// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/math.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::stages::dynamic_bones {

/// Distance constraint between the ends of two bones.
struct CrossConstraint {
  std::size_t a = 0, b = 0;       ///< Indices in Rig::bones, a < b.
  double rest_m = 0.0;            ///< Distance in the rest pose.
  double compliance = 0.0;        ///< m/N; 0 = rigid.
  double slack_compliance = 0.0;  ///< At least `compliance`; while the ends are slack.
  double slack_share = 0.0;       ///< The ends are slack up to so much more than rest_m.

  double slack_m() const { return rest_m * (1.0 + slack_share); }
  double complianceAt(double distance_m) const {
    return distance_m < slack_m() ? slack_compliance : compliance;
  }
  /// The distance from which the force counts; the force has no step where slack ends.
  double targetAt(double distance_m) const {
    if (distance_m < slack_m() || !(slack_compliance > compliance)) return rest_m;
    return slack_m() - rest_m * slack_share * (compliance / slack_compliance);
  }
};

/// Constraints sorted by color; no point occurs twice within a color. Those of color c are
/// [color_starts[c], color_starts[c + 1]); the last entry is the number of constraints.
struct CrossConstraints {
  std::vector<CrossConstraint> all;
  std::vector<std::size_t> color_starts = {0};
  bool empty() const { return all.empty(); }
};

/// The constraints between the branches of all chains with `cross` (see findBranches).
/// Structural between neighbors at one count of bones from the first, shear across the diagonals
/// of each field of four, bend between every second branch where the one between them is as long.
/// Compliances are those of the chain at the mean depth of both bones. No pair occurs twice.
CrossConstraints makeCrossConstraints(const Scene& scene, const Rig& rig,
                                      const DynamicBonesSettings& settings);

/// `constraints` sorted by color: each gets the first color in which neither of its points occurs;
/// order is kept within a color. Points are below `point_count`.
CrossConstraints colored(std::vector<CrossConstraint> constraints, std::size_t point_count);

/// One sweep of XPBD (Macklin et al. 2016) over all constraints in their order. `inverse_masses`
/// and `ends`: one per bone of the rig, 1/kg and metres; `multipliers`: one per constraint, 0 at
/// the start of a step, in which they add up over sweeps. Points that coincide, or are not finite,
/// have no direction and stay.
void sweepCrossConstraints(const CrossConstraints& constraints,
                           std::span<const double> inverse_masses, double step_s,
                           std::span<double> multipliers, std::span<Vec3> ends);

/// One sweep over the velocities of the ends: removes the speed at which both ends of a constraint
/// move apart or together, softer with its compliance.
void sweepCrossVelocities(const CrossConstraints& constraints,
                          std::span<const double> inverse_masses, double step_s,
                          std::span<const Vec3> ends, std::span<Vec3> velocities_mps);

}  // namespace clipmill::stages::dynamic_bones
