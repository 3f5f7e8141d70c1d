// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "stages/tet_bake/joints/bones_fit_steps.h"
#include "stages/tet_bake/morphs/morph_regions.h"

namespace clipmill::stages::tet_bake {

struct BonesFitSettings {
  double rms_m = 0.5e-3;           ///< What may be left in each region, root mean square.
  double p99_m = 2.0e-3;           ///< The same of all but one in a hundred points and frames.
  std::size_t max_per_region = 4;  ///< Helper joints.
  int max_iterations = 40;         ///< Of the whole skin, after the regions.
  double min_gain = 0.005;         ///< Iterations end when one removes a smaller part of the error.
  int threads = 1;                 ///< The result has the same bits for any number.
};

/// Helper joints of one region, and what they are to its points.
struct RegionBones {
  std::vector<HelperBone> bones;
  std::vector<BonesPoint> points;
  std::vector<double> energies;  ///< What is left, before the first step and after each.
};

/// Adds one helper joint after another where most is left, on the owner that leaves least, and
/// fits motions and weights of all alternately, until the tolerance is met, or another one would
/// not be worth it. `may_own` marks the nodes that may get one.
RegionBones fitRegionBones(const BonesTarget& target, const MorphRegion& region,
                           const BonesFrames& frames, const std::vector<char>& may_own,
                           const BonesFitSettings& settings);

}  // namespace clipmill::stages::tet_bake
