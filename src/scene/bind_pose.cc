// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/bind_pose.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "anim/pose.h"
#include "core/to_size.h"

namespace clipmill {
namespace {

// A map whose volume is a smaller share of what its columns could span counts as flat.
constexpr double kFlatShare = 1e-9;

class BindPoseSearch {
 public:
  explicit BindPoseSearch(const Scene& scene) : scene_(scene), is_bound_(scene.skeleton.size(), 0) {
    const Pose rest = restPose(scene.skeleton);
    computeWorlds(scene.skeleton, rest.locals, scene.metric_from_file, rest_);
    pose_.world_from_node = rest_;
    pose_.world_from_mesh.resize(scene.skins.size());
    pose_.is_positioned.assign(scene.skins.size(), 0);
  }

  BindPose find() {
    for (const std::size_t skin : skinsBySize()) position(skin);
    return std::move(pose_);
  }

 private:
  // Skins that meshes use, those with the most vertices first.
  std::vector<std::size_t> skinsBySize() const {
    std::vector<std::size_t> vertex_count(scene_.skins.size(), 0), order;
    for (const SkinnedMesh& mesh : scene_.meshes) {
      if (mesh.skin >= 0) vertex_count[toSize(mesh.skin)] += mesh.vertexCount();
    }
    for (std::size_t s = 0; s < vertex_count.size(); ++s) {
      if (vertex_count[s] > 0) order.push_back(s);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return vertex_count[a] > vertex_count[b];
    });
    return order;
  }

  // The joint that determines where a skin is: a bound one, else the topmost; -1 for none.
  int anchorOf(const Skin& skin) const {
    int best = -1;
    bool best_is_bound = false;
    for (std::size_t j = 0; j < skin.joints.size(); ++j) {
      const auto node = toSize(skin.joints[j]);
      if (!isInvertible(skin.joint_from_bind[j]) || !isInvertible(pose_.world_from_node[node])) {
        continue;
      }
      const bool is_bound = is_bound_[node] != 0;
      const bool is_better =
          best < 0 || (is_bound && !best_is_bound) ||
          (is_bound == best_is_bound && skin.joints[j] < skin.joints[toSize(best)]);
      if (!is_better) continue;
      best = static_cast<int>(j);
      best_is_bound = is_bound;
    }
    return best;
  }

  void position(std::size_t s) {
    const Skin& skin = scene_.skins[s];
    const int anchor = anchorOf(skin);
    if (anchor < 0) return;
    const auto j = toSize(anchor);
    const Affine world_from_mesh =
        pose_.world_from_node[toSize(skin.joints[j])] * skin.joint_from_bind[j];
    if (!isInvertible(world_from_mesh)) return;
    pose_.world_from_mesh[s] = world_from_mesh;
    pose_.is_positioned[s] = 1;
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      const auto node = toSize(skin.joints[k]);
      if (is_bound_[node] || !isInvertible(skin.joint_from_bind[k])) continue;
      pose_.world_from_node[node] = world_from_mesh * inverse(skin.joint_from_bind[k]);
      is_bound_[node] = 1;
    }
    carryUnbound();
  }

  // Nodes of no located skin stay on their parents as they rest.
  void carryUnbound() {
    for (std::size_t n = 0; n < scene_.skeleton.size(); ++n) {
      const int parent = scene_.skeleton.nodes[n].parent;
      if (is_bound_[n] || parent < 0) continue;
      const auto p = toSize(parent);
      if (!isInvertible(rest_[p])) continue;
      pose_.world_from_node[n] = pose_.world_from_node[p] * (inverse(rest_[p]) * rest_[n]);
    }
  }

  const Scene& scene_;
  std::vector<Affine> rest_;
  std::vector<char> is_bound_;
  BindPose pose_;
};

}  // namespace

bool isInvertible(const Affine& map) {
  const Mat3& m = map.linear;
  const double volume = std::abs(glm::determinant(m));
  const double most = std::sqrt(glm::dot(m[0], m[0]) * glm::dot(m[1], m[1]) * glm::dot(m[2], m[2]));
  return isFinite(map.translation) && std::isfinite(most) && volume > kFlatShare * most &&
         isFinite(inverse(map).translation);
}

BindPose findBindPose(const Scene& scene) { return BindPoseSearch(scene).find(); }

}  // namespace clipmill
