// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/math.h"
#include "mesh/closed_surface.h"
#include "mesh/skinned_mesh.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/rig/rig.h"

/// The skin of a character as chains meet it: the part that they move, and the body, which is the
/// rest.
namespace clipmill::stages::dynamic_bones {

/// A bone that moves a point of the skin.
struct BoneInfluence {
  std::size_t bone = 0;  ///< Index in Rig::bones.
  double share = 0.0;    ///< Where on the bone the point is: 0 at its head, 1 at its end.
};

/// A point of the skin that chains move and that stays out of the body: a vertex, or a point on a
/// long edge.
struct SkinPoint {
  std::uint32_t vertex = 0, other_vertex = 0;  ///< Of ChainSkin::strips, all in a row.
  double toward_other = 0.0;                   ///< 0 at the vertex, 1 at the other.
  std::size_t surface = 0;                     ///< Of ChainSkin::surfaces.
  /// Signed distance from the body that it keeps: that at rest, at most a small gap.
  double distance_m = 0.0;
  std::vector<BoneInfluence> influences;

  Vec3 in(std::span<const Vec3> positions) const {
    return positions[vertex] + (positions[other_vertex] - positions[vertex]) * toward_other;
  }
};

struct ChainSkin {
  std::vector<SkinnedMesh> body;    ///< Parts of meshes, without what chains move.
  std::vector<SkinnedMesh> strips;  ///< Parts of meshes, of which chains move more than half.
  /// Of the vertices of `body`, all in a row: all of it; then, where a chain leaves them out, all
  /// but the arms.
  std::vector<ClosedSurface> surfaces;
  std::vector<SkinPoint> points;
  /// Vertices of `strips` that are outside of the body at rest.
  struct FreeVertex {
    std::size_t vertex = 0, surface = 0;
    /// Whether chains can bring it out of the body: a rotation of its whole chain by 1 radian about
    /// the first joint moves it by at least 1 % of the size of the body.
    bool is_movable = true;
    double distance_m = 0.0;  ///< From the body, as SkinPoint::distance_m.
  };
  std::vector<FreeVertex> free_vertices;  ///< Ascending.
  double size_m = 0.0;                    ///< Of the body at rest: its largest extent.
};

/// Signed distance of a point from a surface, and where on the surface it is nearest.
struct SkinDistance {
  double distance_m = 0.0;  ///< Negative inside; `reach_m` where the surface is farther.
  Vec3 away{0.0};           ///< Unit vector out of the body; zero beyond the reach.
  NearestPoint nearest;     ///< On ClosedSurface::Posed::outer().
};
SkinDistance skinDistance(ClosedSurface::Posed& surface, const Vec3& point, double reach_m);

/// Positions of all vertices of `parts` in a row. `metric_from_node`: one a node; those that no
/// vertex follows are not read.
void poseSkin(const Scene& scene, const std::vector<SkinnedMesh>& parts,
              std::span<const Affine> metric_from_node, std::vector<Vec3>& positions_m);

/// The skin of the scene in its rest pose, without morphs. `swings`: one a node. Meshes without a
/// skin count where nothing has one: otherwise they are props. Bones that move no vertex carry
/// points on their axis. At most 16 points a bone, spread over it. Scene::meshes must have been
/// loaded.
ChainSkin makeChainSkin(const Scene& scene, const DynamicBonesSettings& settings, const Rig& rig,
                        const std::vector<bool>& swings);

}  // namespace clipmill::stages::dynamic_bones
