// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tets/tet_shape.h"

#include <algorithm>
#include <cmath>

namespace clipmill::stages::tet_bake {

Corners cornersOf(std::span<const Vec3> positions, const Tet& tet) {
  return {positions[tet[0]], positions[tet[1]], positions[tet[2]], positions[tet[3]]};
}

double signedVolume(const Corners& x) {
  return glm::dot(glm::cross(x[1] - x[0], x[2] - x[0]), x[3] - x[0]) / 6.0;
}

double longestEdge(const Corners& x) {
  double longest = 0.0;
  for (const auto& [a, b] : kTetEdges) longest = std::max(longest, glm::length(x[a] - x[b]));
  return longest;
}

double meanEdge(const TetMesh& mesh) {
  using Edge = std::array<std::uint32_t, 2>;
  std::vector<Edge> edges;
  edges.reserve(6 * mesh.tets.size());
  for (const Tet& tet : mesh.tets) {
    for (const auto& [a, b] : kTetEdges) {
      edges.push_back({std::min(tet[a], tet[b]), std::max(tet[a], tet[b])});
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  double sum = 0.0, count = 0.0;
  for (const Edge& edge : edges) {
    const double length = glm::length(mesh.positions[edge[0]] - mesh.positions[edge[1]]);
    if (!(length > 0.0 && std::isfinite(length))) continue;
    sum += length;
    count += 1.0;
  }
  return count > 0.0 ? sum / count : 0.0;
}

Corners volumeGradients(const Corners& x) {
  Corners gradients;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& [o0, o1, o2] = kOppositeFace[i];
    gradients[i] = glm::cross(x[o1] - x[o0], x[o2] - x[o0]) / 6.0;
  }
  return gradients;
}

ElasticTet makeElasticTet(const Corners& rest) {
  ElasticTet tet;
  tet.volume = signedVolume(rest);
  // A shape gradient is the volume's gradient over the volume.
  const Corners gradients = volumeGradients(rest);
  for (std::size_t e = 0; e < kTetEdges.size(); ++e) {
    const auto& [a, b] = kTetEdges[e];
    tet.springs[e] = -glm::dot(gradients[a], gradients[b]) / tet.volume;
  }
  return tet;
}

double elasticEnergy(const ElasticTet& tet, const Material& material, const Corners& x) {
  double stretch = -3.0 * tet.volume;
  for (std::size_t e = 0; e < kTetEdges.size(); ++e) {
    const Vec3 path = x[kTetEdges[e][1]] - x[kTetEdges[e][0]];
    stretch += tet.springs[e] * glm::dot(path, path);
  }
  // lambda/2 ((J - a)^2 - (1 - a)^2) with lambda (a - 1) = 1.
  const double excess = signedVolume(x) / tet.volume - 1.0;
  return 0.5 * stretch + (0.5 * material.lambda * excess - 1.0) * excess * tet.volume;
}

Corners energyGradients(const ElasticTet& tet, const Material& material, const Corners& x) {
  const double excess = signedVolume(x) / tet.volume - 1.0;
  Corners gradients = volumeGradients(x);
  for (Vec3& gradient : gradients) gradient *= material.lambda * excess - 1.0;
  for (std::size_t e = 0; e < kTetEdges.size(); ++e) {
    const auto& [a, b] = kTetEdges[e];
    const Vec3 pull = tet.springs[e] * (x[b] - x[a]);
    gradients[a] -= pull;
    gradients[b] += pull;
  }
  return gradients;
}

}  // namespace clipmill::stages::tet_bake
