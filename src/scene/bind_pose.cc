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
// Metrics of two maps that differ by more than this share are of different scales (2.5 %).
constexpr double kSameMetric = 0.05;
// A joint without weights counts for this share of one that moves a vertex.
constexpr double kWeightless = 1e-9;

// The metric of the mesh that a joint gives: independent of rotation, position and mirroring.
Mat3 metricOf(const Affine& world_from_mesh) {
  return glm::transpose(world_from_mesh.linear) * world_from_mesh.linear;
}

double normOf(const Mat3& m) {
  return std::sqrt(glm::dot(m[0], m[0]) + glm::dot(m[1], m[1]) + glm::dot(m[2], m[2]));
}

// 0 for equal ones, at most 1.
double difference(const Mat3& a, const Mat3& b) {
  const double size = std::max(normOf(a), normOf(b));
  return size > 0.0 ? std::min(1.0, normOf(a - b) / size) : 0.0;
}

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
    std::sort(pose_.rescaled_nodes.begin(), pose_.rescaled_nodes.end());
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

  // Sum of the weights of each joint of a skin.
  std::vector<double> jointWeights(std::size_t s) const {
    std::vector<double> sums(scene_.skins[s].joints.size(), 0.0);
    for (const SkinnedMesh& mesh : scene_.meshes) {
      if (mesh.skin != static_cast<int>(s)) continue;
      for (const Influence& influence : mesh.influences) {
        if (influence.joint >= sums.size() || !std::isfinite(influence.weight)) continue;
        sums[influence.joint] += std::max(influence.weight, 0.0);
      }
    }
    return sums;
  }

  // A joint by which a skin can be positioned.
  struct Candidate {
    std::size_t joint;  // of the skin
    int node;
    double weight;
    Mat3 metric;
  };

  // Those that are bound, or all where none is.
  std::vector<Candidate> candidatesOf(const Skin& skin, const std::vector<double>& weights) const {
    std::vector<Candidate> bound, free;
    for (std::size_t j = 0; j < skin.joints.size(); ++j) {
      const auto node = toSize(skin.joints[j]);
      if (!isInvertible(skin.joint_from_bind[j]) || !isInvertible(pose_.world_from_node[node])) {
        continue;
      }
      const Affine world_from_mesh = pose_.world_from_node[node] * skin.joint_from_bind[j];
      (is_bound_[node] ? bound : free)
          .push_back({j, skin.joints[j], weights[j] + kWeightless, metricOf(world_from_mesh)});
    }
    return bound.empty() ? free : bound;
  }

  // The one with the least difference from all, by weight.
  static const Candidate& middleOf(const std::vector<Candidate>& candidates) {
    const Candidate* middle = nullptr;
    double least = 0.0;
    for (const Candidate& candidate : candidates) {
      double sum = 0.0;
      for (const Candidate& other : candidates) {
        sum += other.weight * difference(candidate.metric, other.metric);
      }
      if (middle && !(sum < least)) continue;
      middle = &candidate;
      least = sum;
    }
    return *middle;
  }

  // The topmost of the same scale as the middle one.
  static std::size_t anchorOf(const std::vector<Candidate>& candidates) {
    const Mat3 metric = middleOf(candidates).metric;
    const Candidate* best = nullptr;
    for (const Candidate& candidate : candidates) {
      if (difference(candidate.metric, metric) > kSameMetric) continue;
      if (!best || candidate.node < best->node) best = &candidate;
    }
    return best->joint;
  }

  void position(std::size_t s) {
    const Skin& skin = scene_.skins[s];
    const std::vector<double> weights = jointWeights(s);
    const std::vector<Candidate> candidates = candidatesOf(skin, weights);
    if (candidates.empty()) return;
    const std::size_t j = anchorOf(candidates);
    const Affine world_from_mesh =
        pose_.world_from_node[toSize(skin.joints[j])] * skin.joint_from_bind[j];
    if (!isInvertible(world_from_mesh)) return;
    pose_.world_from_mesh[s] = world_from_mesh;
    pose_.is_positioned[s] = 1;
    const Mat3 metric = metricOf(world_from_mesh);
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      const auto node = toSize(skin.joints[k]);
      if (is_bound_[node] || !isInvertible(skin.joint_from_bind[k])) continue;
      const Mat3 own = metricOf(rest_[node] * skin.joint_from_bind[k]);
      if (difference(own, metric) > kSameMetric) {
        if (!(weights[k] > 0.0)) continue;
        pose_.rescaled_nodes.push_back(skin.joints[k]);
      }
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
