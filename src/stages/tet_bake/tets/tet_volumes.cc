// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tets/tet_volumes.h"

#include <algorithm>
#include <cmath>

#include "core/to_size.h"
#include "stages/tet_bake/tets/tet_shape.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr double kLowPart = 0.01, kHighPart = 0.99;

}  // namespace

TetVolumes::TetVolumes(const TetMesh& mesh) {
  for (const Tet& tet : mesh.tets) {
    const double rest = signedVolume(cornersOf(mesh.positions, tet));
    if (!(rest > 0.0)) continue;
    const bool moves = !std::all_of(tet.begin(), tet.end(), [&](std::uint32_t corner) {
      return std::isinf(mesh.hold[corner]);
    });
    solids_.push_back({tet, rest, moves});
    rest_m3_ += rest;
  }
}

VolumeStats TetVolumes::at(std::span<const Vec3> corners) const {
  VolumeStats stats;
  std::vector<double> ratios;
  ratios.reserve(solids_.size());
  double sum = 0.0;
  for (const Solid& solid : solids_) {
    const double now = signedVolume(cornersOf(corners, solid.corners));
    sum += now;
    if (!solid.moves) continue;
    ratios.push_back(now / solid.rest_m3);
    if (now <= 0.0) ++stats.inverted;
  }
  if (ratios.empty()) return stats;
  stats.share = sum / rest_m3_;
  const auto at = [&](double part) {
    const auto rank = static_cast<std::ptrdiff_t>(part * static_cast<double>(ratios.size() - 1));
    std::nth_element(ratios.begin(), ratios.begin() + rank, ratios.end());
    return ratios[toSize(rank)];
  };
  stats.j_p1 = at(kLowPart);
  stats.j_min = at(0.0);
  stats.j_p99 = at(kHighPart);
  return stats;
}

}  // namespace clipmill::stages::tet_bake
