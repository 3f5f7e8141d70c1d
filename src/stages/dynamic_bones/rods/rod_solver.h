// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scene/scene.h"
#include "stages/dynamic_bones/rig/attachment.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/rods/rod_body.h"
#include "stages/dynamic_bones/rods/rod_contact.h"
#include "stages/dynamic_bones/rods/rod_penetrations.h"
#include "stages/dynamic_bones/rods/rod_step.h"
#include "stages/dynamic_bones/settings.h"
#include "stages/dynamic_bones/springs/spring_bones.h"
#include "stages/dynamic_bones/springs/spring_lanes.h"

namespace clipmill::stages::dynamic_bones {

/// All rods of a rig in time (method `rod`). SpringSolver poses the character, resolves contacts
/// and limits and applies carries; this class moves the bones in between.
class RodSolver {
 public:
  RodSolver(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene,
            const SpringLayout& layout, const std::vector<SpringBone>& bones);

  /// Whether all trees hang on joints that follow the clip.
  bool hangsOnClip() const;

  /// Takes over the pose that the rods are drawn to. Call it where that changes.
  void pose(std::span<const Transform> locals);
  /// Starts at rest with the ends, heads and lengths of `lanes`.
  void start(const SpringLanes& lanes, std::span<const Affine> worlds);
  /// Sets the velocities of all ends to `pose_velocity` of the lanes; of one end.
  void setVelocities(const SpringLanes& lanes);
  void setVelocity(std::size_t bone, const Vec3& velocity_mps);
  /// Adds to the velocity of one end; the heads take theirs from the next step.
  void addVelocity(std::size_t bone, const Vec3& velocity_mps);

  /// Sets the length of the next step, in full steps.
  void startStep(double step_s, double ratio);
  void setWind(std::size_t bone, const Vec3& wind_mps2);
  void carry(int chain, const Carry& map);
  /// Moves the trees whose clamped joint is in the level of that index; their parents are posed in
  /// `worlds`. Returns how many did not converge.
  std::size_t move(std::size_t level, std::span<const Affine> worlds, const SpringLanes& lanes);

  /// Appends where the trees of the last solution penetrate solids: of move(), or of solveHeld().
  /// See RodPenetrations::find() for `beyond_m`.
  void findPenetrations(const SteppedSolids& stepped, bool after_hold, double beyond_m,
                        std::vector<RodContact>& contacts);

  /// Releases all points.
  void release();
  /// Holds a point of a bone outside of a solid.
  void hold(const RodContact& contact);
  /// Holds all points of trees that have one to be moved by more than `least_m`. Returns whether
  /// there are such trees.
  bool hold(std::span<const RodContact> contacts, double least_m);
  /// Solves these trees again. Returns how many did not converge.
  std::size_t solveHeld();
  /// Takes over the points of the lanes, then rotates bones out of the planes that hold them and
  /// slows those that moved.
  void rotateOut(const SpringLanes& lanes);
  /// Sets the velocities after this step, from solids that hold points.
  void applyImpulses();
  /// These velocities, one a bone.
  void readVelocities(std::span<Vec3> velocities_mps) const;
  void writeVelocities(std::span<const Vec3> velocities_mps);
  /// Writes `point` of the lanes of all trees of that level.
  void givePoints(std::size_t level, SpringLanes& lanes) const;

  /// The rotation of a joint with several bones relative to its rotation before it swings, in the
  /// axes of its parent.
  Quat forkSwing(std::size_t joint) const;
  /// Takes over where the ends are after contacts and limits.
  void finishStep(const SpringLanes& lanes);
  /// Puts a bone's end where the lanes have it, with the velocity of the pose.
  void reset(std::size_t bone, const SpringLanes& lanes);

  std::size_t stiffenedCount() const;
  /// Of the tree whose swing dies away most slowly [1/s].
  double slowestDecay_per_s() const;

 private:
  // Where a tree is clamped.
  struct Base {
    Vec3 head_m{0.0};
    Quat world_from_parent = kIdentityRotation;
  };
  Base baseOf(const RodTree& tree, std::span<const Affine> worlds, const SpringLanes& lanes) const;
  void findRuns();
  void takeBases(RodBatch& batch, std::span<const Affine> worlds, const SpringLanes& lanes);
  RodBatch& heldBatch(std::size_t bone);
  void slowMoved(RodBatch& batch, const SpringLanes& lanes) const;
  std::uint32_t takeEnds(std::size_t batch, const SpringLanes& lanes);
  void takeEnd(RodBatch& batch, std::size_t at, std::size_t lane, const SpringLanes& lanes);

  const Rig& rig_;
  const DynamicBonesSettings& settings_;
  const Scene& scene_;
  const SpringLayout& layout_;
  RodSystem system_;
  RodTime time_;
  double ratio_ = 1.0;
  std::vector<std::vector<std::size_t>> batches_of_level_;
  // The bones of a batch with one index mostly are neighbours in the lanes of SpringLayout.
  struct LaneRun {
    std::size_t start = 0, count = 0;  // no count: they are not
  };
  std::vector<std::vector<LaneRun>> runs_;  // by batch and bone
  RodPenetrations penetrations_;
};

}  // namespace clipmill::stages::dynamic_bones
