// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rods/rod_batches.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/to_size.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// The joints of a tree, with indices in the tree.
std::vector<RodBatch::Joint> jointsOf(const Rig& rig, const RodTree& tree) {
  std::vector<RodBatch::Joint> joints;
  std::vector<std::pair<int, int>> bones;  // by index in the tree: of the rig, joint
  for (std::size_t j : tree.joints) {
    const Joint& from = rig.joints[j];
    RodBatch::Joint joint;
    const int parent = rig.bones[from.bones_start].parent;
    for (std::size_t b = 0; b < bones.size() && parent >= 0; ++b) {
      if (bones[b].first != parent) continue;
      joint.parent_bone = static_cast<int>(b);
      joint.parent_joint = bones[b].second;
    }
    joint.bones_start = bones.size();
    for (std::size_t b = from.bones_start; b < from.bones_end; ++b) {
      bones.emplace_back(static_cast<int>(b), static_cast<int>(joints.size()));
    }
    joint.bones_end = bones.size();
    joints.push_back(joint);
  }
  return joints;
}

bool isChain(const std::vector<RodBatch::Joint>& joints) {
  return std::none_of(joints.begin(), joints.end(), [&](const RodBatch::Joint& joint) {
    return joint.isFork() || joint.parent_joint != &joint - joints.data() - 1;
  });
}

bool isSameJoint(const RodBatch::Joint& a, const RodBatch::Joint& b) {
  return a.parent_bone == b.parent_bone && a.bones_start == b.bones_start &&
         a.bones_end == b.bones_end;
}

std::vector<std::size_t> levelsOf(const Rig& rig, const SpringLayout& layout) {
  std::vector<std::size_t> levels(rig.joints.size(), 0);
  for (std::size_t level = 0; level < layout.levels.size(); ++level) {
    for (int joint : layout.levels[level].joints) levels[toSize(joint)] = level;
  }
  return levels;
}

void findTrees(const Rig& rig, RodSystem& system) {
  for (std::size_t j = 0; j < rig.joints.size(); ++j) {
    const Bone& bone = rig.bones[rig.joints[j].bones_start];
    std::size_t tree = system.trees.size();
    if (bone.parent >= 0) {
      tree = system.tree_of_joint[toSize(rig.bones[toSize(bone.parent)].joint)];
    } else {
      system.trees.emplace_back();
      system.trees.back().chain = bone.chain;
    }
    system.trees[tree].joints.push_back(j);
    system.tree_of_joint.push_back(tree);
  }
}

// Trees with their joints and the level of the first one.
struct ShapedTree {
  std::size_t tree = 0, level = 0;
  std::vector<RodBatch::Joint> joints;
  bool is_chain = true;
};

bool canJoin(const RodBatch& batch, const ShapedTree& tree) {
  if (batch.trees.size() == kLaneBlock || batch.level != tree.level) return false;
  if (tree.is_chain) return isChain(batch.joints);
  return std::equal(batch.joints.begin(), batch.joints.end(), tree.joints.begin(),
                    tree.joints.end(), isSameJoint);
}

RodBatch batchOf(const ShapedTree& tree) {
  RodBatch batch;
  batch.joints = tree.joints;
  batch.bone_count = tree.joints.back().bones_end;
  batch.level = tree.level;
  batch.has_forks = std::any_of(tree.joints.begin(), tree.joints.end(),
                                [](const RodBatch::Joint& joint) { return joint.isFork(); });
  batch.allocate();
  return batch;
}

void putInto(const Rig& rig, RodSystem& system, std::size_t index, std::size_t batch_index) {
  RodBatch& batch = system.batches[batch_index];
  RodTree& tree = system.trees[index];
  tree.batch = batch_index;
  tree.lane = batch.trees.size();
  batch.trees.push_back(index);
  for (std::size_t k = 0; k < tree.joints.size(); ++k) {
    const Joint& joint = rig.joints[tree.joints[k]];
    batch.exists[RodBatch::at(k, tree.lane)] = 1.0;
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      const std::size_t in_tree = batch.joints[k].bones_start + (b - joint.bones_start);
      const std::size_t at = RodBatch::at(in_tree, tree.lane);
      batch.rig_bones[at] = static_cast<int>(b);
      system.location_of_bone[b] = {batch_index, at};
    }
  }
}

}  // namespace

RodSystem makeRodBatches(const Rig& rig, const SpringLayout& layout) {
  RodSystem system;
  findTrees(rig, system);
  const std::vector<std::size_t> levels = levelsOf(rig, layout);
  std::vector<ShapedTree> shaped;
  for (std::size_t t = 0; t < system.trees.size(); ++t) {
    std::vector<RodBatch::Joint> joints = jointsOf(rig, system.trees[t]);
    const bool is_chain = isChain(joints);
    shaped.push_back({t, levels[system.trees[t].joints.front()], std::move(joints), is_chain});
  }
  // Neighbours in this order fill batches; the first tree of a batch has the most joints.
  std::stable_sort(shaped.begin(), shaped.end(), [](const ShapedTree& a, const ShapedTree& b) {
    return std::tuple(a.level, !a.is_chain, b.joints.size()) <
           std::tuple(b.level, !b.is_chain, a.joints.size());
  });
  system.location_of_bone.resize(rig.bones.size());
  for (const ShapedTree& tree : shaped) {
    if (system.batches.empty() || !canJoin(system.batches.back(), tree)) {
      system.batches.push_back(batchOf(tree));
    }
    putInto(rig, system, tree.tree, system.batches.size() - 1);
  }
  return system;
}

}  // namespace clipmill::stages::dynamic_bones
