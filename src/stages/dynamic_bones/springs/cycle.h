// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/settings.h"

/// Closes the seam of cycles.
namespace clipmill::stages::dynamic_bones {

/// The expected number of cycles until the damping reduces the influence of the start below
/// loop_tolerance_deg: by exp(-decay T) in each cycle of duration T. 0 without damping.
int predictCycles(double decay_per_s, const DynamicBonesSettings& settings, double cycle_s);

/// The slowest decay of the springs of a rig [1/s].
double slowestDecay_per_s(const Rig& rig, const DynamicBonesSettings& settings);

/// The difference of the rotation of each joint, relative to `clip`, between the end and the start
/// of a baked cycle.
std::vector<double> seamsOf_rad(const Rig& rig, const Motion& clip, const Motion& motion);

/// The angular velocity of each joint relative to `clip` from the first frame to the second
/// [degrees/s]. Its difference between two cycles is the jump of velocity at the seam.
std::vector<Vec3> startVelocities_degps(const Rig& rig, const Motion& clip, const Motion& motion);

/// Distributes the seam error of some joints over the cycle, so that its last frame equals the
/// first one. Every rotation receives a share of the error that grows from 0 to 1 along 3 s^2 - 2
/// s^3, so that the velocities at both ends do not change.
void closeSeam(const Rig& rig, const Motion& clip, std::span<const std::size_t> joints,
               Motion& motion);

/// The joints and nodes of one chain, and the cycle that was selected for it.
class ChainCycle {
 public:
  ChainCycle(const Rig& rig, const DynamicBonesSettings& settings, const Motion& clip,
             std::size_t chain);

  /// See CycleChoice. `seams_rad`, `speeds_degps` and `last_speeds_degps`: one a joint of the rig.
  bool needsAnother(const Motion& cycle, std::span<const double> seams_rad,
                    std::span<const Vec3> speeds_degps, std::span<const Vec3> last_speeds_degps);
  void write(Motion& out) const;

  /// Whether the selected cycle does not close; whether it is one of rods, too.
  bool isOpen() const;
  bool isPulled() const;
  double seam_deg() const { return seam_deg_; }
  double seam_degps() const { return seam_degps_; }

 private:
  std::vector<Transform> localsOf(const Motion& cycle) const;
  void take(const Motion& cycle, double seam_deg, std::span<const Vec3> speeds_degps,
            std::span<const Vec3> last_speeds_degps);
  bool decreases(double seam_deg);
  bool isFinished(double seam_deg);

  const Rig& rig_;
  const DynamicBonesSettings& settings_;
  const Motion& clip_;
  std::vector<std::size_t> joints_, nodes_;
  std::vector<Transform> best_;        // of nodes_, frame by frame
  std::vector<Transform> after_best_;  // the same of the cycle after it, of springs that are open
  double seam_deg_ = 0.0, seam_degps_ = 0.0;
  double mean_seam_deg_ = std::numeric_limits<double>::infinity();
  double mark_deg_ = std::numeric_limits<double>::infinity();  // last seam that was half of one
  int since_mark_ = 0;
  int cycles_ = 0;
  bool has_closed_ = false;
  bool has_finished_ = false;
};

/// Selects, chain by chain, one of the cycles that are simulated in a row, and closes it: a chain
/// that moves on for ever does not keep the others open.
class CycleChoice {
 public:
  CycleChoice(const Rig& rig, const DynamicBonesSettings& settings, const Motion& clip);

  /// Takes the next cycle. Returns whether one more is needed: until two in a row close within
  /// loop_tolerance_deg, until the seam of a chain stops decreasing, or until max_loop_cycles. A
  /// cycle of springs that does not close needs the one after it.
  bool needsAnother(const Motion& cycle);

  /// Whether rods do not close. They need a further cycle that is pulled into the last one
  /// (SpringSolver::pullTo()), so that it ends where it starts.
  bool needsPulled() const;

  /// Writes the closed cycles, those with the smallest mean seam. The seam of a cycle that closes
  /// is distributed over it; of rods that do not close, `out` holds the pulled cycle, whose seam is
  /// distributed. A cycle of springs that does not close fades along 3 s^2 - 2 s^3 from the cycle
  /// after it, which starts where it ends, to itself: every frame lies between two simulated poses
  /// of its time, and pose and velocity agree at both ends.
  void write(Motion& out) const;

  int cycles() const { return cycles_; }
  /// Of the selected cycles, before they are closed: the largest.
  double seam_deg() const;
  double seam_degps() const;

 private:
  const Rig& rig_;
  const Motion& clip_;
  std::vector<ChainCycle> chains_;
  std::vector<Vec3> speeds_degps_;
  int cycles_ = 0;
};

}  // namespace clipmill::stages::dynamic_bones
