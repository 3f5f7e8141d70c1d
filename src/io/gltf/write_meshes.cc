// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Chapter 3.7 (meshes and skins) of the glTF 2.0 specification.
#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/float_rounding.h"
#include "core/to_size.h"
#include "io/gltf/write_parts.h"
#include "mesh/split_corners.h"

namespace clipmill::io::gltf::glb_writer {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kJointsPerSet = 4;
// The last index of each width is kept free: players may use it to restart a strip.
constexpr std::size_t kMostVerticesForU16 = 65535;

template <class Vector>
std::vector<double> flattened(const std::vector<Vector>& vectors) {
  std::vector<double> flat;
  flat.reserve(vectors.size() * toSize(Vector::length()));
  for (const Vector& vector : vectors) {
    for (int i = 0; i < Vector::length(); ++i) flat.push_back(vector[i]);
  }
  return flat;
}

int addVertexFloats(BufferBuilder& buffer, std::span<const double> values, int width,
                    Bounds bounds = Bounds::kNone) {
  buffer.startView(ViewTarget::kVertices);
  return buffer.addFloats(values, width, bounds);
}

// The influences of one vertex, each joint once, strongest first, as floats whose sum is 1.
std::vector<Influence> orderedInfluences(const SkinnedMesh& mesh, std::size_t vertex) {
  std::map<std::uint32_t, double> weight_of_joint;
  double sum = 0.0;
  for (std::size_t i = mesh.influence_start[vertex]; i < mesh.influence_start[vertex + 1]; ++i) {
    const Influence& influence = mesh.influences[i];
    if (!(influence.weight > 0.0)) continue;
    weight_of_joint[influence.joint] += influence.weight;
    sum += influence.weight;
  }
  std::vector<Influence> ordered;
  for (const auto& [joint, weight] : weight_of_joint) {
    const double stored = roundedToFloat(weight / sum);
    if (stored > 0.0) ordered.push_back({joint, stored});
  }
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Influence& a, const Influence& b) { return a.weight > b.weight; });
  double rest = 1.0;
  for (std::size_t i = 1; i < ordered.size(); ++i) rest -= ordered[i].weight;
  ordered.front().weight = rest;
  return ordered;
}

// glTF asks for unit length. What is as good as that stays as it is; a normal of no direction has
// to have one.
Vec3 withUnitLength(const Vec3& v) {
  constexpr double kAsGood = 1e-4;
  const double square = glm::dot(v, v);
  if (std::abs(square - 1.0) <= kAsGood || !isFinite(v)) return v;
  const double length = std::sqrt(square);
  return length > 0.0 ? v / length : Vec3(0, 0, 1);
}

std::vector<Vec3> unitNormals(std::vector<Vec3> normals) {
  for (Vec3& normal : normals) normal = withUnitLength(normal);
  return normals;
}

// A tangent of no direction gets one at a right angle to its normal.
std::vector<Vec4> unitTangents(std::vector<Vec4> tangents, const std::vector<Vec3>& normals) {
  for (std::size_t v = 0; v < tangents.size(); ++v) {
    Vec3 tangent(tangents[v]);
    if (tangent == Vec3(0.0)) {
      const Vec3 normal = withUnitLength(normals[v]);
      tangent = glm::cross(normal, std::abs(normal.x) < 0.5 ? Vec3(1, 0, 0) : Vec3(0, 1, 0));
    }
    tangents[v] = Vec4(withUnitLength(tangent), tangents[v].w);
  }
  return tangents;
}

std::vector<Vec4> clampedColors(std::vector<Vec4> colors) {
  for (Vec4& color : colors) color = glm::clamp(color, 0.0, 1.0);
  return colors;
}

