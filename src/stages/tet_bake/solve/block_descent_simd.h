// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stages/tet_bake/solve/frame_lanes.h"
#include "stages/tet_bake/tets/material.h"
#include "stages/tet_bake/tets/tet_system.h"

/// Block descent: Gauss-Seidel over the corners, each moved to where the energy that depends on it
/// is least while the others are fixed (the sweep of Vertex Block Descent, Chen et al. 2024,
/// without inertia). The energy of material.h is quadratic in any one corner, because J is linear
/// in it, and its Hessian is positive: the 3x3 solve is the exact minimiser, and steps over-relaxed
/// by w in (0, 2) change the energy by -w (1 - w/2) d' H d, never up.
///
/// Vectors hold the same corner in kFrameLanes frames. Every lane does the same operations in the
/// same order whatever the width of the machine's vectors, without fused or approximate ones: the
/// bits do not depend on the machine, nor on the other lanes.
namespace clipmill::stages::tet_bake {

/// What the sweep reads of a corner beside it: a spring of the mu term.
struct SweepNeighbour {
  std::uint32_t row = 0;  ///< Of its x in PositionLanes.
  float spring = 0.0f;
};

/// What the sweep reads of a tetrahedron: the face opposite of the corner. With
/// m = scale (o1 - o0) x (o2 - o0), the lambda term is 1/2 (m . (x - o0) - rest)^2.
struct SweepFace {
  std::array<std::uint32_t, 3> rows{};
  float scale = 0.0f;  ///< sqrt(lambda / (36 volume))
  float rest = 0.0f;   ///< scale * 6 volume * a
};

struct SweepCorner {
  std::uint32_t row = 0;
  std::uint32_t hold_row = 0;  ///< Of its x in DescentBlock::targets, if hold > 0.
  std::uint32_t neighbour_end = 0;
  std::uint32_t face_end = 0;
  float spring_sum = 0.0f;  ///< Of its neighbours' springs.
  float hold = 0.0f;
};

/// The tetrahedra laid out for block descent, in the order in which the sweep reads them.
struct DescentSystem {
  std::vector<SweepCorner> corners;
  std::vector<SweepNeighbour> neighbours;
  std::vector<SweepFace> faces;
  std::size_t held_corners = 0;  ///< Those with hold > 0.
};

DescentSystem makeDescentSystem(const TetSystem& system, const Material& material);

/// Bytes that the arrays of a system take.
std::size_t bytesOf(const DescentSystem& system);

/// Rows of fewer lanes than kFrameLanes: a sweep reads fewer bytes.
template <std::size_t kWidth>
struct alignas(sizeof(float) * kWidth) LaneRow {
  float at[kWidth] = {};
};

/// State of a block of frames, lengths in mean edges.
template <class Row>
struct DescentBlockOf {
  std::vector<Row> positions;  ///< Of all corners.
  std::vector<Row> targets;    ///< Of the held ones, in the order of DescentSystem::corners.
  Row active;                  ///< 1 for the frames that move, else 0.
};
using DescentBlock = DescentBlockOf<FloatLanes>;

/// What one sweep did to each frame.
template <class Row>
struct SweepLanesOf {
  Row square_step;  ///< Of the corner that moved most.
  Row energy_loss;
};
using SweepLanes = SweepLanesOf<FloatLanes>;

/// Moves every corner of the active frames once. A frame has the same bits in rows of any width.
void sweepCorners(const DescentSystem& system, float over_relaxation, DescentBlock& block,
                  SweepLanes& result);
void sweepCorners(const DescentSystem& system, float over_relaxation,
                  DescentBlockOf<LaneRow<8>>& block, SweepLanesOf<LaneRow<8>>& result);
void sweepCorners(const DescentSystem& system, float over_relaxation,
                  DescentBlockOf<LaneRow<4>>& block, SweepLanesOf<LaneRow<4>>& result);

}  // namespace clipmill::stages::tet_bake
