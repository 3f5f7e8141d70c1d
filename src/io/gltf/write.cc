// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// The layout follows the glTF 2.0 specification, chapters 3 (concepts) and 4 (GLB).
#include "io/gltf/write.h"

#include <algorithm>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "io/gltf/glb.h"
#include "io/gltf/words.h"
#include "io/gltf/write_buffer.h"
#include "io/gltf/write_validate.h"

namespace clipmill {
namespace {

using glb_writer::Bounds;
using glb_writer::BufferBuilder;
using glb_writer::Component;
using glb_writer::ViewTarget;
using Json = nlohmann::ordered_json;

constexpr std::size_t kJointsPerSet = 4;
// The last index of each width is kept free: players may use it to restart a strip.
constexpr std::size_t kMostVerticesForU16 = 65535;

// -- Small values

Json numbers(std::initializer_list<double> values) {
  Json array = Json::array();
  for (const double value : values) array.push_back(value + 0.0);
  return array;
}

template <class Vector>
std::vector<double> flattened(const std::vector<Vector>& vectors) {
  std::vector<double> flat;
  flat.reserve(vectors.size() * static_cast<std::size_t>(Vector::length()));
  for (const Vector& vector : vectors) {
    for (int i = 0; i < Vector::length(); ++i) flat.push_back(vector[i]);
  }
  return flat;
}

void setName(Json& object, const std::string& name) {
  if (!name.empty()) object["name"] = name;
}

// -- Nodes

Json nodeJson(const Node& node, const std::vector<int>& children) {
  Json json = Json::object();
  // "#<id>" stands for a node that has no name.
  if (node.name != "#" + std::to_string(node.source_id)) setName(json, node.name);
  const Transform& rest = node.rest;
  const Quat rotation = normalizedOrIdentity(rest.rotation);
  if (rest.translation != Vec3(0.0)) {
    json["translation"] = numbers({rest.translation.x, rest.translation.y, rest.translation.z});
  }
  if (rotation != kIdentityRotation) {
    json["rotation"] = numbers({rotation.x, rotation.y, rotation.z, rotation.w});
  }
  if (rest.scale != Vec3(1.0)) {
    json["scale"] = numbers({rest.scale.x, rest.scale.y, rest.scale.z});
  }
  if (!children.empty()) json["children"] = children;
  return json;
}

void writeNodes(const Skeleton& skeleton, Json& root) {
  const std::vector<std::vector<int>> children = childrenOf(skeleton);
  Json roots = Json::array();
  for (std::size_t n = 0; n < skeleton.size(); ++n) {
    root["nodes"].push_back(nodeJson(skeleton.nodes[n], children[n]));
    if (skeleton.nodes[n].parent < 0) roots.push_back(n);
  }
  root["scene"] = 0;
  root["scenes"] = Json::array({Json::object()});
  if (!roots.empty()) root["scenes"][0]["nodes"] = roots;
}

// -- Skins

std::vector<double> columnsOf(const Affine& map) {
  std::vector<double> columns;
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) columns.push_back(map.linear[c][r]);
    columns.push_back(0.0);
  }
  columns.insert(columns.end(), {map.translation.x, map.translation.y, map.translation.z, 1.0});
  return columns;
}

void writeSkins(const Scene& scene, BufferBuilder& buffer, Json& root) {
  for (const Skin& skin : scene.skins) {
    std::vector<double> matrices;
    for (const Affine& map : skin.joint_from_bind) {
      const std::vector<double> columns = columnsOf(map);
      matrices.insert(matrices.end(), columns.begin(), columns.end());
    }
    buffer.beginView(ViewTarget::kData);
    Json json = Json::object();
    setName(json, skin.name);
    json["inverseBindMatrices"] = buffer.addFloats(matrices, 16, Bounds::kNone);
    json["joints"] = skin.joints;
    root["skins"].push_back(std::move(json));
  }
}

// -- Materials and images

Json materialJson(const Material& material) {
  Json json = Json::object();
  setName(json, material.name);
  Json& surface = json["pbrMetallicRoughness"] = Json::object();
  const Vec4& color = material.base_color;
  surface["baseColorFactor"] = numbers({color.x, color.y, color.z, color.w});
  if (material.base_color_image >= 0) {
    surface["baseColorTexture"] = {{"index", material.base_color_image}};
  }
  surface["metallicFactor"] = material.metallic;
  surface["roughnessFactor"] = material.roughness;
  if (material.base_color.w < 1.0) json["alphaMode"] = "BLEND";
  if (material.double_sided) json["doubleSided"] = true;
  return json;
}

// One texture an image, with the same index.
void writeMaterials(const Scene& scene, BufferBuilder& buffer, Json& root) {
  for (const Material& material : scene.materials) {
    root["materials"].push_back(materialJson(material));
  }
  for (std::size_t i = 0; i < scene.images.size(); ++i) {
    const Image& image = scene.images[i];
    Json json = Json::object();
    setName(json, image.name);
    json["bufferView"] = buffer.addBytes(image.bytes);
    json["mimeType"] = image.mime_type;
    root["images"].push_back(std::move(json));
    root["textures"].push_back({{"source", i}});
  }
}

