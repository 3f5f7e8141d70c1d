// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/motion.h"
#include "core/math.h"
#include "locomotion/ground_track.h"
#include "stages/edit/closing_bend.h"

namespace clipmill::stages::edit {

/// Root trajectory of a character on the ground, and the same as a cycle: displacement and rotation
/// per cycle do not change, and the velocities at both ends are equal, relative to the character.
class ClosedTrajectory {
 public:
  /// `motion` has two frames or more. Both windows fit into it.
  ClosedTrajectory(locomotion::GroundTrack track, const Motion& motion, double window_s);

  /// Of the motion.
  locomotion::GroundPosition own(double time_s) const { return track_.at(time_s); }
  /// Of the cycle. Between the windows equal to own(), bit for bit.
  locomotion::GroundPosition closed(double time_s) const;
  locomotion::GroundStep whole() const { return track_.whole(); }
  /// Step of the velocity along the ground from the end of the motion to its start.
  double speedJump_mps() const;

 private:
  // Per second, in the axes of the character at that end.
  locomotion::GroundStep rateAt(double from_s, double to_s, double axes_s) const;

  locomotion::GroundTrack track_;
  double start_s_, end_s_, window_s_;
  EndBends<Vec3> path_;
  EndBends<double> rotation_;
};

}  // namespace clipmill::stages::edit
