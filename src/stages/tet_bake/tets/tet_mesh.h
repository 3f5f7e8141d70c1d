// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/math.h"
#include "mesh/skinned_mesh.h"

namespace clipmill::stages::tet_bake {

/// Indices of the four corners of a tetrahedron, in an order in which det(b-a, c-a, d-a) > 0.
using Tet = std::array<std::uint32_t, 4>;

/// The nearest point of a bone to a corner, at rest, metric world. Skinning moves the corner with
/// the bone at this point for `share` of 0..1, and rotates it about the point.
struct BoneAnchor {
  std::uint32_t joint = 0;  ///< Index in Skeleton::nodes.
  Vec3 point{0.0};
  double share = 0.0;
};

/// Tetrahedra that fill a skin at rest (the bind pose), and their binding to bones.
struct TetMesh {
  std::vector<Vec3> positions;  ///< At rest, metric world.
  std::vector<Tet> tets;
  /// Corner v follows influences [start[v], start[v + 1]); weights of a corner sum to 1.
  std::vector<std::size_t> influence_start;
  std::vector<Influence> influences;  ///< Influence::joint is an index in Skeleton::nodes here.
  std::vector<BoneAnchor> anchors;    ///< One per corner; empty: none has a share.
  /// How firmly a corner is held where the bones carry it: 0 for free, infinity for fixed there;
  /// between them a spring, in units of the shear modulus times the length of an edge.
  std::vector<double> hold;
  /// Of each tetrahedron, over those of the material: its shear modulus, and its resistance to
  /// changes of volume (lambda over the shear modulus). Empty: 1. For SolveMethod::kNeoHookean.
  std::vector<double> stiffness, firmness;

  std::size_t vertexCount() const { return positions.size(); }
};

/// Where a vertex of the skin is in the tetrahedra. Its position is sum(weights[i] * corner i)
/// + offset, the offset rotated with the tetrahedron.
struct Embedding {
  std::uint32_t tet = 0;
  std::array<double, 4> weights{};  ///< Barycentric; sum to 1.
  Vec3 offset{0.0};                 ///< At rest; 0 for a vertex inside of its tetrahedron.
};

}  // namespace clipmill::stages::tet_bake