Json attributesJson(const Scene& scene, const SkinnedMesh& mesh, BufferBuilder& buffer) {
  Json json = Json::object();
  json["POSITION"] = addVertexFloats(buffer, flattened(mesh.positions), 3, Bounds::kMinMax);
  if (!mesh.normals.empty()) {
    json["NORMAL"] = addVertexFloats(buffer, flattened(unitNormals(mesh.normals)), 3);
  }
  if (!mesh.normals.empty() && !mesh.tangents.empty()) {
    json["TANGENT"] =
        addVertexFloats(buffer, flattened(unitTangents(mesh.tangents, mesh.normals)), 4);
  }
  if (!mesh.uvs.empty()) json["TEXCOORD_0"] = addVertexFloats(buffer, flattened(mesh.uvs), 2);
  if (!mesh.colors.empty()) {
    json["COLOR_0"] = addVertexFloats(buffer, flattened(clampedColors(mesh.colors)), 4);
  }
  for (std::size_t k = 0; k < mesh.more_uvs.size(); ++k) {
    if (mesh.uvs.empty() || mesh.more_uvs[k].empty()) break;  // sets have to follow one another
    json["TEXCOORD_" + std::to_string(k + 1)] =
        addVertexFloats(buffer, flattened(mesh.more_uvs[k]), 2);
  }
  for (std::size_t k = 0; k < mesh.more_colors.size(); ++k) {
    if (mesh.colors.empty() || mesh.more_colors[k].empty()) break;
    json["COLOR_" + std::to_string(k + 1)] =
        addVertexFloats(buffer, flattened(clampedColors(mesh.more_colors[k])), 4);
  }
  if (mesh.skin >= 0) {
    const Skin& skin = scene.skins[toSize(mesh.skin)];
    const auto sets = influenceValuesOf(mesh);
    for (std::size_t i = 0; i < sets.size(); ++i) {
      json["JOINTS_" + std::to_string(i)] =
          addJointIndices(sets[i].joints, skin.joints.size(), buffer);
      json["WEIGHTS_" + std::to_string(i)] = addInfluenceWeights(sets[i].weights, buffer);
    }
  }
  return json;
}

// A target that moves nothing has to be there all the same, so that the others keep their numbers.
// All of a mesh share one accessor, `zeros`, which is -1 before the first.
Json morphJson(const MorphTarget& morph, std::size_t vertex_count, int& zeros,
               BufferBuilder& buffer) {
  Json json = Json::object();
  if (morph.position_deltas.empty() && morph.normal_deltas.empty()) {
    if (zeros < 0) {
      zeros = buffer.addFewFloats(std::vector<double>(3 * vertex_count), 3, Bounds::kMinMax);
    }
    json["POSITION"] = zeros;
  }
  if (!morph.position_deltas.empty()) {
    json["POSITION"] = buffer.addFewFloats(flattened(morph.position_deltas), 3, Bounds::kMinMax);
  }
  if (!morph.normal_deltas.empty()) {
    json["NORMAL"] = buffer.addFewFloats(flattened(morph.normal_deltas), 3, Bounds::kNone);
  }
  return json;
}

Json primitiveJson(const Scene& scene, const SkinnedMesh& mesh, BufferBuilder& buffer) {
  Json json = Json::object();
  json["attributes"] = attributesJson(scene, mesh, buffer);
  const bool is_small = mesh.vertexCount() <= kMostVerticesForU16;
  buffer.startView(ViewTarget::kIndices);
  json["indices"] =
      buffer.addIntegers(mesh.triangles, 1, is_small ? Component::kU16 : Component::kU32);
  if (mesh.material >= 0) json["material"] = mesh.material;
  int zeros = -1;
  for (const MorphTarget& morph : mesh.morphs) {
    json["targets"].push_back(morphJson(morph, mesh.vertexCount(), zeros, buffer));
  }
  return json;
}

