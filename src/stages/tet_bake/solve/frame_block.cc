// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/frame_block.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

namespace clipmill::tet_bake {

namespace {

// Single precision squares areas of squared places: this leaves room for it.
constexpr double kFarthestEdges = 1e5;

struct FramePlaces {
  std::vector<Vec3> start, target;

  explicit FramePlaces(std::size_t corners) : start(corners), target(corners) {}
  // Where the solver finds a corner.
  const Vec3& at(const TetSystem& system, std::size_t corner) const {
    return system.isFixed(corner) ? target[corner] : start[corner];
  }
};

Vec3 meanOf(std::span<const Vec3> places) {
  Vec3 sum(0.0);
  for (const Vec3& place : places) sum += place / static_cast<double>(places.size());
  return sum;
}

bool isNear(const Vec3& place) {
  return std::max({std::abs(place.x), std::abs(place.y), std::abs(place.z)}) < kFarthestEdges;
}

void clearLane(PlaceLanes& places, std::size_t lane) {
  for (FloatLanes& row : places) row.at[lane] = 0.0f;
}

// Returns false where a place is too far.
bool fillLane(const TetSystem& system, const FramePlaces& frame, std::size_t lane,
              FrameBlock& block) {
  block.origin_m[lane] = meanOf(frame.target);
  const auto scaled = [&](const Vec3& place) {
    return (place - block.origin_m[lane]) / system.edge_m;
  };
  for (std::size_t v = 0; v < system.corner_count; ++v) {
    const Vec3 place = scaled(frame.at(system, v));
    if (!isNear(place)) return false;
    setPlace(place, lane, &block.places[3 * v]);
  }
  FloatLanes* row = block.targets.data();
  for (std::uint32_t v : system.movable) {
    if (!(system.hold[v] > 0.0)) continue;
    const Vec3 target = scaled(frame.target[v]);
    if (!isNear(target)) return false;
    setPlace(target, lane, row);
    row += 3;
  }
  return true;
}

void repeatFirst(PlaceLanes& places, std::size_t count) {
  for (FloatLanes& row : places) std::fill(row.at + count, row.at + kFrameLanes, row.at[0]);
}

bool takeLane(const TetSystem& system, const FrameBlock& block, std::size_t lane,
              std::vector<Vec3>& solved) {
  for (std::size_t v = 0; v < solved.size(); ++v) {
    solved[v] = block.origin_m[lane] + placeOf(&block.places[3 * v], lane) * system.edge_m;
    if (!isFinite(solved[v])) return false;
  }
  return true;
}

}  // namespace

Status checkFinite(std::span<const Vec3> start, std::span<const Vec3> target, std::size_t frame) {
  for (std::size_t v = 0; v < start.size(); ++v) {
    if (isFinite(start[v]) && isFinite(target[v])) continue;
    return Error{ErrorCode::kMalformed, "frame " + std::to_string(frame),
                 "corner " + std::to_string(v) + " of the tetrahedra has no finite place",
                 "give keys and weights that are finite numbers"};
  }
  return {};
}

Result<FrameBlock> readFrames(const TetSystem& system, std::size_t begin, std::size_t count,
                              const FrameSource& source) {
  FrameBlock block;
  block.begin = begin;
  block.count = count;
  block.places.resize(3 * system.corner_count);
  const auto held = std::count_if(system.movable.begin(), system.movable.end(),
                                  [&](std::uint32_t corner) { return system.hold[corner] > 0.0; });
  block.targets.resize(3 * static_cast<std::size_t>(held));
  FramePlaces frame(system.corner_count);
  for (std::size_t lane = 0; lane < count; ++lane) {
    source(begin + lane, frame.start, frame.target);
    CLIPMILL_CHECK(checkFinite(frame.start, frame.target, begin + lane));
    block.stats[lane].is_solved = fillLane(system, frame, lane, block);
    if (block.stats[lane].is_solved) continue;
    clearLane(block.places, lane);
    clearLane(block.targets, lane);
  }
  repeatFirst(block.places, count);
  repeatFirst(block.targets, count);
  return block;
}

void writeFrames(const TetSystem& system, FrameBlock& block, const FrameSource& source,
                 const FrameSink& sink) {
  std::vector<Vec3> solved(system.corner_count);
  for (std::size_t lane = 0; lane < block.count; ++lane) {
    const std::size_t frame = block.begin + lane;
    FrameStats& stats = block.stats[lane];
    stats.is_solved = stats.is_solved && takeLane(system, block, lane, solved);
    if (!stats.is_solved) {
      FramePlaces places(system.corner_count);
      source(frame, places.start, places.target);
      for (std::size_t v = 0; v < solved.size(); ++v) solved[v] = places.at(system, v);
      stats = FrameStats{};
      stats.is_solved = stats.has_converged = false;
    }
    sink(frame, solved, stats);
  }
}

}  // namespace clipmill::tet_bake
