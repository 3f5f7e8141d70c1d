// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tets/embedding.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "core/to_size.h"
#include "mesh/triangle_bvh.h"
#include "stages/tet_bake/tets/tet_tree.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr double kSmoothingStep = 0.5;

// Embeds points that no tetrahedron holds.
class OutsideEmbedder {
 public:
  OutsideEmbedder(const TetMesh& mesh, const TetTree& tree, OutsideRule rule)
      : mesh_(mesh), tree_(tree), rule_(rule) {
    if (rule == OutsideRule::kNearestCentroid) return;
    faces_ = boundaryFaces(mesh);
    std::erase_if(faces_, [&](const BoundaryFace& face) { return !tree.hasVolume(face.tet); });
    std::vector<std::uint32_t> triangles;
    for (const BoundaryFace& face : faces_) {
      triangles.insert(triangles.end(), face.corners.begin(), face.corners.end());
    }
    bvh_ = TriangleBvh(mesh.positions, triangles);
  }

  Embedding embed(const Vec3& point) const {
    // Tetrahedra that overlap may have no outside.
    const bool has_outside = rule_ == OutsideRule::kNearestPoint && !faces_.empty();
    return has_outside ? byNearestPoint(point) : byCentroid(point);
  }

 private:
  Embedding byCentroid(const Vec3& point) const {
    double nearest = std::numeric_limits<double>::infinity();
    std::uint32_t best = 0;
    for (std::uint32_t t = 0; t < mesh_.tets.size(); ++t) {
      if (!tree_.hasVolume(t)) continue;
      Vec3 centroid(0.0);
      for (const std::uint32_t corner : mesh_.tets[t]) centroid += 0.25 * mesh_.positions[corner];
      const double square = glm::dot(point - centroid, point - centroid);
      if (!(square < nearest)) continue;
      nearest = square;
      best = t;
    }
    return {best, tree_.barycentric(best, point), Vec3(0.0)};
  }

  Embedding byNearestPoint(const Vec3& point) const {
    const NearestPoint nearest = bvh_.nearest(point);
    const BoundaryFace& face = faces_[nearest.triangle];
    Embedding embedding;
    embedding.tet = face.tet;
    for (int i = 0; i < 3; ++i) {
      const Tet& tet = mesh_.tets[face.tet];
      const std::uint32_t corner = face.corners[toSize(i)];
      const auto k = toSize(std::find(tet.begin(), tet.end(), corner) - tet.begin());
      embedding.weights[k] = nearest.barycentric[i];
    }
    Vec3 carried(0.0);
    for (std::size_t k = 0; k < 4; ++k) {
      carried += embedding.weights[k] * mesh_.positions[mesh_.tets[face.tet][k]];
    }
    embedding.offset = point - carried;
    return embedding;
  }

  const TetMesh& mesh_;
  const TetTree& tree_;
  OutsideRule rule_;
  std::vector<BoundaryFace> faces_;
  TriangleBvh bvh_;
};

bool isNowhere(const Embedding& embedding) { return embedding.weights == std::array<double, 4>{}; }

Mat3 edgesOf(const Tet& tet, std::span<const Vec3> corners) {
  const Vec3& origin = corners[tet[0]];
  return Mat3(corners[tet[1]] - origin, corners[tet[2]] - origin, corners[tet[3]] - origin);
}

}  // namespace

std::vector<BoundaryFace> boundaryFaces(const TetMesh& mesh) {
  std::vector<BoundaryFace> faces;
  faces.reserve(4 * mesh.tets.size());
  for (std::uint32_t t = 0; t < mesh.tets.size(); ++t) {
    for (std::size_t skipped = 0; skipped < 4; ++skipped) {
      BoundaryFace face{{}, t};
      for (std::size_t k = 0, i = 0; k < 4; ++k) {
        if (k != skipped) face.corners[i++] = mesh.tets[t][k];
      }
      std::sort(face.corners.begin(), face.corners.end());
      faces.push_back(face);
    }
  }
  std::stable_sort(faces.begin(), faces.end(), [](const BoundaryFace& a, const BoundaryFace& b) {
    return a.corners < b.corners;
  });
  std::vector<BoundaryFace> boundary;
  for (std::size_t i = 0; i < faces.size();) {
    std::size_t end = i + 1;
    while (end < faces.size() && faces[end].corners == faces[i].corners) ++end;
    if (end == i + 1) boundary.push_back(faces[i]);
    i = end;
  }
  return boundary;
}

