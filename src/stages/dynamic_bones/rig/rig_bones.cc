// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rig/rig_bones.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"
#include "core/math.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/chains/chain.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// The rest pose in metric space.
struct Rest {
  std::vector<Affine> worlds;  // one per node
};

// The virtual tip of the last joint `node`, in its axes: it continues the bone above it.
Vec3 tipOffset(const Skeleton& skeleton, const Rest& rest, int node, double tip_length) {
  const int parent = skeleton.nodes[toSize(node)].parent;
  if (parent < 0) return Vec3(0.0);
  const Affine& world = rest.worlds[toSize(node)];
  const Vec3 bone = world.translation - rest.worlds[toSize(parent)].translation;
  const Vec3 offset = glm::inverse(world.linear) * (bone * tip_length);
  return isFinite(offset) ? offset : Vec3(0.0);
}

// Bones of all joints with their depths, joint by joint in the order of nodes.
class BoneBuilder {
 public:
  BoneBuilder(const Scene& scene, const Rest& rest, const std::vector<ChainNode>& nodes,
              const DynamicBonesSettings& settings)
      : skeleton_(scene.skeleton),
        rest_(rest),
        nodes_(nodes),
        settings_(settings),
        above_m_(nodes.size(), 0.0),
        below_m_(nodes.size(), 0.0) {
    measureDepths();
  }

  std::vector<Bone> bonesOf(int node) const {
    const std::size_t i = toSize(node);
    const ChainNode& chain_node = nodes_[i];
    std::vector<Bone> bones;
    if (!chain_node.may_rotate) return bones;
    for (int child : chain_node.children) bones.push_back(boneTo(node, child));
    const Vec3 tip = tipOf(node);
    if (bones.empty() && tip != Vec3(0.0)) {
      Bone bone = boneTo(node, -1);
      bone.tip_offset = tip;
      bones.push_back(bone);
    }
    return bones;
  }

 private:
  Vec3 tipOf(int node) const {
    const ChainNode& chain_node = nodes_[toSize(node)];
    if (!chain_node.children.empty() || !chain_node.may_rotate) return Vec3(0.0);
    const auto& chain = settings_.chain[toSize(chain_node.chain)];
    return tipOffset(skeleton_, rest_, node, chain.tip_length);
  }

  double restLength_m(int from, int to) const {
    return lengthOf(rest_.worlds[toSize(to)].translation - rest_.worlds[toSize(from)].translation);
  }

  // above: from the chain's root to the node; below: from the node to the farthest tip under it.
  void measureDepths() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      for (int child : nodes_[i].children) {
        above_m_[toSize(child)] = above_m_[i] + restLength_m(static_cast<int>(i), child);
      }
    }
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      below_m_[i] = lengthOf(rest_.worlds[i].linear * tipOf(static_cast<int>(i)));
      for (int child : nodes_[i].children) {
        below_m_[i] = std::max(below_m_[i],
                               below_m_[toSize(child)] + restLength_m(static_cast<int>(i), child));
      }
    }
  }

  // The nodes between a joint and the next one, which is the last of them.
  std::vector<int> pathTo(int node, int child) const {
    std::vector<int> path;
    for (int at = child; at != node && at >= 0;) {
      path.insert(path.begin(), at);
      at = skeleton_.nodes[toSize(at)].parent;
    }
    return path;
  }

  Bone boneTo(int node, int child) const {
    const std::size_t i = toSize(node);
    const std::size_t end = toSize(child < 0 ? node : child);
    Bone bone;
    bone.chain = nodes_[i].chain;
    bone.tail_node = child;
    if (child >= 0) bone.path = pathTo(node, child);
    const double below_m = child < 0 ? 0.0 : below_m_[end];
    const double above_m = child < 0 ? above_m_[i] + below_m_[i] : above_m_[end];
    bone.depth = above_m + below_m > 0.0 ? above_m / (above_m + below_m) : 0.0;
    bone.head_depth = above_m + below_m > 0.0 ? above_m_[i] / (above_m + below_m) : 0.0;
    const double length_m = child < 0 ? below_m_[i] : restLength_m(node, child);
    if (length_m > 0.0) {
      bone.per_chain = std::max((above_m + below_m) / length_m, 1.0);
    }
    bone.rest_length_m = length_m;
    const Vec3 up = glm::inverse(rest_.worlds[i].linear) * Vec3(0, 1, 0);
    bone.rest_up = isFinite(up) ? up : Vec3(0.0);
    return bone;
  }

  const Skeleton& skeleton_;
  const Rest& rest_;
  const std::vector<ChainNode>& nodes_;
  const DynamicBonesSettings& settings_;
  std::vector<double> above_m_, below_m_;
};

}  // namespace

Result<SwingingNodes> findBones(const Scene& scene, const DynamicBonesSettings& settings) {
  const Skeleton& skeleton = scene.skeleton;
  CLIPMILL_TRY(const std::vector<ChainNode> chain_nodes, findChains(skeleton, settings.chain));
  Rest rest;
  computeWorlds(skeleton, restPose(skeleton).locals, scene.metric_from_file, rest.worlds);
  const BoneBuilder builder(scene, rest, chain_nodes, settings);
  const std::size_t count = skeleton.size();
  SwingingNodes found{std::vector<std::vector<Bone>>(count), std::vector<bool>(count, false)};
  std::vector<bool> has_bone(settings.chain.size(), false);
  for (std::size_t i = 0; i < count; ++i) {
    const int parent = skeleton.nodes[i].parent;
    found.bones[i] = builder.bonesOf(static_cast<int>(i));
    const bool is_joint = !found.bones[i].empty();
    found.swings[i] = is_joint || (parent >= 0 && found.swings[toSize(parent)]);
    if (!is_joint) continue;
    has_bone[toSize(chain_nodes[i].chain)] = true;
  }
  for (std::size_t i = 0; i < has_bone.size(); ++i) {
    if (has_bone[i]) continue;
    return Error{ErrorCode::kRecipe, chainLabel(settings.chain[i]), "has no bone to simulate",
                 "start it at a joint nearer to the root, or set `tip_length` above 0"};
  }
  return found;
}

}  // namespace clipmill::stages::dynamic_bones
