// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/result.h"
#include "stages/tet_bake/solve/frame_lanes.h"
#include "stages/tet_bake/solve/solve_clip.h"
#include "stages/tet_bake/tets/tet_system.h"

namespace clipmill::stages::tet_bake {

/// Frames [start, start + count) of a clip while they are solved. Positions are in mean edges from
/// each frame's own origin, the mean of where the bones carry the corners: single precision then
/// holds a body anywhere in the world.
struct FrameBlock {
  std::size_t start = 0, count = 0;
  PositionLanes positions;  ///< Of all corners; fixed ones are where the bones carry them.
  PositionLanes targets;  ///< Of the movable corners with a hold, in the order of the movable ones.
  std::array<Vec3, kFrameLanes> origin_m{};
  std::array<FrameStats, kFrameLanes> stats{};
};

/// Errors: a position that is not finite; it and the frame are named.
Status checkFinite(std::span<const Vec3> start, std::span<const Vec3> target, std::size_t frame);

/// Reads frames of a clip. A frame with a position beyond 1e5 edges from its origin is not solved
/// (stats[i].is_solved is false; its lane then holds zeros). Lanes beyond `count` repeat the first.
/// Errors: a position that is not finite.
Result<FrameBlock> readFrames(const TetSystem& system, std::size_t start, std::size_t count,
                              const FrameSource& source);

/// Passes the frames of a block to `sink`, those that are not solved, or whose lane is not finite
/// (which marks them), as they come from `source`.
void writeFrames(const TetSystem& system, FrameBlock& block, const FrameSource& source,
                 const FrameSink& sink);

}  // namespace clipmill::stages::tet_bake
