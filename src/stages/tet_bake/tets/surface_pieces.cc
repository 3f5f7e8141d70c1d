// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tets/surface_pieces.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/parallel.h"
#include "core/to_size.h"

namespace clipmill::stages::tet_bake {
namespace {

// Barycentric coordinates above this count as within, so that a triangle that lies in a face
// belongs to both sides.
constexpr double kWithin = -1e-9;
// In cubes, more than kWithin is.
constexpr double kMargin = 1e-8;
constexpr std::size_t kTrianglesPerBlock = 256;

using Barycentric = std::array<double, 4>;
using TriangleCorners = std::array<Barycentric, 3>;  // of a triangle, in one tetrahedron

// A polygon in a triangle: corners as weights of the triangle's corners.
struct Polygon {
  // A triangle gains at most one corner from each of four faces.
  std::array<Vec3, 8> corners;
  std::size_t count = 0;

  void add(const Vec3& corner) {
    if (count < corners.size()) corners[count++] = corner;
  }
};

double coordinate(const TriangleCorners& corners, std::size_t face, const Vec3& weights) {
  return corners[0][face] * weights.x + corners[1][face] * weights.y + corners[2][face] * weights.z;
}

// What of the triangle is within the tetrahedron.
Polygon clipped(const TriangleCorners& corners) {
  Polygon polygon;
  polygon.add(Vec3(1, 0, 0));
  polygon.add(Vec3(0, 1, 0));
  polygon.add(Vec3(0, 0, 1));
  for (std::size_t face = 0; face < 4 && polygon.count > 0; ++face) {
    Polygon kept;
    for (std::size_t i = 0; i < polygon.count; ++i) {
      const Vec3& a = polygon.corners[i];
      const Vec3& b = polygon.corners[(i + 1) % polygon.count];
      const double at_a = coordinate(corners, face, a) - kWithin;
      const double at_b = coordinate(corners, face, b) - kWithin;
      if (at_a >= 0.0) kept.add(a);
      if ((at_a >= 0.0) != (at_b >= 0.0)) kept.add(a + (b - a) * (at_a / (at_a - at_b)));
    }
    polygon = kept;
  }
  return polygon;
}

bool isWithinTet(const Barycentric& b) {
  return b[0] >= kWithin && b[1] >= kWithin && b[2] >= kWithin && b[3] >= kWithin;
}

bool isSegmentWithin(const Barycentric& a, const Barycentric& b) {
  double start = 0.0, end = 1.0;
  for (std::size_t face = 0; face < 4; ++face) {
    const double at_a = a[face] - kWithin, at_b = b[face] - kWithin;
    if (at_a < 0.0 && at_b < 0.0) return false;
    if (at_a < 0.0) start = std::max(start, at_a / (at_a - at_b));
    if (at_b < 0.0) end = std::min(end, at_a / (at_a - at_b));
  }
  return start <= end;
}

bool isBeyondOneFace(const TriangleCorners& corners) {
  for (std::size_t face = 0; face < 4; ++face) {
    if (corners[0][face] < kWithin && corners[1][face] < kWithin && corners[2][face] < kWithin) {
      return true;
    }
  }
  return false;
}

// Fills all but the numbers of a piece.
void describe(const TriangleCorners& corners, const Polygon& polygon, SurfacePiece& piece) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (isWithinTet(corners[i])) piece.corners |= static_cast<std::uint8_t>(1u << i);
    if (isSegmentWithin(corners[i], corners[(i + 1) % 3])) {
      piece.edges |= static_cast<std::uint8_t>(1u << i);
    }
  }
  double twice_area = 0.0;
  for (std::size_t i = 0; i < polygon.count; ++i) {
    const Vec3& a = polygon.corners[i];
    const Vec3& b = polygon.corners[(i + 1) % polygon.count];
    twice_area += a.x * b.y - b.x * a.y;
    piece.middle += a;
  }
  piece.middle /= static_cast<double>(polygon.count);
  piece.area_share = std::abs(twice_area);  // the whole triangle has 1/2 in these coordinates
}

int floorOf(double x) { return static_cast<int>(std::floor(x)); }

// Of cubes, one an axis: those whose faces along `axis` have tetrahedra that may intersect a
// triangle.
struct CubeRange {
  BccGrid::Coordinates from, to;

  double count() const {
    double product = 1.0;
    for (std::size_t i = 0; i < 3; ++i) product *= static_cast<double>(to[i] - from[i]) + 1.0;
    return product;
  }
};

