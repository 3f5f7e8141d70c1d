// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/fit/chain_rows.h"

#include <algorithm>

#include "anim/pose.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/chains/moving_nodes.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Cuts the bones of a rig into rows.
class RowCutter {
 public:
  RowCutter(const Rig& rig, const Skeleton& skeleton)
      : rig_(rig), skeleton_(skeleton), below_m_(rig.bones.size()), children_(rig.bones.size()) {
    // Bones are in the order of their joints, parents first.
    for (std::size_t b = rig.bones.size(); b-- > 0;) {
      below_m_[b] += rig.bones[b].rest_length_m;
      const int parent = rig.bones[b].parent;
      if (parent < 0) continue;
      below_m_[toSize(parent)] = std::max(below_m_[toSize(parent)], below_m_[b]);
      children_[toSize(parent)].push_back(b);
    }
  }

  std::vector<ChainRow> cut() {
    for (const Joint& joint : rig_.joints) {
      if (rig_.bones[joint.bones_start].parent >= 0) continue;
      std::vector<std::size_t> bones;
      for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) bones.push_back(b);
      addRow(bones);
    }
    std::sort(rows_.begin(), rows_.end(), [](const ChainRow& a, const ChainRow& b) {
      return a.bones.front() < b.bones.front();
    });
    return std::move(rows_);
  }

 private:
  int nodeOf(std::size_t bone) const {
    const Joint& joint = rig_.joints[toSize(rig_.bones[bone].joint)];
    return rig_.slots[toSize(joint.slot)].node;
  }

  // `candidates`: the bones that start at one joint.
  void addRow(std::vector<std::size_t> candidates) {
    ChainRow row;
    row.chain = rig_.bones[candidates.front()].chain;
    std::vector<std::vector<std::size_t>> others;
    while (!candidates.empty()) {
      const std::size_t next = *std::max_element(
          candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) {
            return below_m_[a] != below_m_[b] ? below_m_[a] < below_m_[b] : a > b;
          });
      for (std::size_t b : candidates) {
        if (b != next && !children_[b].empty()) others.push_back(sortedChildren(b));
      }
      row.bones.push_back(next);
      row.joints.push_back(nodeOf(next));
      candidates = sortedChildren(next);
    }
    row.end_node = rig_.bones[row.bones.back()].tail_node;
    row.parent = skeleton_.nodes[toSize(row.joints.front())].parent;
    rows_.push_back(std::move(row));
    for (std::vector<std::size_t>& bones : others) addRow(std::move(bones));
  }

  std::vector<std::size_t> sortedChildren(std::size_t bone) const {
    std::vector<std::size_t> bones = children_[bone];
    std::sort(bones.begin(), bones.end());
    return bones;
  }

  const Rig& rig_;
  const Skeleton& skeleton_;
  std::vector<double> below_m_;  // length of the longest row from a bone down
  std::vector<std::vector<std::size_t>> children_;
  std::vector<ChainRow> rows_;
};

Quat worldRotation(const std::vector<Affine>& worlds, int node) {
  return node < 0 ? kIdentityRotation : rotationOf(worlds[toSize(node)]);
}

Vec3 boneEnd_m(const Bone& bone, int joint, const std::vector<Affine>& worlds) {
  return bone.tail_node >= 0 ? worlds[toSize(bone.tail_node)].translation
                             : transformPoint(worlds[toSize(joint)], bone.tip_offset);
}

// Appends the rotation of each joint of the row in the axes of the one before.
void appendRotations(const ChainRow& row, const std::vector<Affine>& worlds,
                     std::vector<Quat>& rotations) {
  Quat above = worldRotation(worlds, row.parent);
  for (int joint : row.joints) {
    const Quat rotation = worldRotation(worlds, joint);
    rotations.push_back(glm::conjugate(above) * rotation);
    above = rotation;
  }
}

void appendStep(const ChainRow& row, const Rig& rig, const std::vector<Affine>& animated,
                const std::vector<Affine>& simulated, RowProbe& probe) {
  if (probe.stepCount() == 0) {
    for (std::size_t i = 0; i < row.bones.size(); ++i) {
      const int joint = row.joints[i];
      const Vec3 path_m =
          boneEnd_m(rig.bones[row.bones[i]], joint, animated) - animated[toSize(joint)].translation;
      probe.vectors_m.push_back(glm::conjugate(worldRotation(animated, joint)) * path_m);
    }
  }
  probe.heads_m.push_back(simulated[toSize(row.joints.front())].translation);
  probe.attachments.push_back(worldRotation(simulated, row.parent));
  if (row.center >= 0) {
    const Affine& world = animated[toSize(row.center)];
    probe.centers.push_back({rotationOf(world), world.translation});
  }
  appendRotations(row, animated, probe.rotations);
  for (std::size_t i = 0; i < row.bones.size(); ++i) {
    probe.ends_m.push_back(boneEnd_m(rig.bones[row.bones[i]], row.joints[i], simulated));
  }
}

}  // namespace

std::vector<ChainRow> rowsOf(const Rig& rig, const Skeleton& skeleton) {
  return RowCutter(rig, skeleton).cut();
}

void findCenters(const Skeleton& skeleton, std::span<const Motion> motions,
                 std::vector<ChainRow>& rows) {
  std::vector<bool> moves(skeleton.size(), false);
  for (const Motion& motion : motions) {
    const std::vector<bool> in_motion = movingNodes(motion);
    for (std::size_t i = 0; i < moves.size(); ++i) moves[i] = moves[i] || in_motion[i];
  }
  for (ChainRow& row : rows) {
    row.center = -1;
    for (int node = row.parent; node >= 0; node = skeleton.nodes[toSize(node)].parent) {
      if (moves[toSize(node)]) row.center = node;
    }
  }
}

std::vector<RowProbe> probesOf(const std::vector<ChainRow>& rows, const Rig& rig,
                               const Scene& scene, const Motion& motion, const Motion& simulated,
                               std::size_t stride) {
  std::vector<RowProbe> probes(rows.size());
  std::vector<Affine> worlds, simulated_worlds;
  const Pose rest = restPose(scene.skeleton);
  computeWorlds(scene.skeleton, rest.locals, scene.metric_from_file, worlds);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    probes[r].rest_attachment = worldRotation(worlds, rows[r].parent);
    probes[r].has_virtual_tip = rows[r].end_node < 0;
    appendRotations(rows[r], worlds, probes[r].rest_rotations);
  }
  for (std::size_t f = 0; f < motion.grid.frame_count; f += stride) {
    computeWorlds(scene.skeleton, motion.localsOf(f), scene.metric_from_file, worlds);
    computeWorlds(scene.skeleton, simulated.localsOf(f), scene.metric_from_file, simulated_worlds);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      appendStep(rows[r], rig, worlds, simulated_worlds, probes[r]);
    }
  }
  return probes;
}

}  // namespace clipmill::stages::dynamic_bones