// -- Meshes

int addVertexFloats(BufferBuilder& buffer, std::span<const double> values, int width,
                    Bounds bounds = Bounds::kNone) {
  buffer.beginView(ViewTarget::kVertices);
  return buffer.addFloats(values, width, bounds);
}

// The influences of one vertex, each joint once, strongest first, as floats whose sum is 1.
std::vector<Influence> orderedInfluences(const SkinnedMesh& mesh, std::size_t vertex) {
  std::map<std::uint32_t, double> weight_of_joint;
  double sum = 0.0;
  for (std::size_t i = mesh.influence_begin[vertex]; i < mesh.influence_begin[vertex + 1]; ++i) {
    const Influence& influence = mesh.influences[i];
    if (!(influence.weight > 0.0)) continue;
    weight_of_joint[influence.joint] += influence.weight;
    sum += influence.weight;
  }
  std::vector<Influence> ordered;
  for (const auto& [joint, weight] : weight_of_joint) {
    const float stored = static_cast<float>(weight / sum);
    if (stored > 0.0f) ordered.push_back({joint, stored});
  }
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Influence& a, const Influence& b) { return a.weight > b.weight; });
  double rest = 1.0;
  for (std::size_t i = 1; i < ordered.size(); ++i) rest -= ordered[i].weight;
  ordered.front().weight = rest;
  return ordered;
}

// JOINTS_n and WEIGHTS_n, four influences a set.
void writeInfluences(const SkinnedMesh& mesh, std::size_t joint_count, BufferBuilder& buffer,
                     Json& attributes) {
  std::vector<std::vector<Influence>> influences;
  std::size_t most = 1;
  for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
    influences.push_back(orderedInfluences(mesh, v));
    most = std::max(most, influences.back().size());
  }
  const Component joint_component = joint_count <= 256 ? Component::kU8 : Component::kU16;
  for (std::size_t begin = 0, set = 0; begin < most; begin += kJointsPerSet, ++set) {
    std::vector<std::uint32_t> joints;
    std::vector<double> weights;
    for (const std::vector<Influence>& of_vertex : influences) {
      for (std::size_t i = begin; i < begin + kJointsPerSet; ++i) {
        joints.push_back(i < of_vertex.size() ? of_vertex[i].joint : 0);
        weights.push_back(i < of_vertex.size() ? of_vertex[i].weight : 0.0);
      }
    }
    const std::string suffix = "_" + std::to_string(set);
    buffer.beginView(ViewTarget::kVertices);
    attributes["JOINTS" + suffix] = buffer.addIntegers(joints, 4, joint_component);
    attributes["WEIGHTS" + suffix] = addVertexFloats(buffer, weights, 4);
  }
}

Json attributesJson(const Scene& scene, const SkinnedMesh& mesh, BufferBuilder& buffer) {
  Json json = Json::object();
  json["POSITION"] = addVertexFloats(buffer, flattened(mesh.positions), 3, Bounds::kMinMax);
  if (!mesh.normals.empty()) json["NORMAL"] = addVertexFloats(buffer, flattened(mesh.normals), 3);
  if (!mesh.uvs.empty()) json["TEXCOORD_0"] = addVertexFloats(buffer, flattened(mesh.uvs), 2);
  if (mesh.skin >= 0) {
    const Skin& skin = scene.skins[static_cast<std::size_t>(mesh.skin)];
    writeInfluences(mesh, skin.joints.size(), buffer, json);
  }
  return json;
}

Json morphJson(const MorphTarget& morph, BufferBuilder& buffer) {
  Json json = Json::object();
  if (!morph.position_deltas.empty()) {
    json["POSITION"] =
        addVertexFloats(buffer, flattened(morph.position_deltas), 3, Bounds::kMinMax);
  }
  if (!morph.normal_deltas.empty()) {
    json["NORMAL"] = addVertexFloats(buffer, flattened(morph.normal_deltas), 3);
  }
  return json;
}

Json primitiveJson(const Scene& scene, const SkinnedMesh& mesh, BufferBuilder& buffer) {
  Json json = Json::object();
  json["attributes"] = attributesJson(scene, mesh, buffer);
  const bool is_small = mesh.vertexCount() <= kMostVerticesForU16;
  buffer.beginView(ViewTarget::kIndices);
  json["indices"] =
      buffer.addIntegers(mesh.triangles, 1, is_small ? Component::kU16 : Component::kU32);
  if (mesh.material >= 0) json["material"] = mesh.material;
  for (const MorphTarget& morph : mesh.morphs) json["targets"].push_back(morphJson(morph, buffer));
  return json;
}

void writeMorphWeights(const Skeleton& skeleton, const SkinnedMesh& mesh, Json& json) {
  if (mesh.morphs.empty()) return;
  const Node& node = skeleton.nodes[static_cast<std::size_t>(mesh.node)];
  for (int w = 0; w < node.weights_count; ++w) {
    json["weights"].push_back(
        skeleton.rest_weights[static_cast<std::size_t>(node.weights_begin + w)] + 0.0);
  }
  for (const MorphTarget& morph : mesh.morphs) {
    json["extras"]["targetNames"].push_back(morph.name);
  }
}

