// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/motion.h"
#include "core/math.h"
#include "scene/ground_track.h"
#include "stages/edit/closing_bend.h"

namespace clipmill::edit {

/// The way of a figure over the ground, and the same as a cycle: it leads from the same place to
/// the same, and goes on at the end as it began, as the figure sees it.
class ClosedWay {
 public:
  /// `motion` has two frames or more. Both windows fit into it.
  ClosedWay(GroundTrack track, const Motion& motion, double window_s);

  /// As the motion goes; `time_s` of its own time.
  GroundPlace own(double time_s) const { return track_.at(time_s); }
  /// As the cycle goes. Outside of the windows the same, bit for bit.
  GroundPlace closed(double time_s) const;
  GroundStep whole() const { return track_.whole(); }
  /// By how much the speed along the ground jumps from the end of the motion to its begin.
  double speedJump_mps() const;

 private:
  // Per second, in the axes of the figure at that end.
  GroundStep rateAt(double from_s, double to_s, double axes_s) const;

  GroundTrack track_;
  double begin_s_, end_s_, window_s_;
  EndBends<Vec3> way_;
  EndBends<double> turn_;
};

}  // namespace clipmill::edit
