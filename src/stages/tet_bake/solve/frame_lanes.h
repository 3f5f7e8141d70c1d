// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "core/math.h"

namespace clipmill::stages::tet_bake {

/// Frames of a block, solved side by side in the lanes of vectors: the same number whatever the
/// width of the machine's vectors.
inline constexpr std::size_t kFrameLanes = 16;

/// One number of each of them, for aligned loads.
struct alignas(64) FloatLanes {
  float at[kFrameLanes] = {};
};

/// Coordinates of corners in all frames of a block: x, y, z of corner v are rows 3v, 3v + 1 and
/// 3v + 2.
using PositionLanes = std::vector<FloatLanes>;

/// The position that three rows have in one lane.
inline Vec3 positionOf(const FloatLanes* rows, std::size_t lane) {
  return {rows[0].at[lane], rows[1].at[lane], rows[2].at[lane]};
}
inline void setPosition(const Vec3& position, std::size_t lane, FloatLanes* rows) {
  for (int k = 0; k < 3; ++k) rows[k].at[lane] = static_cast<float>(position[k]);
}

}  // namespace clipmill::stages::tet_bake
