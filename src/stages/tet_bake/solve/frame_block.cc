// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/frame_block.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "core/to_size.h"

namespace clipmill::stages::tet_bake {

namespace {

// Single precision squares areas of squared positions; this keeps them finite.
constexpr double kFarthestEdges = 1e5;

struct FramePositions {
  std::vector<Vec3> start, target;

  explicit FramePositions(std::size_t corners) : start(corners), target(corners) {}
  // Where the solver finds a corner.
  const Vec3& at(const TetSystem& system, std::size_t corner) const {
    return system.isFixed(corner) ? target[corner] : start[corner];
  }
};

Vec3 meanOf(std::span<const Vec3> positions) {
  Vec3 sum(0.0);
  for (const Vec3& position : positions) sum += position / static_cast<double>(positions.size());
  return sum;
}

bool isNear(const Vec3& position) {
  return std::max({std::abs(position.x), std::abs(position.y), std::abs(position.z)}) <
         kFarthestEdges;
}

void clearLane(PositionLanes& positions, std::size_t lane) {
  for (FloatLanes& row : positions) row.at[lane] = 0.0f;
}

// Returns false where a position is too far.
bool fillLane(const TetSystem& system, const FramePositions& frame, std::size_t lane,
              FrameBlock& block) {
  block.origin_m[lane] = meanOf(frame.target);
  const auto scaled = [&](const Vec3& position) {
    return (position - block.origin_m[lane]) / system.edge_m;
  };
  for (std::size_t v = 0; v < system.corner_count; ++v) {
    const Vec3 position = scaled(frame.at(system, v));
    if (!isNear(position)) return false;
    setPosition(position, lane, &block.positions[3 * v]);
  }
  FloatLanes* row = block.targets.data();
  for (std::uint32_t v : system.movable) {
    if (!(system.hold[v] > 0.0)) continue;
    const Vec3 target = scaled(frame.target[v]);
    if (!isNear(target)) return false;
    setPosition(target, lane, row);
    row += 3;
  }
  return true;
}

void repeatFirst(PositionLanes& positions, std::size_t count) {
  for (FloatLanes& row : positions) std::fill(row.at + count, row.at + kFrameLanes, row.at[0]);
}

bool takeLane(const TetSystem& system, const FrameBlock& block, std::size_t lane,
              std::vector<Vec3>& solved) {
  for (std::size_t v = 0; v < solved.size(); ++v) {
    solved[v] = block.origin_m[lane] + positionOf(&block.positions[3 * v], lane) * system.edge_m;
    if (!isFinite(solved[v])) return false;
  }
  return true;
}

}  // namespace

Status checkFinite(std::span<const Vec3> start, std::span<const Vec3> target, std::size_t frame) {
  for (std::size_t v = 0; v < start.size(); ++v) {
    if (isFinite(start[v]) && isFinite(target[v])) continue;
    return Error{ErrorCode::kMalformed, "frame " + std::to_string(frame),
                 "corner " + std::to_string(v) + " of the tetrahedra has no finite position",
                 "give keys and weights that are finite numbers"};
  }
  return {};
}

Result<FrameBlock> readFrames(const TetSystem& system, std::size_t start, std::size_t count,
                              const FrameSource& source) {
  FrameBlock block;
  block.start = start;
  block.count = count;
  block.positions.resize(3 * system.corner_count);
  const auto held = std::count_if(system.movable.begin(), system.movable.end(),
                                  [&](std::uint32_t corner) { return system.hold[corner] > 0.0; });
  block.targets.resize(3 * toSize(held));
  FramePositions frame(system.corner_count);
  for (std::size_t lane = 0; lane < count; ++lane) {
    source(start + lane, frame.start, frame.target);
    CLIPMILL_CHECK(checkFinite(frame.start, frame.target, start + lane));
    block.stats[lane].is_solved = fillLane(system, frame, lane, block);
    if (block.stats[lane].is_solved) continue;
    clearLane(block.positions, lane);
    clearLane(block.targets, lane);
  }
  repeatFirst(block.positions, count);
  repeatFirst(block.targets, count);
  return block;
}

void writeFrames(const TetSystem& system, FrameBlock& block, const FrameSource& source,
                 const FrameSink& sink) {
  std::vector<Vec3> solved(system.corner_count);
  for (std::size_t lane = 0; lane < block.count; ++lane) {
    const std::size_t frame = block.start + lane;
    FrameStats& stats = block.stats[lane];
    stats.is_solved = stats.is_solved && takeLane(system, block, lane, solved);
    if (!stats.is_solved) {
      FramePositions positions(system.corner_count);
      source(frame, positions.start, positions.target);
      for (std::size_t v = 0; v < solved.size(); ++v) solved[v] = positions.at(system, v);
      stats = FrameStats{};
      stats.is_solved = stats.has_converged = false;
    }
    sink(frame, solved, stats);
  }
}

}  // namespace clipmill::stages::tet_bake
