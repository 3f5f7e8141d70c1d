// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/rig/rig_pose.h"
#include "stages/dynamic_bones/settings.h"

/// What chains feel of the motion of the node that carries them: shares of its travel and turns,
/// speed limits, and jumps.
namespace clipmill::bones {

/// A rigid map of metric world space: x -> to + rotation (x - from).
struct Carry {
  Quat rotation = kIdentityRotation;
  Vec3 from{0.0};
  Vec3 to{0.0};

  Vec3 point(const Vec3& x) const { return to + rotation * (x - from); }
  Vec3 vector(const Vec3& v) const { return rotation * v; }
};

/// The part of a step from `before` to `now` that a chain goes along with instead of feeling it.
/// Nothing where it feels all. `whole`: it goes along with all.
std::optional<Carry> carryOf(const ChainSettings& chain, const Place& before, const Place& now,
                             double dt_s, bool whole);

/// The map over the ground that leads from `end` to `begin`: a way without height and a turn about
/// the up axis.
Carry groundCarry(const Place& begin, const Place& end);

/// A stretch of time in which the carrier of a chain jumps.
struct Jump {
  double begin_s = 0.0;
  double end_s = 0.0;
};

/// Jumps of each chain's carrier: moves beyond teleport_m or turns beyond teleport_deg from one
/// frame of the clip as authored (`authored_fps`) to the next, four times as far as in the frames
/// beside it. One list a chain setting, ascending.
std::vector<std::vector<Jump>> findJumps(const Rig& rig, const DynamicBonesSettings& settings,
                                         const Skeleton& skeleton, const Affine& metric_from_file,
                                         const Motion& clip, double authored_fps);

/// Answers for each chain whether a step lies in one of its jumps.
class JumpTable {
 public:
  explicit JumpTable(std::vector<std::vector<Jump>> jumps) : jumps_(std::move(jumps)) {}
  struct State {
    bool is_in = false;
    bool ends = false;  ///< It is the last one.
  };
  /// Of the step that ends at `time_s`.
  State at(std::size_t chain, double time_s, double step_s) const;
  std::size_t count() const;

 private:
  std::vector<std::vector<Jump>> jumps_;
};

}  // namespace clipmill::bones
