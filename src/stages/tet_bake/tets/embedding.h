// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/math.h"
#include "scene/skin_surface.h"
#include "stages/tet_bake/tets/tet_mesh.h"

/// How a surface follows tetrahedra (docs/methods.md, tet-bake, step 3).
namespace clipmill::stages::tet_bake {

/// A face that only one tetrahedron has.
struct BoundaryFace {
  std::array<std::uint32_t, 3> corners;  ///< Ascending.
  std::uint32_t tet = 0;
};

/// All of them, in the order of their corners.
std::vector<BoundaryFace> boundaryFaces(const TetMesh& mesh);

/// What carries a point that is in no tetrahedron.
enum class OutsideRule {
  kNearestPoint,     ///< The nearest point of the tetrahedra, and a rigid offset from it.
  kNearestCentroid,  ///< As published: the tetrahedron of the nearest centroid, extrapolated.
};

/// Finds the tetrahedron that holds each point and its barycentric coordinates there; of several
/// the one whose least barycentric coordinate is largest. Flat tetrahedra hold nothing.
/// `outside_count` (if given) receives how many points are in none. Without a tetrahedron that has
/// a volume all embeddings are zero.
std::vector<Embedding> embedPoints(const TetMesh& mesh, std::span<const Vec3> points,
                                   OutsideRule rule, std::size_t* outside_count = nullptr);

/// Carries points with their tetrahedra.
class SurfaceMap {
 public:
  /// `mesh` at rest, and one embedding per point. Those whose weights are all zero stay where
  /// `points` has them at rest.
  SurfaceMap(const TetMesh& mesh, std::span<const Embedding> embeddings,
             std::span<const Vec3> points);

  std::size_t pointCount() const { return embeddings_.size(); }
  /// Where the points are when the corners are at `corners` (one per corner of the mesh): each the
  /// weighted sum of its corners and its offset, rotated with the tetrahedron.
  void apply(std::span<const Vec3> corners, std::span<Vec3> positions) const;

 private:
  Vec3 carriedOffset(std::size_t point, std::span<const Vec3> corners) const;

  std::vector<Embedding> embeddings_;
  std::vector<Tet> tets_;
  std::vector<Vec3> rest_corners_;
  std::vector<Vec3> rest_points_;
};

/// Averages values over the points of a surface, so that the edges of coarse tetrahedra do not
/// show.
class SurfaceSmoother {
 public:
  explicit SurfaceSmoother(const SkinSurface& surface);

  /// Each pass moves every value halfway to the mean of its neighbours along edges. `values`
  /// has one element per point.
  void smooth(int passes, std::span<Vec3> values) const;

 private:
  std::vector<std::uint32_t> start_, neighbours_;
};

/// Unit normals of the points of a surface: the sum of those of the triangles around, by area.
/// Points without area get (0, 0, 0). `normals` has one element per position.
void pointNormals(std::span<const Vec3> positions, std::span<const std::uint32_t> triangles,
                  std::span<Vec3> normals);

}  // namespace clipmill::stages::tet_bake
