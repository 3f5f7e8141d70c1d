// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/imported/imported.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/finite.h"
#include "core/to_size.h"

namespace clipmill::io::imported {
namespace {

Error fault(std::string location, std::string message) {
  return {ErrorCode::kMalformed, std::move(location), std::move(message), ""};
}

bool isIndex(int index, std::size_t size) { return index >= 0 && toSize(index) < size; }
bool isIndexOrNone(int index, std::size_t size) { return index == -1 || isIndex(index, size); }

std::string locationOf(const char* kind, std::size_t index) {
  return std::string(kind) + " " + std::to_string(index);
}

bool areFinite(const std::vector<Vec3>& vectors) {
  return std::all_of(vectors.begin(), vectors.end(), [](const Vec3& v) { return isFinite(v); });
}

bool areFinite(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double v) { return std::isfinite(v); });
}

Status checkNodes(const Skeleton& skeleton) {
  int weights = 0;
  for (std::size_t n = 0; n < skeleton.size(); ++n) {
    const Node& node = skeleton.nodes[n];
    const std::string location = locationOf("node", n);
    if (!isIndexOrNone(node.parent, n))
      return fault(location, "has a parent that is not before it");
    if (!isFinite(node.rest.translation) || !isFinite(node.rest.rotation) ||
        !isFinite(node.rest.scale)) {
      return fault(location, "has a transform that is not finite");
    }
    if (node.weights_count < 0 || node.weights_start != weights ||
        toSize(node.weights_count) > skeleton.rest_weights.size() - toSize(weights)) {
      return fault(location, "has morph weights that do not exist");
    }
    weights += node.weights_count;
  }
  if (toSize(weights) != skeleton.rest_weights.size()) {
    return fault("", "there are morph weights that no node has");
  }
  if (!areFinite(skeleton.rest_weights)) return fault("", "a morph weight is not finite");
  return {};
}

Status checkSkins(const Scene& scene) {
  for (std::size_t s = 0; s < scene.skins.size(); ++s) {
    const Skin& skin = scene.skins[s];
    const std::string location = locationOf("skin", s);
    if (skin.joints.empty() || skin.joints.size() != skin.joint_from_bind.size()) {
      return fault(location, "does not have one bind matrix per joint");
    }
    for (const int joint : skin.joints) {
      if (!isIndex(joint, scene.skeleton.size()))
        return fault(location, "has a joint that is not a node");
    }
    for (const Affine& map : skin.joint_from_bind) {
      if (!isFinite(map)) return fault(location, "has a bind matrix that is not finite");
    }
  }
  return {};
}

Status checkMaterials(const Scene& scene) {
  for (std::size_t m = 0; m < scene.materials.size(); ++m) {
    const Material& material = scene.materials[m];
    for (const int image :
         {material.base_color_image, material.metallic_roughness_image, material.normal_image,
          material.occlusion_image, material.emissive_image}) {
      if (!isIndexOrNone(image, scene.images.size())) {
        return fault(locationOf("material", m), "has an image that does not exist");
      }
    }
  }
  return {};
}

template <class Vector>
bool hasOneEach(const std::vector<Vector>& optional, std::size_t count) {
  return optional.empty() || optional.size() == count;
}

template <class Vector>
bool haveOneEach(const std::vector<std::vector<Vector>>& sets, std::size_t count) {
  return std::all_of(sets.begin(), sets.end(),
                     [&](const std::vector<Vector>& set) { return set.size() == count; });
}

Status checkVertices(const SkinnedMesh& mesh, const std::string& location) {
  const std::size_t count = mesh.vertexCount(), corners = mesh.triangles.size();
  bool fits = hasOneEach(mesh.normals, count) && hasOneEach(mesh.tangents, count) &&
              hasOneEach(mesh.uvs, count) && hasOneEach(mesh.colors, count) &&
              haveOneEach(mesh.more_uvs, count) && haveOneEach(mesh.more_colors, count) &&
              corners % 3 == 0 && hasOneEach(mesh.corners.normals, corners) &&
              hasOneEach(mesh.corners.uvs, corners) && hasOneEach(mesh.corners.colors, corners) &&
              hasOneEach(mesh.triangle_materials, corners / 3);
  bool finite = areFinite(mesh.positions) && areFinite(mesh.normals);
  for (const MorphTarget& morph : mesh.morphs) {
    fits =
        fits && hasOneEach(morph.position_deltas, count) && hasOneEach(morph.normal_deltas, count);
    finite = finite && areFinite(morph.position_deltas) && areFinite(morph.normal_deltas);
  }
  if (!fits) return fault(location, "has arrays of different lengths");
  if (!finite) return fault(location, "has coordinates that are not finite");
  for (const std::uint32_t vertex : mesh.triangles) {
    if (vertex >= count) return fault(location, "has a triangle with a vertex that does not exist");
  }
  return {};
}

Status checkInfluences(const SkinnedMesh& mesh, std::size_t joint_count,
                       const std::string& location) {
  const std::vector<std::size_t>& start = mesh.influence_start;
  if (start.size() != mesh.vertexCount() + 1 || start.front() != 0 ||
      !std::is_sorted(start.begin(), start.end()) || start.back() != mesh.influences.size()) {
    return fault(location, "has influences that are not grouped by vertex");
  }
  for (const Influence& influence : mesh.influences) {
    if (influence.joint >= joint_count || !(influence.weight >= 0.0 && influence.weight <= 1.0)) {
      return fault(location, "has an invalid influence");
    }
  }
  for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
    double sum = 0.0;
    for (std::size_t i = start[v]; i < start[v + 1]; ++i) sum += mesh.influences[i].weight;
    if (!(sum > 0.0)) return fault(location, "has a vertex without weights");
  }
  return {};
}

