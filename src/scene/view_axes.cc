// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/view_axes.h"

#include <cmath>
#include <string>
#include <vector>

#include "core/to_size.h"
#include "scene/additions.h"

namespace clipmill {
namespace {

constexpr double kSameRotation = 1e-12;

bool isSame(const Quat& a, const Quat& b) {
  return std::fabs(glm::dot(a, b)) > 1.0 - kSameRotation;
}

// How many meshes, skins, cameras and lights use each node.
std::vector<int> usesOfNodes(const Scene& scene) {
  std::vector<int> uses(scene.skeleton.size(), 0);
  for (const SkinnedMesh& mesh : scene.meshes) ++uses[toSize(mesh.node)];
  for (const Skin& skin : scene.skins) {
    for (const int joint : skin.joints) ++uses[toSize(joint)];
  }
  for (const SceneCamera& camera : scene.cameras) ++uses[toSize(camera.node)];
  for (const SceneLight& light : scene.lights) ++uses[toSize(light.node)];
  return uses;
}

// Rotates nodes that an earlier conversion added, and collects those that others need.
class ViewAligner {
 public:
  explicit ViewAligner(Scene& scene) : scene_(scene), uses_(usesOfNodes(scene)) {}

  template <class View>
  void align(const Quat& wanted, const std::string& suffix, View& view) {
    const Quat rotation = view.node_from_view * glm::conjugate(wanted);
    view.node_from_view = wanted;
    const bool stays = isSame(rotation, kIdentityRotation);
    const bool is_alone = uses_[toSize(view.node)] == 1;
    if (stays && is_alone) return;
    Node& node = scene_.skeleton.nodes[toSize(view.node)];
    if (is_alone && isAdded(node, suffix)) {
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
  bool isAdded(const Node& node, const std::string& suffix) const {
    return node.parent >= 0 &&
           node.name == scene_.skeleton.nodes[toSize(node.parent)].name + suffix;
  }

  Scene& scene_;
  std::vector<int> uses_;
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
