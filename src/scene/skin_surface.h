// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/math.h"
#include "core/result.h"
#include "core/warnings.h"
#include "mesh/skinned_mesh.h"
#include "scene/scene.h"

namespace clipmill {

/// The point of a vertex that has none.
inline constexpr std::uint32_t kNoPoint = std::numeric_limits<std::uint32_t>::max();

/// Where the vertices of one skinned mesh are in the surface.
struct SurfacePart {
  std::size_t mesh = 0;  ///< Index in Scene::meshes.
  /// Index in SkinSurface::positions, one a vertex of the mesh. kNoPoint for vertices that take no
  /// part and are to be left to plain skinning: without weights, of no finite position, on joints
  /// whose bind matrix has no inverse, or bound in two poses at once.
  std::vector<std::uint32_t> point_of_vertex;
};

/// All skinned meshes of a scene as one surface in the pose in which they were bound. Vertices that
/// coincide there and have equal weights are one point, so that corrections of points open no seam
/// between meshes. Meshes without a skin are not here: they follow their node.
struct SkinSurface {
  std::vector<Vec3> positions;           ///< Metric world.
  std::vector<std::uint32_t> triangles;  ///< Three points each; none with two equal points.
  /// Point p follows influences [start[p], start[p + 1]); weights of a point sum to 1.
  std::vector<std::size_t> influence_start;
  std::vector<Influence> influences;  ///< Influence::joint is an index in Skeleton::nodes here.
  /// How much of a correction a point takes, 0..1: 0 for thin sheets (hair cards, cloth), which
  /// pass through with plain skinning. makeSkinSurface() gives all 1.
  std::vector<double> share;
  std::vector<SurfacePart> parts;            ///< In the order of Scene::meshes.
  std::vector<Affine> bind_world_from_node;  ///< One a node of the skeleton.

  std::size_t pointCount() const { return positions.size(); }
  std::span<const Influence> influencesOf(std::size_t point) const {
    return std::span(influences)
        .subspan(influence_start[point], influence_start[point + 1] - influence_start[point]);
  }
};

/// The weight of a node for a point; 0 for one that does not move it.
double weightOf(std::span<const Influence> influences, std::uint32_t node);

/// The node that moves a point most, of equal ones the first.
std::uint32_t dominantNode(std::span<const Influence> influences);

/// Gathers the surface. Counts what is left out in `warnings`. Error: kUnsupported where no mesh
/// of the scene has a skin and a triangle that take part.
Result<SkinSurface> makeSkinSurface(const Scene& scene, Warnings& warnings);

/// The map from the bind pose to where a pose carries it, one a node: world_from_node *
/// inverse(bind_world_from_node). `world_from_node` is metric, one a node; a node whose bind map
/// has no inverse gets identity (no point follows one).
std::vector<Affine> worldsFromBind(std::span<const Affine> bind_world_from_node,
                                   std::span<const Affine> world_from_node);

/// Linear blend skinning of the whole surface (docs/methods.md, skeletal animation): the weighted
/// sum of where the nodes carry each point, metric world. The identity at the bind pose. `posed`
/// has one element a point.
void skinSurface(const SkinSurface& surface, std::span<const Affine> world_from_bind,
                 std::span<Vec3> posed);

}  // namespace clipmill
