// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "mesh/weld.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <unordered_map>

namespace clipmill {
namespace {

template <class T>
void appendBits(const T& value, std::string& key) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
void appendElement(const std::vector<T>& optional, std::size_t vertex, std::string& key) {
  if (!optional.empty()) appendBits(optional[vertex], key);
}

template <class T>
void copyElement(const std::vector<T>& from, std::size_t vertex, std::vector<T>& to) {
  if (!from.empty()) to.push_back(from[vertex]);
}

// All that distinguishes a vertex from others.
std::string keyOf(const SkinnedMesh& mesh, std::size_t vertex) {
  std::string key;
  appendElement(mesh.positions, vertex, key);
  appendElement(mesh.normals, vertex, key);
  appendElement(mesh.tangents, vertex, key);
  appendElement(mesh.uvs, vertex, key);
  appendElement(mesh.colors, vertex, key);
  for (const auto& uvs : mesh.more_uvs) appendElement(uvs, vertex, key);
  for (const auto& colors : mesh.more_colors) appendElement(colors, vertex, key);
  for (const MorphTarget& morph : mesh.morphs) {
    appendElement(morph.position_deltas, vertex, key);
    appendElement(morph.normal_deltas, vertex, key);
  }
  if (mesh.influence_start.empty()) return key;
  for (std::size_t i = mesh.influence_start[vertex]; i < mesh.influence_start[vertex + 1]; ++i) {
    appendBits(mesh.influences[i].joint, key);
    appendBits(mesh.influences[i].weight, key);
  }
  return key;
}

void copyVertex(const SkinnedMesh& from, std::size_t vertex, SkinnedMesh& to) {
  copyElement(from.positions, vertex, to.positions);
  copyElement(from.normals, vertex, to.normals);
  copyElement(from.tangents, vertex, to.tangents);
  copyElement(from.uvs, vertex, to.uvs);
  copyElement(from.colors, vertex, to.colors);
  for (std::size_t k = 0; k < from.more_uvs.size(); ++k) {
    copyElement(from.more_uvs[k], vertex, to.more_uvs[k]);
  }
  for (std::size_t k = 0; k < from.more_colors.size(); ++k) {
    copyElement(from.more_colors[k], vertex, to.more_colors[k]);
  }
  for (std::size_t m = 0; m < from.morphs.size(); ++m) {
    copyElement(from.morphs[m].position_deltas, vertex, to.morphs[m].position_deltas);
    copyElement(from.morphs[m].normal_deltas, vertex, to.morphs[m].normal_deltas);
  }
  if (from.influence_start.empty()) return;
  for (std::size_t i = from.influence_start[vertex]; i < from.influence_start[vertex + 1]; ++i) {
    to.influences.push_back(from.influences[i]);
  }
  to.influence_start.push_back(to.influences.size());
}

// The mesh without its vertices and triangles.
SkinnedMesh shellOf(const SkinnedMesh& mesh) {
  SkinnedMesh shell;
  shell.name = mesh.name;
  shell.node = mesh.node;
  shell.primitive = mesh.primitive;
  shell.skin = mesh.skin;
  shell.material = mesh.material;
  shell.corners = mesh.corners;
  shell.more_uvs.resize(mesh.more_uvs.size());
  shell.more_colors.resize(mesh.more_colors.size());
  shell.triangle_materials = mesh.triangle_materials;
  for (const MorphTarget& morph : mesh.morphs) shell.morphs.push_back({morph.name, {}, {}});
  if (!mesh.influence_start.empty()) shell.influence_start.push_back(0);
  return shell;
}

}  // namespace

SkinnedMesh weldVertices(const SkinnedMesh& mesh) {
  SkinnedMesh welded = shellOf(mesh);
  std::unordered_map<std::string, std::uint32_t> vertex_of_key;  // looked up, never walked
  for (const std::uint32_t vertex : mesh.triangles) {
    const auto next = static_cast<std::uint32_t>(welded.vertexCount());
    const auto [known, is_new] = vertex_of_key.try_emplace(keyOf(mesh, vertex), next);
    if (is_new) copyVertex(mesh, vertex, welded);
    welded.triangles.push_back(known->second);
  }
  return welded;
}

std::vector<std::uint32_t> firstAtPosition(std::span<const Vec3> positions) {
  const auto keyAt = [&](std::uint32_t i) {
    return std::make_tuple(positions[i].x, positions[i].y, positions[i].z, i);
  };
  std::vector<std::uint32_t> order(positions.size()), first(positions.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return keyAt(a) < keyAt(b); });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_same = i > 0 && positions[order[i]] == positions[order[i - 1]];
    first[order[i]] = is_same ? first[order[i - 1]] : order[i];
  }
  return first;
}

}  // namespace clipmill
