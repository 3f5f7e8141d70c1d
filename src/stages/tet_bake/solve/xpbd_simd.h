// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stages/tet_bake/solve/frame_lanes.h"
#include "stages/tet_bake/solve/solve_clip.h"
#include "stages/tet_bake/tets/tet_system.h"

/// XPBD (Macklin, Mueller and Chentanez 2016) of edge lengths and volumes, in the natural order.
/// Of a constraint C with compliance a, over the squared time step, its multiplier l changes by
///   -(C + a l) / (sum of w |grad C|^2 + a),
/// and each corner moves by w grad C times that; w is its inverse mass. Multipliers start at 0 with
/// a frame and are kept over its iterations: the result then does not stiffen with their number.
/// With compliance 0 it is PBD at full stiffness. Vectors as in block_descent_simd.h, and as
/// independent of the machine.
namespace clipmill::stages::tet_bake {

/// C = |x_b - x_a| - length.
struct XpbdEdge {
  std::array<std::uint32_t, 2> rows{};  ///< Of the corners' x in PositionLanes.
  std::array<float, 2> weights{};       ///< Inverse masses.
  float length = 0.0f;
  float inverse_sum = 0.0f;  ///< 1 / (weights + compliance)
};

/// C = six times (volume - volume at rest), so that gradients are plain cross products; 36 times
/// the compliance makes it the constraint of the volume itself.
struct XpbdTet {
  std::array<std::uint32_t, 4> rows{};
  std::array<float, 4> weights{};
  float six_volumes = 0.0f;
};

/// C = x - target, with compliance 1 / hold.
struct XpbdHold {
  std::uint32_t row = 0, target_row = 0;
  float compliance = 0.0f;
  float share = 0.0f;  ///< weight / (weight + compliance)
  float inverse_sum = 0.0f;
};

struct XpbdSystem {
  std::vector<XpbdEdge> edges;
  std::vector<XpbdTet> tets;
  std::vector<XpbdHold> holds;
  float edge_compliance = 0.0f;
  float volume_compliance = 0.0f;  ///< 36 times the setting.
};

/// Constraints with a corner that moves, of the kinds that the settings do not switch off.
XpbdSystem makeXpbdSystem(const TetSystem& system, const XpbdSettings& settings);

/// Bytes that the arrays of a system take.
std::size_t bytesOf(const XpbdSystem& system);

/// State of a block of frames.
struct XpbdBlock {
  PositionLanes positions;  ///< Of all corners.
  PositionLanes targets;    ///< As FrameBlock::targets.
  /// Multipliers, zero at first: one row an edge or tetrahedron, three rows per hold. Those of
  /// rigid kinds stay empty.
  std::vector<FloatLanes> edge_multipliers, tet_multipliers, hold_multipliers;
};

XpbdBlock makeXpbdBlock(const XpbdSystem& system, PositionLanes positions, PositionLanes targets);

/// Projects every constraint once: edges, then tetrahedra, then holds.
void projectConstraints(const XpbdSystem& system, XpbdBlock& block);

}  // namespace clipmill::stages::tet_bake
