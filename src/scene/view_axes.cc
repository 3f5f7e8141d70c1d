// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/view_axes.h"

#include <cmath>

#include "core/to_size.h"
#include "scene/additions.h"

namespace clipmill {
namespace {

constexpr double kSameRotation = 1e-12;

bool isSame(const Quat& a, const Quat& b) {
  return std::fabs(glm::dot(a, b)) > 1.0 - kSameRotation;
}

// What each node of a scene is used for.
class NodeUses {
 public:
  explicit NodeUses(const Scene& scene)
      : is_parent_(scene.skeleton.size(), false),
        is_rotated_(scene.skeleton.size(), false),
        users_(scene.skeleton.size(), 0) {
    for (const Node& node : scene.skeleton.nodes) {
      if (node.parent >= 0) is_parent_[toSize(node.parent)] = true;
    }
    for (const SkinnedMesh& mesh : scene.meshes) ++users_[toSize(mesh.node)];
    for (const Skin& skin : scene.skins) {
      for (const int joint : skin.joints) ++users_[toSize(joint)];
    }
    for (const SceneCamera& camera : scene.cameras) ++users_[toSize(camera.node)];
    for (const SceneLight& light : scene.lights) ++users_[toSize(light.node)];
    for (const Clip& clip : scene.clips) {
      for (std::size_t n = 0; n < is_rotated_.size(); ++n) {
        if (clip.animated.has(static_cast<int>(n), TrackPath::kRotation)) is_rotated_[n] = true;
      }
    }
  }

  bool hasOneUse(int node) const { return users_[toSize(node)] == 1; }
  bool isFree(int node) const {
    return hasOneUse(node) && !is_parent_[toSize(node)] && !is_rotated_[toSize(node)];
  }

 private:
  std::vector<bool> is_parent_, is_rotated_;
  std::vector<int> users_;
};

// Rotates nodes of a scene, and collects those that it needs below others.
class ViewAligner {
 public:
  explicit ViewAligner(Scene& scene) : scene_(scene), uses_(scene) {}

  template <class View>
  void align(const Quat& wanted, const char* suffix, View& view) {
    const Quat rotation = view.node_from_view * glm::conjugate(wanted);
    Node& node = scene_.skeleton.nodes[toSize(view.node)];
    view.node_from_view = wanted;
    const bool stays = isSame(rotation, kIdentityRotation);
    if (stays && uses_.hasOneUse(view.node)) return;
    if (uses_.isFree(view.node)) {
      node.rest.rotation = normalizedOrIdentity(node.rest.rotation * rotation);
      return;
    }
    Transform rest;
    if (!stays) rest.rotation = rotation;
    added_.joints.push_back({node.name + suffix, view.node, rest});
    view.node = static_cast<int>(scene_.skeleton.size() + added_.joints.size()) - 1;
  }

  const Additions& added() const { return added_; }

 private:
  Scene& scene_;
  NodeUses uses_;
  Additions added_;
};

}  // namespace

Scene withViewAxes(const Scene& scene, const ViewAxes& axes) {
  Scene aligned = scene;
  ViewAligner aligner(aligned);
  for (SceneCamera& camera : aligned.cameras)
    aligner.align(axes.node_from_camera, "_camera", camera);
  for (SceneLight& light : aligned.lights) aligner.align(axes.node_from_light, "_light", light);
  return aligner.added().empty() ? aligned : withAdditions(aligned, aligner.added());
}

void scaleViews(double factor, Scene& scene) {
  for (SceneCamera& camera : scene.cameras) {
    camera.near_distance *= factor;
    if (camera.far_distance) *camera.far_distance *= factor;
    if (!camera.orthographic) continue;
    camera.orthographic->half_width *= factor;
    camera.orthographic->half_height *= factor;
  }
  for (SceneLight& light : scene.lights) {
    if (light.range) *light.range *= factor;
  }
}

}  // namespace clipmill
