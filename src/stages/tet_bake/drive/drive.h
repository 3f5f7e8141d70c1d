// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/math.h"
#include "stages/tet_bake/surface/bake_surface.h"
#include "stages/tet_bake/surface/bones.h"
#include "stages/tet_bake/tets/lattice.h"
#include "stages/tet_bake/tets/tet_mesh.h"

/// How bones carry tetrahedra.
namespace clipmill::tet_bake {

struct DriveOptions {
  /// Corners nearer to a bone than this share of its radius are its core, and fixed to it.
  double core_share = 0.25;
  /// Corners that one bone alone moves are fixed to it beyond this many radii from those that
  /// several move: the shape does not change there.
  double rigid_reach = 2.0;
  /// Free corners are tied to where the bones carry them by an elastic bed: so many shear moduli
  /// over the square of the bone's radius, a unit of volume. The bed yields within a radius or so,
  /// as flesh does about a joint, yet without it a crease has several shapes of rest, and skin
  /// jumps from one to another between frames. 0 for none.
  double bed_stiffness = 0.0;
};

/// The stiffness of the bed for flesh at rest between bones (SolveMethod::kNeoHookean).
inline constexpr double kFleshBed = 1.0;

/// One sample a point of triangles that takes part (BakeSurface::share above 0), for tetrahedra
/// that do not come from makeLattice().
std::vector<SurfaceSample> samplesAtPoints(const BakeSurface& surface,
                                           std::span<const Embedding> embeddings);

/// Fills the influences and the hold of `mesh`. Corners at the surface have the mean weights of the
/// samples in the tetrahedra about them, those further in the smooth continuation of these along
/// the edges, at most 8 influences each. Corners that no edge joins to a sample follow the point of
/// the surface nearest to them. `radius_floor_m` marks bones as too thin for the tetrahedra: what
/// follows them most is fixed to them.
void driveTets(const BakeSurface& surface, const std::vector<BakeBone>& bones,
               std::span<const SurfaceSample> samples, double radius_floor_m,
               const DriveOptions& options, TetMesh& mesh);

/// Bones thinner than this are too thin for the cells of a lattice, in cells.
double thinBoneRadius_m(double cell_m);

/// Where linear blend skinning carries each corner (SOURCES S3), metric world. `world_from_bind`
/// is worldsFromBind()'s; `posed` has one element a corner.
void skinTets(const TetMesh& mesh, std::span<const Affine> world_from_bind, std::span<Vec3> posed);

/// Where dual quaternion blending carries each corner (Kavan et al. 2007): rotations do not
/// shorten what they blend. Scales of the bones are kept: each carries a corner to where its own
/// map does, and blends as the rigid motion that would do so. The start of a solve, and where held
/// corners are held: a core that is blended linearly shrinks as the limb twists, and takes volume
/// with it. `turns` (if any) receives by how much each corner is turned from the bind pose.
void skinTetsByDualQuaternions(const TetMesh& mesh, std::span<const Affine> world_from_bind,
                               std::span<Vec3> posed, std::span<Quat> turns = {});

}  // namespace clipmill::tet_bake