std::vector<Embedding> embedPoints(const TetMesh& mesh, std::span<const Vec3> points,
                                   OutsideRule rule, std::size_t* outside_count) {
  std::vector<Embedding> embeddings(points.size());
  std::size_t outside = 0;
  const TetTree tree(mesh);
  std::optional<OutsideEmbedder> embedder;  // made when the first point asks for it
  for (std::size_t p = 0; p < points.size() && !tree.empty(); ++p) {
    const std::uint32_t tet = tree.find(points[p]);
    if (tet != TetTree::kNone) {
      embeddings[p] = {tet, tree.barycentric(tet, points[p]), Vec3(0.0)};
      continue;
    }
    ++outside;
    if (!embedder) embedder.emplace(mesh, tree, rule);
    embeddings[p] = embedder->embed(points[p]);
  }
  if (outside_count) *outside_count = tree.empty() ? points.size() : outside;
  return embeddings;
}

SurfaceMap::SurfaceMap(const TetMesh& mesh, std::span<const Embedding> embeddings,
                       std::span<const Vec3> points)
    : embeddings_(embeddings.begin(), embeddings.end()),
      tets_(mesh.tets),
      rest_corners_(mesh.positions),
      rest_points_(points.begin(), points.end()) {}

Vec3 SurfaceMap::carriedOffset(std::size_t point, std::span<const Vec3> corners) const {
  const Embedding& embedding = embeddings_[point];
  if (embedding.offset == Vec3(0.0)) return Vec3(0.0);
  const Tet& tet = tets_[embedding.tet];
  const Affine deformation{edgesOf(tet, corners) * glm::inverse(edgesOf(tet, rest_corners_)),
                           Vec3(0.0)};
  return normalizedOrIdentity(rotationOf(deformation)) * embedding.offset;
}

void SurfaceMap::apply(std::span<const Vec3> corners, std::span<Vec3> positions) const {
  for (std::size_t p = 0; p < embeddings_.size(); ++p) {
    const Embedding& embedding = embeddings_[p];
    if (isNowhere(embedding)) {
      positions[p] = rest_points_[p];
      continue;
    }
    Vec3 position = carriedOffset(p, corners);
    const Tet& tet = tets_[embedding.tet];
    for (std::size_t k = 0; k < 4; ++k) position += embedding.weights[k] * corners[tet[k]];
    positions[p] = position;
  }
}

SurfaceSmoother::SurfaceSmoother(const SkinSurface& surface) : start_(surface.pointCount() + 1, 0) {
  std::vector<std::uint64_t> edges;
  for (std::size_t t = 0; t + 3 <= surface.triangles.size(); t += 3) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint64_t a = surface.triangles[t + i], b = surface.triangles[t + (i + 1) % 3];
      edges.push_back(a << 32 | b);
      edges.push_back(b << 32 | a);
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  for (const std::uint64_t edge : edges) {
    ++start_[(edge >> 32) + 1];
    neighbours_.push_back(static_cast<std::uint32_t>(edge));
  }
  for (std::size_t p = 1; p < start_.size(); ++p) start_[p] += start_[p - 1];
}

void SurfaceSmoother::smooth(int passes, std::span<Vec3> values) const {
  std::vector<Vec3> before;
  for (int pass = 0; pass < passes; ++pass) {
    before.assign(values.begin(), values.end());
    for (std::size_t p = 0; p + 1 < start_.size(); ++p) {
      if (start_[p] == start_[p + 1]) continue;
      Vec3 mean(0.0);
      for (std::uint32_t i = start_[p]; i < start_[p + 1]; ++i) mean += before[neighbours_[i]];
      mean /= static_cast<double>(start_[p + 1] - start_[p]);
      values[p] += kSmoothingStep * (mean - before[p]);
    }
  }
}

void pointNormals(std::span<const Vec3> positions, std::span<const std::uint32_t> triangles,
                  std::span<Vec3> normals) {
  std::fill(normals.begin(), normals.end(), Vec3(0.0));
  for (std::size_t t = 0; t + 3 <= triangles.size(); t += 3) {
    const Vec3& a = positions[triangles[t]];
    const Vec3 area = glm::cross(positions[triangles[t + 1]] - a, positions[triangles[t + 2]] - a);
    for (std::size_t i = 0; i < 3; ++i) normals[triangles[t + i]] += area;
  }
  for (Vec3& normal : normals) {
    const double length = glm::length(normal);
    normal = length > 0.0 ? normal / length : Vec3(0.0);
  }
}

}  // namespace clipmill::stages::tet_bake
