// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "locomotion/clip_cycle.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/rig/rig_pose.h"
#include "stages/dynamic_bones/settings.h"

/// The part of an attachment joint's motion that its chain reacts to: shares of translation and
/// rotation, speed limits, and teleports.
namespace clipmill::stages::dynamic_bones {

using locomotion::Carry;

/// The part of the motion from `before` to `now` that a chain follows rigidly, without reaction.
/// Nothing where it reacts to all. `whole`: it follows all of it.
std::optional<Carry> carryOf(const ChainSettings& chain, const RigidPose& before,
                             const RigidPose& now, double dt_s, bool whole);

/// An interval of time in which an attachment joint jumps.
struct Jump {
  double start_s = 0.0;
  double end_s = 0.0;
};

/// Jumps of each chain's attachment joint: moves beyond teleport_distance_ratio of
/// the character's size or rotations beyond
/// teleport_rotation_deg from one frame of the clip as authored (`authored_fps`) to the next, and
/// more than four times as large as in both neighboring frames. One list per chain setting,
/// ascending.
std::vector<std::vector<Jump>> findJumps(const Rig& rig, const DynamicBonesSettings& settings,
                                         const Skeleton& skeleton, const Affine& metric_from_file,
                                         const Motion& clip, double authored_fps);

/// Looks up whether a step of a chain lies in one of its jumps.
class JumpTable {
 public:
  explicit JumpTable(std::vector<std::vector<Jump>> jumps) : jumps_(std::move(jumps)) {}
  struct State {
    bool is_in = false;
    bool ends = false;  ///< It is the last one.
  };
  /// Of the step that ends at `time_s`.
  State at(std::size_t chain, double time_s, double step_s) const;
  /// Whether any chain jumps between two times.
  bool isIn(double start_s, double end_s) const;
  std::size_t count() const;

 private:
  std::vector<std::vector<Jump>> jumps_;
};

}  // namespace clipmill::stages::dynamic_bones
