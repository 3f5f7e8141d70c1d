// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// The layout follows the glTF 2.0 specification, chapters 3 (concepts) and 4 (GLB).
#include "io/gltf/write.h"

#include <algorithm>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/to_size.h"
#include "io/gltf/custom_properties.h"
#include "io/gltf/enum_names.h"
#include "io/gltf/extension_names.h"
#include "io/gltf/glb.h"
#include "io/gltf/write_buffer.h"
#include "io/gltf/write_parts.h"
#include "scene/validate.h"

namespace clipmill::io::gltf {
namespace {

using glb_writer::Bounds;
using glb_writer::BufferBuilder;
using glb_writer::setName;
using glb_writer::ViewTarget;
using GltfJson = nlohmann::ordered_json;

// -- Small values

GltfJson numbers(std::initializer_list<double> values) {
  GltfJson array = GltfJson::array();
  for (const double value : values) array.push_back(value + 0.0);
  return array;
}

// -- Nodes

void writeNodes(const Skeleton& skeleton, GltfJson& root) {
  const std::vector<std::vector<int>> children = childrenOf(skeleton);
  GltfJson roots = GltfJson::array();
  for (std::size_t n = 0; n < skeleton.size(); ++n) {
    root["nodes"].push_back(glb_writer::nodeJson(skeleton.nodes[n], children[n]));
    if (skeleton.nodes[n].parent < 0) roots.push_back(n);
  }
  root["scene"] = 0;
  root["scenes"] = GltfJson::array({GltfJson::object()});
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

void writeSkins(const Scene& scene, BufferBuilder& buffer, GltfJson& root) {
  for (const Skin& skin : scene.skins) {
    GltfJson json = GltfJson::object();
    setName(json, skin.name);
    json["inverseBindMatrices"] = glb_writer::addBindMatrices(skin, buffer);
    json["joints"] = skin.joints;
    root["skins"].push_back(std::move(json));
  }
}

// -- Animations

using TimeAccessors = std::map<const std::vector<double>*, int>;

GltfJson samplerJson(const Track& track, BufferBuilder& buffer, TimeAccessors& accessor_of_times) {
  const auto [times, is_new] = accessor_of_times.emplace(track.times_s.get(), 0);
  if (is_new) times->second = buffer.addFloats(*track.times_s, 1, Bounds::kMinMax);
  const int width = track.path == TrackPath::kWeights ? 1 : track.width;
  GltfJson json = GltfJson::object();
  json["input"] = times->second;
  json["interpolation"] = gltf::nameOf(track.interpolation);
  json["output"] = buffer.addFloats(track.values, width, Bounds::kNone);
  return json;
}

// Weights of a node that shows no morph targets move nothing, and glTF refuses a track of them.
bool movesNothing(const Track& track, const GltfJson& root) {
  const GltfJson& node = root["nodes"][toSize(track.node)];
  return track.path == TrackPath::kWeights && !node.contains("mesh");
}

void writeAnimations(std::span<const KeyframeClip> clips, BufferBuilder& buffer, GltfJson& root) {
  TimeAccessors accessor_of_times;
  for (const KeyframeClip& clip : clips) {
    // glTF knows no animation without channels.
    if (std::all_of(clip.tracks.begin(), clip.tracks.end(),
                    [&](const Track& track) { return movesNothing(track, root); })) {
      continue;
    }
    buffer.startView(ViewTarget::kData);
    GltfJson json = GltfJson::object();
    setName(json, clip.name);
    GltfJson channels = GltfJson::array(), samplers = GltfJson::array();
    for (const Track& track : clip.tracks) {
      if (movesNothing(track, root)) continue;
      const GltfJson target = {{"node", track.node}, {"path", gltf::nameOf(track.path)}};
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

void writeBuffer(const BufferBuilder& buffer, GltfJson& root) {
  for (const auto& accessor : buffer.accessors()) {
    root["accessors"].push_back(glb_writer::accessorJson(accessor, 0));
  }
  for (const auto& view : buffer.views()) {
    GltfJson json = {{"buffer", 0}};
    if (view.offset > 0) json["byteOffset"] = view.offset;
    json["byteLength"] = view.length;
    if (view.target != ViewTarget::kData) json["target"] = static_cast<int>(view.target);
    root["bufferViews"].push_back(std::move(json));
  }
  if (buffer.bytes().empty()) return;
  root["buffers"] = GltfJson::array({{{"byteLength", buffer.bytes().size()}}});
}

GltfJson assetJson(const WriteOptions& options) {
  GltfJson json = {{"version", "2.0"}, {"generator", options.generator}};
  if (!options.copyright.empty()) json["copyright"] = options.copyright;
  return json;
}

// Nothing where no extension is used.
void writeExtensions(const glb_writer::Extensions& extensions, GltfJson& root) {
  for (const auto& [name, is_required] : extensions) {
    root["extensionsUsed"].push_back(name);
    if (is_required) root["extensionsRequired"].push_back(name);
  }
}

}  // namespace

void glb_writer::setName(GltfJson& object, const std::string& name) {
  if (!name.empty()) object["name"] = name;
}

GltfJson glb_writer::nodeJson(const Node& node, const std::vector<int>& children) {
  GltfJson json = GltfJson::object();
  // "#<id>" is for a node without a name.
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
  if (!node.is_visible) json["extensions"][gltf::kVisibilityExtension]["visible"] = false;
  for (const CustomProperty& property : node.custom) {
    json["extras"][property.name] = gltf::jsonOf(property);
  }
  return json;
}

int glb_writer::addBindMatrices(const Skin& skin, BufferBuilder& buffer) {
  std::vector<double> matrices;
  for (const Affine& map : skin.joint_from_bind) {
    const std::vector<double> columns = columnsOf(map);
    matrices.insert(matrices.end(), columns.begin(), columns.end());
  }
  buffer.startView(ViewTarget::kData);
  return buffer.addFloats(matrices, 16, Bounds::kNone);
}

GltfJson glb_writer::accessorJson(const Accessor& accessor, std::size_t first_view) {
  GltfJson json = GltfJson::object();
  const std::size_t view = accessor.view < 0 ? 0 : first_view + toSize(accessor.view);
  if (accessor.view >= 0 && accessor.sparse_count == 0) {
    json["bufferView"] = view;
    if (accessor.offset > 0) json["byteOffset"] = accessor.offset;
  }
  json["componentType"] = static_cast<int>(accessor.component);
  json["count"] = accessor.count;
  json["type"] = typeOf(accessor.width);
  if (!accessor.min.empty()) json["min"] = accessor.min;
  if (!accessor.max.empty()) json["max"] = accessor.max;
  if (accessor.sparse_count > 0) {
    json["sparse"] = {
        {"count", accessor.sparse_count},
        {"indices", {{"bufferView", view}, {"componentType", static_cast<int>(accessor.indices)}}},
        {"values", {{"bufferView", view}, {"byteOffset", accessor.values_offset}}}};
  }
  return json;
}

Result<Bytes> writeGlb(const Scene& scene, std::span<const KeyframeClip> clips,
                       const WriteOptions& options) {
  CLIPMILL_CHECK(validateScene(scene));
  CLIPMILL_CHECK(validateClips(scene.skeleton, clips));
  BufferBuilder buffer;
  GltfJson root = {{"asset", assetJson(options)}};
  writeNodes(scene.skeleton, root);
  writeSkins(scene, buffer, root);
  glb_writer::Extensions extensions;
  if (std::any_of(scene.skeleton.nodes.begin(), scene.skeleton.nodes.end(),
                  [](const Node& node) { return !node.is_visible; })) {
    extensions.insert({gltf::kVisibilityExtension, false});
  }
  glb_writer::writeMaterials(scene, buffer, extensions, root);
  glb_writer::writeMeshes(scene, buffer, root);
  glb_writer::writeViews(scene, extensions, root);
  writeAnimations(clips, buffer, root);
  if (options.is_vrm_animation) glb_writer::writeVrmAnimation(scene, extensions, root);
  if (!buffer.allFinite()) {
    return Error{ErrorCode::kMalformed, "", "a value is not a finite 32-bit number", ""};
  }
  writeBuffer(buffer, root);
  writeExtensions(extensions, root);
  const Bytes bin(buffer.bytes().begin(), buffer.bytes().end());
  return gltf::assembleGlb(root.dump(-1, ' ', false, GltfJson::error_handler_t::replace),
                           bin.empty() ? nullptr : &bin, {});
}

}  // namespace clipmill::io::gltf
