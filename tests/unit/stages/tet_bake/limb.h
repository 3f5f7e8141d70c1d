// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/tet_bake/tets/tet_mesh.h"

/// A cylinder along z with a joint in its middle, in a body centred cubic lattice: the limb whose
/// loss of volume under skinning has a closed form.
namespace clipmill::test {

struct LimbShape {
  double radius_m = 0.05;
  double length_m = 0.4;
  double cell_m = 0.0125;      ///< Of the lattice's cubes.
  double core_share = 0.25;    ///< Of the radius: what the bones hold, as they hold both ends.
  int sides = 64, rings = 96;  ///< Of the surface.
};

struct Limb {
  LimbShape shape;
  stages::tet_bake::TetMesh tets;
  std::vector<Vec3> surface;
  std::vector<std::uint32_t> triangles;                 ///< Closed, outward.
  std::vector<stages::tet_bake::Embedding> embeddings;  ///< One a vertex of the surface.
};

Limb makeLimb(const LimbShape& shape = {});

/// How the limb's second bone rotates about its joint, the origin; the first does not move.
struct LimbPose {
  Vec3 axis{1.0, 0.0, 0.0};  ///< x bends, z twists. Unit.
  double angle_rad = 0.0;
};

/// Where dual quaternion skinning takes a point, by the weights of make_limb.h; about one joint it
/// is a rotation by the blended quaternion.
Vec3 limbRotated(const LimbShape& shape, const LimbPose& pose, const Vec3& rest);

/// The surface within solved tetrahedra.
std::vector<Vec3> limbSurface(const Limb& limb, std::span<const Vec3> corners);

/// Volume inside of the surface's triangles.
double enclosedVolume(const Limb& limb, std::span<const Vec3> surface);

}  // namespace clipmill::test
