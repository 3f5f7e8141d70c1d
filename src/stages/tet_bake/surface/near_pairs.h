// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scene/skin_surface.h"

namespace clipmill::stages::tet_bake {

/// Two points of a surface that are near each other at rest and not connected there.
struct NearPair {
  std::uint32_t a = 0, b = 0;
  double rest_m = 0.0;  ///< Their distance at rest.
  double reach_m = 0.0;
};

/// Pairs nearer than 2.5 % of the largest extent of the surface (NearPair::reach_m), farther along
/// the surface than three times that, and not joined by nodes (areJoined() by two steps): fingers,
/// thighs, an arm and the trunk beside it. `node_above`: of each node the next one up that moves
/// skin, -1 for none. At most 2000, spread over the surface. Points that the bake corrects alone
/// (SkinSurface::share). The same for any number of threads.
std::vector<NearPair> findNearPairs(const SkinSurface& surface, std::span<const int> node_above,
                                    int threads);

/// Whether two points share a node, or one has a node that is at most `steps` above one of the
/// other, each with more than a tenth of the weight of its point.
bool areJoined(std::span<const Influence> a, std::span<const Influence> b,
               std::span<const int> node_above, int steps);

/// How many of the pairs skinning moves apart, and how many of those are glued.
struct Gluing {
  std::size_t opened = 0;  ///< By more than a quarter of their reach.
  std::size_t glued = 0;   ///< Of these: the baked skin moves them apart by less than half as far.
};

/// Whether a pair is opened by skinning (bit 0) and glued in the baked skin (bit 1).
int gluingOf(const NearPair& pair, std::span<const Vec3> skinned, std::span<const Vec3> baked);

}  // namespace clipmill::stages::tet_bake
