// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "anim/skeleton.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/rig/rig_pose.h"
#include "stages/dynamic_bones/rig/watched_nodes.h"
#include "stages/dynamic_bones/springs/pose_lanes_simd.h"
#include "stages/dynamic_bones/springs/spring_bones.h"

namespace clipmill::stages::dynamic_bones {

/// The bones of a rig in successive poses of the character.
class PosedBones {
 public:
  PosedBones(const Rig& rig, std::size_t chain_count, const std::vector<SpringBone>& bones,
             const Skeleton& skeleton, const Affine& metric_from_file);

  /// `locals`: all nodes of the skeleton.
  void pose(std::span<const Transform> locals);

  /// Bone b is in lane laneOf(b).
  PoseLanes& lanes() { return lanes_; }
  const PoseLanes& lanes() const { return lanes_; }
  std::size_t laneOf(std::size_t bone) const { return layout_.lane_of[bone]; }

  /// metric_from_node of a slot; of the file for -1.
  const Affine& worldOf(int slot) const {
    return worlds_[slot < 0 ? rig_.slots.size() : toSize(slot)];
  }

 private:
  void fill(std::span<const Transform> locals);
  void poseSlot(std::size_t slot, std::span<const Transform> locals);

  const Rig& rig_;
  const SpringLayout layout_;
  WatchedNodes watched_;
  PoseLanes lanes_;
  std::vector<Affine> worlds_;  // of slots, then of the file, then an idle one
};

}  // namespace clipmill::stages::dynamic_bones
