// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/validate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/to_size.h"

namespace clipmill {
namespace {

// The name of an element of the scene in an error: "mesh 3 (Body)".
std::string locationOf(const char* kind, std::size_t index, const std::string& name) {
  const std::string location = std::string(kind) + " " + std::to_string(index);
  return name.empty() ? location : location + " (" + name + ")";
}

Error fault(std::string location, std::string message) {
  return {ErrorCode::kMalformed, std::move(location), std::move(message), ""};
}

bool isIndex(int index, std::size_t size) { return index >= 0 && toSize(index) < size; }
bool isIndexOrNone(int index, std::size_t size) { return index == -1 || isIndex(index, size); }

Status validateSkins(const Scene& scene) {
  for (std::size_t s = 0; s < scene.skins.size(); ++s) {
    const Skin& skin = scene.skins[s];
    const std::string location = locationOf("skin", s, skin.name);
    if (skin.joints.empty()) return fault(location, "it has no joints");
    if (skin.joints.size() > 65536) return fault(location, "it has more than 65536 joints");
    if (skin.joint_from_bind.size() != skin.joints.size()) {
      return fault(location, "joints and inverse bind matrices differ in number");
    }
    for (const int joint : skin.joints) {
      if (!isIndex(joint, scene.skeleton.size())) return fault(location, "a joint is no node");
    }
  }
  return {};
}

Status validateMaterials(const Scene& scene) {
  for (std::size_t m = 0; m < scene.materials.size(); ++m) {
    const Material& material = scene.materials[m];
    const std::string location = locationOf("material", m, material.name);
    for (const int image :
         {material.base_color_image, material.metallic_roughness_image, material.normal_image,
          material.occlusion_image, material.emissive_image}) {
      if (!isIndexOrNone(image, scene.images.size())) {
        return fault(location, "its image does not exist");
      }
    }
    const Vec4& color = material.base_color;
    for (const double factor :
         {color.x, color.y, color.z, color.w, material.metallic, material.roughness}) {
      if (!(factor >= 0.0 && factor <= 1.0))
        return fault(location, "a factor is not within 0 to 1");
    }
    for (const double factor :
         {material.emissive.x, material.emissive.y, material.emissive.z, material.alpha_cutoff}) {
      if (!(factor >= 0.0 && std::isfinite(factor))) return fault(location, "a factor is below 0");
    }
    if (!std::isfinite(material.normal_scale)) return fault(location, "a factor is not finite");
  }
  return {};
}

template <class Value>
bool hasLengthOf(std::size_t count, const std::vector<Value>& optional) {
  return optional.empty() || optional.size() == count;
}

template <class Value>
bool haveLengthOf(std::size_t count, const std::vector<std::vector<Value>>& sets) {
  return std::all_of(sets.begin(), sets.end(),
                     [&](const std::vector<Value>& set) { return hasLengthOf(count, set); });
}

Status validateCorners(const Scene& scene, const SkinnedMesh& mesh, const std::string& location) {
  const std::size_t count = mesh.triangles.size();
  if (!hasLengthOf(count, mesh.corners.normals) || !hasLengthOf(count, mesh.corners.tangents) ||
      !hasLengthOf(count, mesh.corners.uvs) || !hasLengthOf(count, mesh.corners.colors) ||
      !haveLengthOf(count, mesh.corners.more_uvs) ||
      !haveLengthOf(count, mesh.corners.more_colors)) {
    return fault(location, "an array does not have one element a corner");
  }
  if (!hasLengthOf(count / 3, mesh.triangle_materials)) {
    return fault(location, "its triangles and their materials differ in number");
  }
  for (const int material : mesh.triangle_materials) {
    if (!isIndexOrNone(material, scene.materials.size())) {
      return fault(location, "the material of a triangle does not exist");
    }
  }
  return {};
}

Status validateVertices(const SkinnedMesh& mesh, const std::string& location) {
  const std::size_t count = mesh.vertexCount();
  if (mesh.triangles.size() % 3 != 0) return fault(location, "its last triangle is not complete");
  const bool fits =
      hasLengthOf(count, mesh.normals) && hasLengthOf(count, mesh.tangents) &&
      hasLengthOf(count, mesh.uvs) && hasLengthOf(count, mesh.colors) &&
      haveLengthOf(count, mesh.more_uvs) && haveLengthOf(count, mesh.more_colors) &&
      std::all_of(mesh.morphs.begin(), mesh.morphs.end(), [&](const MorphTarget& m) {
        return hasLengthOf(count, m.position_deltas) && hasLengthOf(count, m.normal_deltas);
      });
  if (!fits) return fault(location, "an array does not have one element a vertex");
  for (const std::uint32_t vertex : mesh.triangles) {
    if (vertex >= count) return fault(location, "a triangle names a vertex that does not exist");
  }
  return {};
}

Status validateInfluences(const SkinnedMesh& mesh, const Skin& skin, const std::string& location) {
  const std::size_t count = mesh.vertexCount();
  if (mesh.influence_start.size() != count + 1 ||
      !std::is_sorted(mesh.influence_start.begin(), mesh.influence_start.end()) ||
      mesh.influence_start.back() > mesh.influences.size()) {
    return fault(location, "its influences are not laid out one run a vertex");
  }
  for (const Influence& influence : mesh.influences) {
    if (influence.joint >= skin.joints.size())
      return fault(location, "an influence names no joint");
  }
  for (std::size_t v = 0; v < count; ++v) {
    double sum = 0.0;
    for (std::size_t i = mesh.influence_start[v]; i < mesh.influence_start[v + 1]; ++i) {
      sum += std::max(0.0, mesh.influences[i].weight);
    }
    if (!(sum > 0.0)) return fault(location, "vertex " + std::to_string(v) + " has no weights");
  }
  return {};
}

Status validateMesh(const Scene& scene, const SkinnedMesh& mesh, const std::string& location) {
  if (!isIndex(mesh.node, scene.skeleton.size())) return fault(location, "no node carries it");
  if (!isIndexOrNone(mesh.skin, scene.skins.size()))
    return fault(location, "its skin does not exist");
  if (!isIndexOrNone(mesh.material, scene.materials.size())) {
    return fault(location, "its material does not exist");
  }
  const Node& node = scene.skeleton.nodes[toSize(mesh.node)];
  if (toSize(node.weights_count) != mesh.morphs.size()) {
    return fault(location, "its node does not have one weight a morph target");
  }
  CLIPMILL_CHECK(validateVertices(mesh, location));
  CLIPMILL_CHECK(validateCorners(scene, mesh, location));
  if (mesh.skin < 0) return {};
  return validateInfluences(mesh, scene.skins[toSize(mesh.skin)], location);
}

Status validateMeshes(const Scene& scene) {
  std::map<int, int> skin_of_node;
  for (std::size_t m = 0; m < scene.meshes.size(); ++m) {
    const SkinnedMesh& mesh = scene.meshes[m];
    const std::string location = locationOf("mesh", m, mesh.name);
    CLIPMILL_CHECK(validateMesh(scene, mesh, location));
    const auto [first, is_new] = skin_of_node.emplace(mesh.node, mesh.skin);
    if (!is_new && first->second != mesh.skin) {
      return fault(location, "its node already has another skin");
    }
  }
  return {};
}

Status validateViews(const Scene& scene) {
  const auto isNode = [&](const auto& view) { return isIndex(view.node, scene.skeleton.size()); };
  if (!std::all_of(scene.cameras.begin(), scene.cameras.end(), isNode)) {
    return fault("cameras", "a camera has no node");
  }
  if (!std::all_of(scene.lights.begin(), scene.lights.end(), isNode)) {
    return fault("lights", "a light has no node");
  }
  return {};
}

Status validateNodes(const Skeleton& skeleton) {
  for (std::size_t n = 0; n < skeleton.size(); ++n) {
    const Node& node = skeleton.nodes[n];
    const std::string location = locationOf("node", n, node.name);
    if (!isIndexOrNone(node.parent, n)) return fault(location, "its parent does not precede it");
    const int end = node.weights_start + node.weights_count;
    if (node.weights_count > 0 && !isIndex(end - 1, skeleton.rest_weights.size())) {
      return fault(location, "its morph weights do not exist");
    }
  }
  return {};
}

int widthOf(const Node& node, TrackPath path) {
  if (path == TrackPath::kRotation) return 4;
  return path == TrackPath::kWeights ? node.weights_count : 3;
}

Status validateTimes(const Track& track, const std::string& location) {
  if (!track.times_s || track.times_s->empty()) return fault(location, "a track has no keys");
  const std::vector<double>& times = *track.times_s;
  if (!(times.front() >= 0.0)) return fault(location, "a key lies before second 0");
  for (std::size_t k = 1; k < times.size(); ++k) {
    if (!(static_cast<float>(times[k]) > static_cast<float>(times[k - 1]))) {
      return fault(location, "key times do not ascend, or are too close for 32 bits");
    }
  }
  return {};
}

Status validateTrack(const Skeleton& skeleton, const Track& track, const std::string& location) {
  if (!isIndex(track.node, skeleton.size())) return fault(location, "a track moves no node");
  const Node& node = skeleton.nodes[toSize(track.node)];
  if (track.width != widthOf(node, track.path) || track.width == 0) {
    return fault(location, "a track of node " + node.name + " has the wrong width");
  }
  CLIPMILL_CHECK(validateTimes(track, location));
  const std::size_t keys = track.times_s->size();
  const bool is_cubic = track.interpolation == Interpolation::kCubicSpline;
  if (is_cubic && keys < 2) return fault(location, "a cubic track needs two keys");
  if (track.values.size() != keys * (is_cubic ? 3 : 1) * toSize(track.width)) {
    return fault(location, "a track of node " + node.name + " has the wrong number of values");
  }
  return {};
}

}  // namespace

Status validateScene(const Scene& scene) {
  CLIPMILL_CHECK(validateNodes(scene.skeleton));
  CLIPMILL_CHECK(validateSkins(scene));
  CLIPMILL_CHECK(validateMaterials(scene));
  CLIPMILL_CHECK(validateViews(scene));
  return validateMeshes(scene);
}

Status validateClips(const Skeleton& skeleton, std::span<const KeyframeClip> clips) {
  for (std::size_t c = 0; c < clips.size(); ++c) {
    const std::string location = locationOf("clip", c, clips[c].name);
    std::set<std::pair<int, TrackPath>> seen;
    for (const Track& track : clips[c].tracks) {
      CLIPMILL_CHECK(validateTrack(skeleton, track, location));
      if (!seen.emplace(track.node, track.path).second) {
        return fault(location, "two tracks move the same property of one node");
      }
    }
  }
  return {};
}

}  // namespace clipmill
