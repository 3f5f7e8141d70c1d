// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "scene/scene.h"
#include "stages/dynamic_bones/rig/carrier.h"
#include "stages/dynamic_bones/rig/cross.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/rig/rig_pose.h"
#include "stages/dynamic_bones/settings.h"
#include "stages/dynamic_bones/springs/rope.h"
#include "stages/dynamic_bones/springs/spring_bones.h"
#include "stages/dynamic_bones/springs/spring_contacts.h"
#include "stages/dynamic_bones/springs/spring_lanes.h"
#include "stages/dynamic_bones/springs/spring_simd.h"
#include "stages/dynamic_bones/springs/wind.h"

namespace clipmill::bones {

/// Bones of a rig moving through time, step by step, for the methods `spring` and `rope`.
///
/// A step goes level by level from the roots: the parent's new place carries the bone's target, the
/// spring, wind and gravity move its end (spring_step.h), its length is restored, limits and
/// contacts move it on, and the turn that points the bone there carries the next level. Ropes and
/// branches that hold each other take two rounds: all ends move freely, lengths and distances are
/// solved together, then contacts and turns follow level by level.
class SpringSolver {
 public:
  /// `loop_s`: the length of the cycle that wind has to repeat in; 0 for none.
  SpringSolver(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene,
               double step_s, double loop_s);

  /// Puts everything where the clip's pose `locals` has it, at rest.
  void start(std::span<const Transform> locals, double time_s);
  /// Adds `weight` times where the clip's own pose has each point to its velocity. To be called
  /// between start() and the first step.
  void addToVelocity(std::span<const Transform> locals, double weight);
  /// Puts the ends of the bones at `ends`, coming from `ends_before` one step earlier. One a bone;
  /// those that are not finite stay. After start() and addToVelocity(), with the pose of start().
  void continueFrom(std::span<const Transform> locals, std::span<const Vec3> ends,
                    std::span<const Vec3> ends_before);

  /// To the next grid time, whose pose is `locals`; `ratio` full steps away. `jumps` may be null.
  void step(std::span<const Transform> locals, double time_s, double ratio, const JumpTable* jumps);

  /// Carries the whole state to another place: what was at the end of a cycle is at its begin.
  void carry(const Carry& map);

  /// The turn of each joint away from its base (baseOf), and the end of each bone.
  void readSwings(std::span<Quat> swings) const;
  void readEnds(std::span<Vec3> ends) const;
  /// The length of each bone over that in the clip.
  void readStretches(std::span<double> stretches) const;

  const SimulationCounts& counts() const { return counts_; }

 private:
  const ChainSettings& chainOf(const Bone& bone) const;
  double* worlds() { return &worlds_[0].linear[0].x; }
  void startAtPose(const SpringLevel& level);
  void follow(std::span<const Transform> locals);
  void followSlots(std::span<const int> slots, std::span<const Transform> locals);
  void setStepRatio(double ratio);
  void movePose(double step_s);
  void findCarries(double time_s, double step_s, const JumpTable* jumps);
  void spareStart(int chain, const Carry& map, double step_s);
  void carryBones(int chain, const Carry& map);
  void moveLevels(std::span<const Transform> locals, AimMode mode);
  void moveTogether(std::span<const Transform> locals, AimMode mode);
  void turnLevel(const SpringLevel& level);
  void choose(const SpringLevel& level);
  Quat chosenTurn(std::size_t joint) const;
  void finishLevel(const SpringLevel& level, std::span<const Transform> locals);
  void solveRopes();
  void solveCross();
  void blow(double time_s);
  void dropJumped(double time_s, double step_s, const JumpTable* jumps);

  const Rig& rig_;
  const DynamicBonesSettings& settings_;
  const double step_s_;
  const Affine metric_from_file_;
  const Wind wind_;
  const bool has_wind_;
  const SpringLayout layout_;
  const std::vector<SpringBone> bones_;
  SpringLanes lanes_;
  SpringPose pose_;
  SpringContacts contacts_;
  std::vector<Affine> worlds_;  // metric_from_node of slots, then of the file, then an idle one
  std::vector<Place> inertia_;  // one a chain: its inertia node at the last grid time
  std::vector<std::optional<Carry>> carries_;  // one a chain
  std::optional<RopeSolver> rope_;
  CrossConstraints cross_;
  std::vector<double> inverse_masses_, multipliers_, lengths_m_;
  std::vector<Vec3> heads_, old_bones_, ends_;
  double smoothing_ = 1.0;
  double ratio_ = 1.0;
  bool is_first_ = true;
  SimulationCounts counts_;
};

}  // namespace clipmill::bones