Status checkMeshes(const Scene& scene) {
  for (std::size_t m = 0; m < scene.meshes.size(); ++m) {
    const SkinnedMesh& mesh = scene.meshes[m];
    const std::string location = locationOf("mesh", m);
    if (!isIndex(mesh.node, scene.skeleton.size()) ||
        !isIndexOrNone(mesh.skin, scene.skins.size()) ||
        !isIndexOrNone(mesh.material, scene.materials.size())) {
      return fault(location, "refers to something that does not exist");
    }
    for (const int material : mesh.triangle_materials) {
      if (!isIndexOrNone(material, scene.materials.size())) {
        return fault(location, "refers to something that does not exist");
      }
    }
    const Node& node = scene.skeleton.nodes[toSize(mesh.node)];
    if (toSize(node.weights_count) != mesh.morphs.size()) {
      return fault(location, "does not have one weight per morph target");
    }
    CLIPMILL_CHECK(checkVertices(mesh, location));
    if (mesh.skin < 0) {
      if (!mesh.influence_start.empty() || !mesh.influences.empty()) {
        return fault(location, "has influences but no skin");
      }
      continue;
    }
    const Skin& skin = scene.skins[toSize(mesh.skin)];
    CLIPMILL_CHECK(checkInfluences(mesh, skin.joints.size(), location));
  }
  return {};
}

Status checkTrack(const Skeleton& skeleton, const Track& track, const std::string& location) {
  if (!isIndex(track.node, skeleton.size()))
    return fault(location, "has a track for a node that does not exist");
  const Node& node = skeleton.nodes[toSize(track.node)];
  const int width = track.path == TrackPath::kRotation  ? 4
                    : track.path == TrackPath::kWeights ? node.weights_count
                                                        : 3;
  if (track.width != width || width == 0) return fault(location, "has a track of the wrong width");
  if (!track.times_s || track.times_s->empty()) return fault(location, "has a track without keys");
  const std::vector<double>& times = *track.times_s;
  if (!areFinite(times) || !(times.front() >= 0.0)) {
    return fault(location, "has key times that are not finite");
  }
  for (std::size_t k = 1; k < times.size(); ++k) {
    if (!(times[k] > times[k - 1])) return fault(location, "has key times that do not ascend");
  }
  const std::size_t per_key = track.interpolation == Interpolation::kCubicSpline ? 3 : 1;
  if (track.values.size() != times.size() * per_key * toSize(width) || !areFinite(track.values)) {
    return fault(location, "has a wrong number of key values");
  }
  return {};
}

Status checkClips(const ImportedScene& imported) {
  for (std::size_t c = 0; c < imported.clips.size(); ++c) {
    const ImportedClip& clip = imported.clips[c];
    const std::string location = locationOf("clip", c);
    if (!std::isfinite(clip.start_s) || !std::isfinite(clip.end_s) || !std::isfinite(clip.fps) ||
        clip.start_s < 0.0 || clip.end_s < clip.start_s || !(clip.fps > 0.0)) {
      return fault(location, "has an invalid range");
    }
    std::set<std::pair<int, TrackPath>> seen;
    for (const Track& track : clip.keys.tracks) {
      CLIPMILL_CHECK(checkTrack(imported.scene.skeleton, track, location));
      if (!seen.emplace(track.node, track.path).second) {
        return fault(location, "has two tracks for one property of a node");
      }
    }
  }
  return {};
}

}  // namespace

Status checkImported(const ImportedScene& imported) {
  const Scene& scene = imported.scene;
  if (!isFinite(scene.metric_from_file) || !(glm::determinant(scene.metric_from_file.linear) > 0)) {
    return fault("", "has an invalid unit of length");
  }
  CLIPMILL_CHECK(checkNodes(scene.skeleton));
  CLIPMILL_CHECK(checkSkins(scene));
  CLIPMILL_CHECK(checkMaterials(scene));
  CLIPMILL_CHECK(checkMeshes(scene));
  return checkClips(imported);
}

void addClips(std::span<const ImportedClip> clips, Scene& scene) {
  for (const ImportedClip& imported : clips) {
    Clip clip;
    clip.name = imported.keys.name;
    clip.start_s = imported.start_s;
    clip.end_s = imported.end_s;
    clip.fps = imported.fps;
    clip.animated = TrackMask(scene.skeleton.size());
    for (const Track& track : imported.keys.tracks) clip.animated.set(track.node, track.path);
    clip.source = keyframeSource(scene.skeleton, imported.keys.tracks);
    scene.clips.push_back(std::move(clip));
  }
}

void setRangeFromKeys(ImportedClip& clip) {
  bool is_first = true;
  for (const Track& track : clip.keys.tracks) {
    const std::vector<double>& times = *track.times_s;
    clip.start_s = is_first ? times.front() : std::min(clip.start_s, times.front());
    clip.end_s = is_first ? times.back() : std::max(clip.end_s, times.back());
    is_first = false;
  }
}

}  // namespace clipmill::io::imported
