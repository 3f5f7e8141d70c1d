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

void leaveThinBones(const std::vector<BakeBone>& bones, double cell_m, SkinSurface& surface) {
  for (std::size_t p = 0; p < surface.pointCount(); ++p) {
    double carried = 0.0;
    for (const Influence& influence : surface.influencesOf(p)) {
      carried += influence.weight * cellShare(bones[influence.joint], cell_m);
    }
    surface.share[p] *= std::min(carried, 1.0);
  }
}

void warnOfThinBones(const Skeleton& skeleton, const std::vector<BakeBone>& bones, double cell_m,
                     Warnings& warnings) {
  constexpr double kHalf = 0.5;
  for (std::size_t node = 0; node < bones.size(); ++node) {
    const BakeBone& bone = bones[node];
    if (!(bone.area_m2 > 0.0) || cellShare(bone, cell_m) >= kHalf) continue;
    warnings.add("cells_too_large",
                 "cells are too large for the skin of a joint, most of which keeps plain skinning: "
                 "max_tets or cell_mm make them smaller",
                 skeleton.nodes[node].name + ": " +
                     fixedText(2.0 * bone.radius_m * kMillimetresInMetre, 0) +
                     " mm thick, cells of " + fixedText(cell_m * kMillimetresInMetre, 0) + " mm");
  }
}

}  // namespace clipmill::stages::tet_bake
