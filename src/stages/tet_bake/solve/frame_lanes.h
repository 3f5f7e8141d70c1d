// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "core/math.h"

namespace clipmill::tet_bake {

/// Frames of a block, solved side by side in the lanes of vectors: the same number whatever the
/// width of the machine's vectors.
inline constexpr std::size_t kFrameLanes = 16;

/// One number of each of them, for aligned loads.
struct alignas(64) FloatLanes {
  float at[kFrameLanes] = {};
};

/// Coordinates of corners in all frames of a block: x, y, z of corner v are rows 3v, 3v + 1 and
/// 3v + 2.
using PlaceLanes = std::vector<FloatLanes>;

/// The place that three rows have in one lane.
inline Vec3 placeOf(const FloatLanes* rows, std::size_t lane) {
  return {rows[0].at[lane], rows[1].at[lane], rows[2].at[lane]};
}
inline void setPlace(const Vec3& place, std::size_t lane, FloatLanes* rows) {
  for (int k = 0; k < 3; ++k) rows[k].at[lane] = static_cast<float>(place[k]);
}

}  // namespace clipmill::tet_bake
