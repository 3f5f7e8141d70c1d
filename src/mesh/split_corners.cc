// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "mesh/split_corners.h"

#include <algorithm>
#include <bit>
#include <compare>
#include <map>
#include <numeric>
#include <span>

namespace clipmill {
namespace {

// Orders numbers by their bits, so that even NaN is equal to itself.
std::strong_ordering compareNumbers(double a, double b) {
  return std::bit_cast<std::uint64_t>(a + 0.0) <=> std::bit_cast<std::uint64_t>(b + 0.0);
}

template <class Vector>
std::strong_ordering compareAt(const std::vector<Vector>& vectors, std::size_t a, std::size_t b) {
  if (vectors.empty()) return std::strong_ordering::equal;
  for (int i = 0; i < Vector::length(); ++i) {
    if (const auto order = compareNumbers(vectors[a][i], vectors[b][i]); order != 0) return order;
  }
  return std::strong_ordering::equal;
}

std::strong_ordering compareCorners(const SkinnedMesh& mesh, std::size_t a, std::size_t b) {
  if (const auto order = mesh.triangles[a] <=> mesh.triangles[b]; order != 0) return order;
  if (const auto order = compareAt(mesh.corners.normals, a, b); order != 0) return order;
  if (const auto order = compareAt(mesh.corners.tangents, a, b); order != 0) return order;
  if (const auto order = compareAt(mesh.corners.uvs, a, b); order != 0) return order;
  if (const auto order = compareAt(mesh.corners.colors, a, b); order != 0) return order;
  for (const auto& uvs : mesh.corners.more_uvs) {
    if (const auto order = compareAt(uvs, a, b); order != 0) return order;
  }
  for (const auto& colors : mesh.corners.more_colors) {
    if (const auto order = compareAt(colors, a, b); order != 0) return order;
  }
  return std::strong_ordering::equal;
}

// The corners of the triangles of one material, in their order.
struct Part {
  int material = -1;
  std::vector<std::size_t> corners;
};

std::vector<Part> partsOf(const SkinnedMesh& mesh) {
  std::vector<Part> parts;
  std::map<int, std::size_t> part_of_material;
  for (std::size_t t = 0; t < mesh.triangles.size() / 3; ++t) {
    const int material =
        mesh.triangle_materials.empty() ? mesh.material : mesh.triangle_materials[t];
    const auto [position, is_new] = part_of_material.emplace(material, parts.size());
    if (is_new) parts.push_back({material, {}});
    auto& corners = parts[position->second].corners;
    corners.insert(corners.end(), {3 * t, 3 * t + 1, 3 * t + 2});
  }
  return parts;
}

// The corners of a part that represent a vertex of the result, and which one each corner is.
struct Vertices {
  std::vector<std::size_t> corner_of_vertex;
  std::vector<std::uint32_t> triangles;
};

Vertices verticesOf(const SkinnedMesh& mesh, const std::vector<std::size_t>& corners) {
  // Sorted, equal corners lie together, the one that comes first in the part at their head.
  std::vector<std::size_t> order(corners.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto compared = compareCorners(mesh, corners[a], corners[b]);
    return compared != 0 ? compared < 0 : a < b;
  });
  std::vector<std::size_t> head(corners.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_same =
        i > 0 && compareCorners(mesh, corners[order[i - 1]], corners[order[i]]) == 0;
    head[order[i]] = is_same ? head[order[i - 1]] : order[i];
  }
  Vertices vertices;
  std::vector<std::uint32_t> vertex_of_head(corners.size());
  for (std::size_t i = 0; i < corners.size(); ++i) {
    if (head[i] == i) {
      vertex_of_head[i] = static_cast<std::uint32_t>(vertices.corner_of_vertex.size());
      vertices.corner_of_vertex.push_back(corners[i]);
    }
    vertices.triangles.push_back(vertex_of_head[head[i]]);
  }
  return vertices;
}

template <class Value>
std::vector<Value> picked(const std::vector<Value>& values, std::span<const std::size_t> indices) {
  std::vector<Value> result;
  if (values.empty()) return result;
  result.reserve(indices.size());
  for (const std::size_t index : indices) result.push_back(values[index]);
  return result;
}

void pickInfluences(const SkinnedMesh& mesh, std::span<const std::size_t> vertices,
                    SkinnedMesh& part) {
  if (mesh.skin < 0 || mesh.influence_start.empty()) return;
  for (const std::size_t vertex : vertices) {
    part.influence_start.push_back(part.influences.size());
    const auto start = mesh.influences.begin();
    part.influences.insert(part.influences.end(),
                           start + static_cast<std::ptrdiff_t>(mesh.influence_start[vertex]),
                           start + static_cast<std::ptrdiff_t>(mesh.influence_start[vertex + 1]));
  }
  part.influence_start.push_back(part.influences.size());
}

SkinnedMesh meshOf(const SkinnedMesh& mesh, const Part& part) {
  Vertices vertices = verticesOf(mesh, part.corners);
  std::vector<std::size_t> sources;  // the vertex that each new one comes from
  for (const std::size_t corner : vertices.corner_of_vertex) {
    sources.push_back(mesh.triangles[corner]);
  }
  const auto attribute = [&](const auto& of_corners, const auto& of_vertices) {
    return of_corners.empty() ? picked(of_vertices, sources)
                              : picked(of_corners, vertices.corner_of_vertex);
  };
  const auto sets = [&](const auto& of_corners, const auto& of_vertices) {
    std::decay_t<decltype(of_vertices)> result(std::max(of_corners.size(), of_vertices.size()));
    for (std::size_t k = 0; k < result.size(); ++k) {
      const bool is_of_corners = k < of_corners.size() && !of_corners[k].empty();
      if (is_of_corners) result[k] = picked(of_corners[k], vertices.corner_of_vertex);
      if (!is_of_corners && k < of_vertices.size()) result[k] = picked(of_vertices[k], sources);
    }
    return result;
  };
  SkinnedMesh result;
  result.name = mesh.name;
  result.node = mesh.node;
  result.skin = mesh.skin;
  result.material = part.material;
  result.more_uvs = sets(mesh.corners.more_uvs, mesh.more_uvs);
  result.more_colors = sets(mesh.corners.more_colors, mesh.more_colors);
  result.positions = picked(mesh.positions, sources);
  result.normals = attribute(mesh.corners.normals, mesh.normals);
  result.tangents = attribute(mesh.corners.tangents, mesh.tangents);
  result.uvs = attribute(mesh.corners.uvs, mesh.uvs);
  result.colors = attribute(mesh.corners.colors, mesh.colors);
  result.triangles = std::move(vertices.triangles);
  pickInfluences(mesh, sources, result);
  for (const MorphTarget& morph : mesh.morphs) {
    result.morphs.push_back(
        {morph.name, picked(morph.position_deltas, sources), picked(morph.normal_deltas, sources)});
  }
  return result;
}

}  // namespace

bool needsSplit(const SkinnedMesh& mesh) {
  return !mesh.corners.normals.empty() || !mesh.corners.tangents.empty() ||
         !mesh.corners.uvs.empty() || !mesh.corners.colors.empty() ||
         !mesh.corners.more_uvs.empty() || !mesh.corners.more_colors.empty() ||
         !mesh.triangle_materials.empty();
}

std::vector<SkinnedMesh> splitCorners(const SkinnedMesh& mesh) {
  if (!needsSplit(mesh)) return {mesh};
  std::vector<SkinnedMesh> meshes;
  for (const Part& part : partsOf(mesh)) {
    SkinnedMesh result = meshOf(mesh, part);
    result.primitive = mesh.primitive + static_cast<int>(meshes.size());
    meshes.push_back(std::move(result));
  }
  return meshes;
}

}  // namespace clipmill