// One mesh for each node that carries any; its primitives in their order.
void writeMeshes(const Scene& scene, BufferBuilder& buffer, Json& root) {
  std::map<int, std::vector<const SkinnedMesh*>> primitives_of_node;
  for (const SkinnedMesh& mesh : scene.meshes) primitives_of_node[mesh.node].push_back(&mesh);
  for (auto& [node, primitives] : primitives_of_node) {
    std::stable_sort(primitives.begin(), primitives.end(),
                     [](const auto* a, const auto* b) { return a->primitive < b->primitive; });
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
    Json& node_json = root["nodes"][static_cast<std::size_t>(node)];
    node_json["mesh"] = mesh_index;
    if (first.skin >= 0) node_json["skin"] = first.skin;
  }
}

// -- Animations

using TimeAccessors = std::map<const std::vector<double>*, int>;

Json samplerJson(const Track& track, BufferBuilder& buffer, TimeAccessors& accessor_of_times) {
  const auto [times, is_new] = accessor_of_times.emplace(track.times_s.get(), 0);
  if (is_new) times->second = buffer.addFloats(*track.times_s, 1, Bounds::kMinMax);
  const int width = track.path == TrackPath::kWeights ? 1 : track.width;
  Json json = Json::object();
  json["input"] = times->second;
  json["interpolation"] = gltf::wordOf(track.interpolation);
  json["output"] = buffer.addFloats(track.values, width, Bounds::kNone);
  return json;
}

void writeAnimations(std::span<const KeyframeClip> clips, BufferBuilder& buffer, Json& root) {
  TimeAccessors accessor_of_times;
  for (const KeyframeClip& clip : clips) {
    if (clip.tracks.empty()) continue;  // glTF knows no animation without channels
    buffer.beginView(ViewTarget::kData);
    Json json = Json::object();
    setName(json, clip.name);
    Json channels = Json::array(), samplers = Json::array();
    for (const Track& track : clip.tracks) {
      const Json target = {{"node", track.node}, {"path", gltf::wordOf(track.path)}};
      channels.push_back({{"sampler", samplers.size()}, {"target", target}});
      samplers.push_back(samplerJson(track, buffer, accessor_of_times));
    }
    json["channels"] = std::move(channels);
    json["samplers"] = std::move(samplers);
    root["animations"].push_back(std::move(json));
  }
}

// -- Buffer

const char* typeOf(int width) {
  switch (width) {
    case 1:
      return "SCALAR";
    case 2:
      return "VEC2";
    case 3:
      return "VEC3";
    case 4:
      return "VEC4";
    default:
      return "MAT4";
  }
}

Json accessorJson(const glb_writer::Accessor& accessor) {
  Json json = Json::object();
  json["bufferView"] = accessor.view;
  if (accessor.offset > 0) json["byteOffset"] = accessor.offset;
  json["componentType"] = static_cast<int>(accessor.component);
  json["count"] = accessor.count;
  json["type"] = typeOf(accessor.width);
  if (!accessor.min.empty()) json["min"] = accessor.min;
  if (!accessor.max.empty()) json["max"] = accessor.max;
  return json;
}

void writeBuffer(const BufferBuilder& buffer, Json& root) {
  for (const auto& accessor : buffer.accessors()) {
    root["accessors"].push_back(accessorJson(accessor));
  }
  for (const auto& view : buffer.views()) {
    Json json = {{"buffer", 0}};
    if (view.offset > 0) json["byteOffset"] = view.offset;
    json["byteLength"] = view.length;
    if (view.target != ViewTarget::kData) json["target"] = static_cast<int>(view.target);
    root["bufferViews"].push_back(std::move(json));
  }
  if (buffer.bytes().empty()) return;
  root["buffers"] = Json::array({{{"byteLength", buffer.bytes().size()}}});
}

Json assetJson(const WriteOptions& options) {
  Json json = {{"version", "2.0"}, {"generator", options.generator}};
  if (!options.copyright.empty()) json["copyright"] = options.copyright;
  return json;
}

}  // namespace

Result<Bytes> writeGlb(const Scene& scene, std::span<const KeyframeClip> clips,
                       const WriteOptions& options) {
  CLIPMILL_CHECK(glb_writer::validateScene(scene));
  CLIPMILL_CHECK(glb_writer::validateClips(scene.skeleton, clips));
  BufferBuilder buffer;
  Json root = {{"asset", assetJson(options)}};
  writeNodes(scene.skeleton, root);
  writeSkins(scene, buffer, root);
  writeMaterials(scene, buffer, root);
  writeMeshes(scene, buffer, root);
  writeAnimations(clips, buffer, root);
  if (!buffer.allFinite()) {
    return Error{ErrorCode::kMalformed, "", "a value is not a finite 32-bit number", ""};
  }
  writeBuffer(buffer, root);
  const Bytes bin(buffer.bytes().begin(), buffer.bytes().end());
  return gltf::assembleGlb(root.dump(-1, ' ', false, Json::error_handler_t::replace),
                           bin.empty() ? nullptr : &bin, {});
}

}  // namespace clipmill
