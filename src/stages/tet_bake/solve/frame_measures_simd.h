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

/// What is measured of all frames of a block at once; vectors as in block_descent_simd.h, and as
/// independent of the machine.
namespace clipmill::stages::tet_bake {

/// Arrays of a TetSystem in single precision, in the order in which they are measured.
struct MeasureSystem {
  struct Tet {
    std::array<std::uint32_t, 4> rows{};  ///< Of the corners' x in PositionLanes.
    float volume = 0.0f;
    float inverse_6_volume = 0.0f;
    float stiffness = 1.0f;
    float half_lambda = 0.0f;
  };
  struct Edge {
    std::array<std::uint32_t, 2> rows{};
    float spring = 0.0f;
  };
  std::vector<Tet> tets;
  std::vector<Edge> edges;
  double rest_energy = 0.0;  ///< Of the springs at rest: what is subtracted.
};

MeasureSystem makeMeasureSystem(const TetSystem& system, const Material& material);

/// Bytes that the arrays of a system take.
std::size_t bytesOf(const MeasureSystem& system);

struct BlockMeasures {
  std::array<double, kFrameLanes> energy{};  ///< Elastic, above that at rest (material.h).
  std::array<double, kFrameLanes> volume{};  ///< Of all tetrahedra.
};

/// Measures the frames of a block. `j`, if not null, receives one row per tetrahedron: its volume
/// over that at rest.
BlockMeasures measureFrames(const MeasureSystem& system, const PositionLanes& positions,
                            std::vector<FloatLanes>* j);

}  // namespace clipmill::stages::tet_bake
