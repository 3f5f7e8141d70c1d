// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "scene/scene.h"
#include "stages/dynamic_bones/rig/attachment.h"
#include "stages/dynamic_bones/rig/cross.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/rig/rig_pose.h"
#include "stages/dynamic_bones/rods/rod_solver.h"
#include "stages/dynamic_bones/settings.h"
#include "stages/dynamic_bones/skin/skin_contacts.h"
#include "stages/dynamic_bones/springs/spring_bones.h"
#include "stages/dynamic_bones/springs/spring_contacts.h"
#include "stages/dynamic_bones/springs/spring_lanes.h"
#include "stages/dynamic_bones/springs/spring_simd.h"
#include "stages/dynamic_bones/springs/wind.h"

namespace clipmill::stages::dynamic_bones {

/// Sweeps over the constraints between branches in one step. Small steps converge faster than many
/// sweeps (Macklin et al. 2019).
inline constexpr int kCrossSweeps = 2;

/// Bones of a rig moving through time, step by step, for the methods `rod` and `spring`.
///
/// A step goes level by level from the roots: the parent's new pose carries the bone's target; the
/// spring, wind and gravity move its end (spring_step.h); its length is restored; limits and
/// contacts are resolved; and the rotation that points the bone there carries the next level. Rods
/// are solved as a whole at the level of their first joint, instead of the springs.
/// Branches with cross constraints take two rounds: all ends move freely, and distances are solved
/// together; then contacts and rotations follow level by level.
class SpringSolver {
 public:
  /// `loop_s`: the length of the cycle that wind has to repeat in; 0 for none.
  SpringSolver(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene,
               double step_s, double loop_s);

  /// Starts in the clip's pose `locals`, at rest.
  void start(std::span<const Transform> locals, double time_s);
  /// Adds `weight` times the position of each point in the clip's own pose to its velocity. Call it
  /// between start() and the first step.
  void addToVelocity(std::span<const Transform> locals, double weight);
  /// Adds that velocity to chains that have settled in a pose: after start(), steps that hold the
  /// pose, and addToVelocity().
  void startMoving();
  /// Sets the ends of the bones to `ends`, and those of the previous step to `ends_before`. One a
  /// bone; values that are not finite are ignored. Call it after start() and addToVelocity(), with
  /// the pose of start().
  void continueFrom(std::span<const Transform> locals, std::span<const Vec3> ends,
                    std::span<const Vec3> ends_before);

  /// Advances to the next grid time, whose pose is `locals`; `ratio` full steps away. `jumps` may
  /// be null.
  void step(std::span<const Transform> locals, double time_s, double ratio, const JumpTable* jumps);

  /// In the next step rods move by `share` (0 to 1) towards these ends, one a bone, metric world
  /// space, before their skin leaves the body. Velocities stay.
  void pullTo(std::span<const Vec3> ends, double share);

  /// Applies `map` to the whole state: from the end of a cycle to its start.
  void carry(const Carry& map);

  /// The rotation of each joint relative to its base (baseOf), and the end of each bone.
  void readSwings(std::span<Quat> swings) const;
  void readEnds(std::span<Vec3> ends) const;
  /// The length of each bone over that in the clip.
  void readStretches(std::span<double> stretches) const;

  const SimulationCounts& counts() const { return counts_; }
  /// Of the chain whose swing dies away most slowly [1/s].
  double slowestDecay_per_s() const;

 private:
  const ChainSettings& chainOf(const Bone& bone) const;
  double* worlds() { return &worlds_[0].linear[0].x; }
  void startAtPose(const SpringLevel& level);
  void follow(std::span<const Transform> locals);
  void followSlots(std::span<const int> slots, std::span<const Transform> locals);
  void setStepRatio(double ratio);
  void movePose(double step_s);
  void findCarries(double time_s, double step_s, const JumpTable* jumps);
  void removeInitialVelocity(int chain, const Carry& map, double step_s);
  void carryBones(int chain, const Carry& map);
  void moveLevels(std::span<const Transform> locals, AimMode mode);
  void moveTogether(std::span<const Transform> locals, AimMode mode);
  void rotateLevel(const SpringLevel& level);
  void choose(const SpringLevel& level);
  Quat chosenRotation(std::size_t joint) const;
  void finishLevel(const SpringLevel& level, std::span<const Transform> locals);
  void poseLevel(const SpringLevel& level, std::span<const Transform> locals);
  void aimAtPoints(const SpringLevel& level, std::span<const Transform> locals);
  void poseByRods(std::span<const Transform> locals);
  void moveRodsFreely(std::span<const Transform> locals);
  void moveRods(std::span<const Transform> locals);
  void findRodContacts(bool after_hold, double beyond_m);
  void findSkinContacts();
  void leaveSkin(std::span<const Transform> locals);
  void pull();
  void rotateForks(const SpringLevel& level);
  void solveCross();
  void slowCross();
  void applyWind(double time_s);
  void resetAfterJumps(double time_s, double step_s, const JumpTable* jumps);

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
  std::optional<SkinContacts> skin_;
  std::vector<RodContact> rod_contacts_;  // scratch
  std::vector<Affine> worlds_;      // metric_from_node of slots, then of the file, then an idle one
  std::vector<RigidPose> inertia_;  // one a chain: its inertia node at the last grid time
  std::vector<std::optional<Carry>> carries_;  // one a chain
  std::optional<RodSolver> rods_;
  bool needs_poses_ = false;  // contacts of rods depend on the poses of their joints
  CrossConstraints cross_;
  std::vector<double> inverse_masses_, multipliers_;
  std::vector<Vec3> heads_, ends_;
  std::vector<Vec3> velocities_;
  std::vector<Vec3> pull_ends_;
  double pull_share_ = 0.0;
  double smoothing_ = 1.0;
  double ratio_ = 1.0;
  bool is_first_ = true;
  SimulationCounts counts_;
};

}  // namespace clipmill::stages::dynamic_bones
