// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
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

/// The largest difference of a joint's rotation, relative to `clip`, between the end and the start
/// of a baked cycle [degrees].
double seamOf_deg(const Rig& rig, const Motion& clip, const Motion& motion);

/// The root mean square of these differences over the joints [degrees]: a measure that does not
/// depend on one loose tip.
double meanSeamOf_deg(const Rig& rig, const Motion& clip, const Motion& motion);

/// The angular velocity of each joint relative to `clip` from the first frame to the second
/// [degrees/s]. Its difference between two cycles is the jump of velocity at the seam.
std::vector<Vec3> startVelocities_degps(const Rig& rig, const Motion& clip, const Motion& motion);

/// Distributes the seam error over the cycle, so that its last frame equals the first one. Every
/// rotation receives a share of the error that grows from 0 to 1 along 3 s^2 - 2 s^3, so that the
/// velocities at both ends do not change.
void closeSeam(const Rig& rig, const Motion& clip, Motion& motion);

/// Selects one of the cycles that are simulated in a row, and closes it.
class CycleChoice {
 public:
  CycleChoice(const Rig& rig, const DynamicBonesSettings& settings, const Motion& clip)
      : rig_(rig), settings_(settings), clip_(clip) {}

  /// Takes the next cycle. Returns whether one more is needed: until two in a row close within
  /// loop_tolerance_deg, until the seam stops decreasing, or until max_loop_cycles. A cycle that
  /// does not close needs the one after it.
  bool needsAnother(const Motion& cycle);

  /// Writes the closed cycle, that with the smallest mean seam. The seam of a cycle that closes is
  /// distributed over it. Any other cycle fades along 3 s^2 - 2 s^3 from the cycle after it, which
  /// starts where it ends, to itself: every frame lies between two simulated poses of its time,
  /// and pose and velocity agree at both ends.
  void write(Motion& out) const;

  int cycles() const { return cycles_; }
  /// Of the selected cycle, before it is closed.
  double seam_deg() const { return seam_deg_; }
  double seam_degps() const { return seam_degps_; }

 private:
  bool decreases(double seam_deg);
  bool isFinished(double seam_deg);

  const Rig& rig_;
  const DynamicBonesSettings& settings_;
  const Motion& clip_;
  std::vector<Transform> best_, after_best_;
  std::vector<Vec3> speeds_;
  double seam_deg_ = 0.0, seam_degps_ = 0.0;
  double mean_seam_deg_ = std::numeric_limits<double>::infinity();
  double mark_deg_ = std::numeric_limits<double>::infinity();  // last seam that was half of one
  int since_mark_ = 0;
  int cycles_ = 0;
  bool has_closed_ = false;
  bool has_finished_ = false;
};

}  // namespace clipmill::stages::dynamic_bones