CubeRange cubesAround(const std::array<Vec3, 3>& corners, int axis) {
  const Vec3 low = glm::min(glm::min(corners[0], corners[1]), corners[2]) - Vec3(kMargin);
  const Vec3 high = glm::max(glm::max(corners[0], corners[1]), corners[2]) + Vec3(kMargin);
  CubeRange range;
  for (int i = 0; i < 3; ++i) {
    // Tetrahedra reach half a cube to either side of their face, and no further aside than it.
    const double shift = i == axis ? 0.5 : 0.0;
    range.from[toSize(i)] = floorOf(low[i] + shift);
    range.to[toSize(i)] = floorOf(high[i] + shift);
  }
  return range;
}

// Cuts one triangle, given in cube coordinates.
class TriangleCutter {
 public:
  TriangleCutter(const BccGrid& grid, std::vector<SurfacePiece>& pieces)
      : grid_(grid), pieces_(pieces) {}

  void cut(std::uint32_t triangle, const std::array<Vec3, 3>& corners) {
    for (int axis = 0; axis < 3; ++axis) {
      const CubeRange range = cubesAround(corners, axis);
      for (int z = range.from[2]; z <= range.to[2]; ++z) {
        for (int y = range.from[1]; y <= range.to[1]; ++y) {
          for (int x = range.from[0]; x <= range.to[0]; ++x) {
            cutAtFace(triangle, corners, {x, y, z}, axis);
          }
        }
      }
    }
  }

 private:
  void cutAtFace(std::uint32_t triangle, const std::array<Vec3, 3>& corners,
                 const BccGrid::Coordinates& cube, int axis) {
    const Vec3 base(cube[0], cube[1], cube[2]);
    const std::array<Vec3, 3> local{corners[0] - base, corners[1] - base, corners[2] - base};
    for (int edge = 0; edge < 4; ++edge) {
      const BccBarycentric& barycentric = bccBarycentrics()[toSize(axis * 4 + edge)];
      const TriangleCorners inside{barycentric.at(local[0]), barycentric.at(local[1]),
                                   barycentric.at(local[2])};
      if (isBeyondOneFace(inside)) continue;
      const Polygon polygon = clipped(inside);
      const std::uint32_t tet = grid_.tetAt(cube, axis, edge);
      if (polygon.count == 0 || tet == BccGrid::kNone) continue;
      SurfacePiece piece;
      piece.tet = tet;
      piece.triangle = triangle;
      describe(inside, polygon, piece);
      piece.middle_in_cubes =
          corners[0] * piece.middle.x + corners[1] * piece.middle.y + corners[2] * piece.middle.z;
      pieces_.push_back(piece);
    }
  }

  const BccGrid& grid_;
  std::vector<SurfacePiece>& pieces_;
};

// Blocks are in order of their triangles, and so are the pieces of each.
std::vector<SurfacePiece> sortedByTet(const std::vector<std::vector<SurfacePiece>>& blocks) {
  std::vector<const SurfacePiece*> all;
  for (const std::vector<SurfacePiece>& block : blocks) {
    for (const SurfacePiece& piece : block) all.push_back(&piece);
  }
  std::vector<std::uint64_t> order;
  order.reserve(all.size());
  for (const SurfacePiece* piece : all) {
    order.push_back(static_cast<std::uint64_t>(piece->tet) << 32 | order.size());
  }
  std::sort(order.begin(), order.end());
  std::vector<SurfacePiece> sorted;
  sorted.reserve(order.size());
  for (const std::uint64_t key : order) sorted.push_back(*all[static_cast<std::uint32_t>(key)]);
  return sorted;
}

}  // namespace

std::vector<SurfacePiece> cutSurface(const BccGrid& grid, std::span<const Vec3> positions,
                                     std::span<const std::uint32_t> triangles,
                                     std::size_t work_limit, int threads) {
  const auto cornersOf = [&](std::size_t t) -> std::array<Vec3, 3> {
    return {grid.toCubes(positions[triangles[3 * t]]),
            grid.toCubes(positions[triangles[3 * t + 1]]),
            grid.toCubes(positions[triangles[3 * t + 2]])};
  };
  const std::size_t count = triangles.size() / 3;
  double work = 0.0;
  for (std::size_t t = 0; t < count; ++t) {
    for (int axis = 0; axis < 3; ++axis) work += cubesAround(cornersOf(t), axis).count();
  }
  if (work > static_cast<double>(work_limit)) return {};
  std::vector<std::vector<SurfacePiece>> blocks((count + kTrianglesPerBlock - 1) /
                                                kTrianglesPerBlock);
  parallelFor(count, kTrianglesPerBlock, threads, [&](std::size_t start, std::size_t end) {
    TriangleCutter cutter(grid, blocks[start / kTrianglesPerBlock]);
    for (std::size_t t = start; t < end; ++t) {
      cutter.cut(static_cast<std::uint32_t>(t), cornersOf(t));
    }
  });
  return sortedByTet(blocks);
}

}  // namespace clipmill::stages::tet_bake
