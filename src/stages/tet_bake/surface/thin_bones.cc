// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/surface/thin_bones.h"

#include <algorithm>

#include "core/smooth_step.h"
#include "core/text.h"
#include "core/units.h"

namespace clipmill::stages::tet_bake {
namespace {

// Radii in cells at which a bone keeps nothing and all of its correction.
constexpr double kTooThin = 0.5;
constexpr double kThickEnough = 0.8;

}  // namespace

double cellShare(const BakeBone& bone, double cell_m) {
  return smoothStep((bone.radius_m / cell_m - kTooThin) / (kThickEnough - kTooThin));
}

std::vector<double> cellShares(const SkinSurface& surface, const std::vector<BakeBone>& bones,
                               double cell_m) {
  std::vector<double> shares;
  bool has_thin = false;
  for (std::size_t p = 0; p < surface.pointCount(); ++p) {
    double thin = 0.0;
    for (const Influence& influence : surface.influencesOf(p)) {
      thin += influence.weight * (1.0 - cellShare(bones[influence.joint], cell_m));
    }
    shares.push_back(1.0 - std::min(thin, 1.0));
    has_thin = has_thin || thin > 0.0;
  }
  return has_thin ? shares : std::vector<double>();
}

void warnOfThinBones(const Skeleton& skeleton, const std::vector<BakeBone>& bones, double cell_m,
                     Warnings& warnings) {
  constexpr double kHalf = 0.5;
  for (std::size_t node = 0; node < bones.size(); ++node) {
    const BakeBone& bone = bones[node];
    if (!(bone.area_m2 > 0.0) || cellShare(bone, cell_m) >= kHalf) continue;
    warnings.add("cells_too_large",
                 "cells are too large for the skin of a joint, most of which follows it by dual "
                 "quaternion skinning: max_tets or cell_mm make them smaller",
                 skeleton.nodes[node].name + ": " +
                     fixedText(2.0 * bone.radius_m * kMillimetresInMetre, 0) +
                     " mm thick, cells of " + fixedText(cell_m * kMillimetresInMetre, 0) + " mm");
  }
}

}  // namespace clipmill::stages::tet_bake