void writeMorphWeights(const Skeleton& skeleton, const SkinnedMesh& mesh, Json& json) {
  if (mesh.morphs.empty()) return;
  const Node& node = skeleton.nodes[toSize(mesh.node)];
  for (int w = 0; w < node.weights_count; ++w) {
    json["weights"].push_back(skeleton.rest_weights[toSize(node.weights_start + w)] + 0.0);
  }
  const bool any_named = std::any_of(mesh.morphs.begin(), mesh.morphs.end(),
                                     [](const MorphTarget& morph) { return !morph.name.empty(); });
  if (!any_named) return;
  for (const MorphTarget& morph : mesh.morphs) {
    json["extras"]["targetNames"].push_back(morph.name);
  }
}

// The meshes of each node in their order, split where they have to be. `split` owns the parts.
std::map<int, std::vector<const SkinnedMesh*>> primitivesOfNodes(const Scene& scene,
                                                                 std::deque<SkinnedMesh>& split) {
  std::map<int, std::vector<const SkinnedMesh*>> meshes_of_node, primitives_of_node;
  for (const SkinnedMesh& mesh : scene.meshes) {
    if (!mesh.triangles.empty()) meshes_of_node[mesh.node].push_back(&mesh);
  }
  for (auto& [node, meshes] : meshes_of_node) {
    std::stable_sort(meshes.begin(), meshes.end(),
                     [](const auto* a, const auto* b) { return a->primitive < b->primitive; });
    for (const SkinnedMesh* mesh : meshes) {
      if (!needsSplit(*mesh)) {
        primitives_of_node[node].push_back(mesh);
        continue;
      }
      for (SkinnedMesh& part : splitCorners(*mesh)) {
        primitives_of_node[node].push_back(&split.emplace_back(std::move(part)));
      }
    }
  }
  return primitives_of_node;
}

}  // namespace

std::vector<InfluenceValues> influenceValuesOf(const SkinnedMesh& mesh) {
  std::vector<std::vector<Influence>> influences;
  std::size_t most = 1;
  for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
    influences.push_back(orderedInfluences(mesh, v));
    most = std::max(most, influences.back().size());
  }
  std::vector<InfluenceValues> sets;
  for (std::size_t start = 0; start < most; start += kJointsPerSet) {
    InfluenceValues& set = sets.emplace_back();
    for (const std::vector<Influence>& of_vertex : influences) {
      for (std::size_t i = start; i < start + kJointsPerSet; ++i) {
        set.joints.push_back(i < of_vertex.size() ? of_vertex[i].joint : 0);
        set.weights.push_back(i < of_vertex.size() ? of_vertex[i].weight : 0.0);
      }
    }
  }
  return sets;
}

int addJointIndices(std::span<const std::uint32_t> joints, std::size_t joint_count,
                    BufferBuilder& buffer) {
  buffer.startView(ViewTarget::kVertices);
  return buffer.addIntegers(joints, kJointsPerSet,
                            joint_count <= 256 ? Component::kU8 : Component::kU16);
}

int addInfluenceWeights(std::span<const double> weights, BufferBuilder& buffer) {
  return addVertexFloats(buffer, weights, kJointsPerSet);
}

void writeMeshes(const Scene& scene, BufferBuilder& buffer, Json& root) {
  std::deque<SkinnedMesh> split;
  for (const auto& [node, primitives] : primitivesOfNodes(scene, split)) {
    const SkinnedMesh& first = *primitives.front();
    Json json = Json::object();
    setName(json, first.name);
    for (const SkinnedMesh* mesh : primitives) {
      json["primitives"].push_back(primitiveJson(scene, *mesh, buffer));
    }
    writeMorphWeights(scene.skeleton, first, json);
    // Pushed before the node is looked up: a new member of `root` moves those that it has.
    root["meshes"].push_back(std::move(json));
    const std::size_t mesh_index = root["meshes"].size() - 1;
    Json& node_json = root["nodes"][toSize(node)];
    node_json["mesh"] = mesh_index;
    if (first.skin >= 0) node_json["skin"] = first.skin;
  }
}

}  // namespace clipmill::io::gltf::glb_writer
