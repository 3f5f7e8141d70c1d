// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/math.h"
#include "scene/skin_surface.h"
#include "stages/tet_bake/surface/bones.h"
#include "stages/tet_bake/tets/lattice.h"
#include "stages/tet_bake/tets/tet_mesh.h"

/// Binding of tetrahedra to bones.
namespace clipmill::stages::tet_bake {

struct BindOptions {
  /// Corners nearer to a bone than this share of its radius are its core, and fixed to it. That of
  /// a slender bone in a coarse lattice is wider: 0.4 edges, up to half of the radius.
  double core_share = 0.25;
  /// Corners that one bone alone moves are fixed to it beyond this many radii from those that
  /// several move: the shape does not change there.
  double rigid_reach = 2.0;
  /// Free corners have an elastic foundation: springs to their skinned positions, with this many
  /// shear moduli over the square of the bone's radius, per volume. It yields within about a
  /// radius, as soft tissue does about a joint. Without it a fold has several equilibria, and skin
  /// jumps from one to another between frames. 0 = none.
  double foundation_stiffness = 0.0;
};

/// Stiffness of the elastic foundation for SolveMethod::kNeoHookean.
inline constexpr double kFoundationStiffness = 1.0;

/// One sample per point of triangles that takes part (SkinSurface::share above 0), for tetrahedra
/// that do not come from makeLattice().
std::vector<SurfaceSample> samplesAtPoints(const SkinSurface& surface,
                                           std::span<const Embedding> embeddings);

/// Fills the influences, the anchors and the hold of `mesh`. Corners at the surface have the mean
/// weights of the samples in the tetrahedra about them, those further in the smooth continuation of
/// these along the edges, at most 8 influences each. Corners that no edge joins to a sample follow
/// the point of the surface nearest to them. `radius_floor_m` marks bones as too thin for the
/// tetrahedra: what follows them most is fixed to them.
void bindTets(const SkinSurface& surface, const std::vector<BakeBone>& bones,
              std::span<const SurfaceSample> samples, double radius_floor_m,
              const BindOptions& options, TetMesh& mesh);

/// Bones thinner than this are too thin for the cells of a lattice, in cells.
double thinBoneRadius_m(double cell_m);

/// Positions of the corners by linear blend skinning (docs/methods.md, skeletal animation), metric
/// world. `world_from_bind` is worldsFromBind()'s; `posed` has one element per corner.
void skinTets(const TetMesh& mesh, std::span<const Affine> world_from_bind, std::span<Vec3> posed);

/// Positions of the corners by dual quaternion skinning (Kavan et al. 2007), which does not shrink
/// twisted limbs. Scales of the bones are kept: each bone moves a corner to the position of its own
/// map, and blends as the rigid motion to that position. Used as the start of a solve and as the
/// targets of held corners: with linear blending a core shrinks as the limb twists, and loses
/// volume. Anchors keep corners about the bones: blended rotations carry them off a bone, the
/// farther the more the joint bends (Le and Hodgins 2016). `rotations` (if not empty) receives the
/// rotation of each corner from the bind pose.
void skinTetsByDualQuaternions(const TetMesh& mesh, std::span<const Affine> world_from_bind,
                               std::span<Vec3> posed, std::span<Quat> rotations = {});

/// The same of the points of a surface.
void skinSurfaceByDualQuaternions(const SkinSurface& surface,
                                  std::span<const Affine> world_from_bind, std::span<Vec3> posed);

}  // namespace clipmill::stages::tet_bake
