// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/edit/closed_trajectory.h"

#include <cmath>
#include <utility>

#include "locomotion/ground.h"

namespace clipmill::stages::edit {

ClosedTrajectory::ClosedTrajectory(locomotion::GroundTrack track, const Motion& motion,
                                   double window_s)
    : track_(std::move(track)),
      start_s_(motion.grid.start_s),
      end_s_(motion.grid.end_s),
      window_s_(window_s) {
  const std::size_t last = motion.grid.frame_count - 1;
  const locomotion::GroundStep start = rateAt(start_s_, motion.grid.timeOf(1), start_s_);
  const locomotion::GroundStep end = rateAt(motion.grid.timeOf(last - 1), end_s_, end_s_);
  path_ = closingBends(Vec3(0.0), start.ahead_m, end.ahead_m);
  rotation_ = closingBends(0.0, start.rotation_rad, end.rotation_rad);
}

locomotion::GroundStep ClosedTrajectory::rateAt(double from_s, double to_s, double axes_s) const {
  const locomotion::GroundPosition from = track_.at(from_s), to = track_.at(to_s);
  const double interval_s = to_s - from_s;
  return {locomotion::rotated(to.at_m - from.at_m, -track_.at(axes_s).heading_rad) / interval_s,
          (to.heading_rad - from.heading_rad) / interval_s};
}

locomotion::GroundPosition ClosedTrajectory::closed(double time_s) const {
  locomotion::GroundPosition position = track_.at(time_s);
  const double from_start_s = time_s - start_s_, from_end_s = end_s_ - time_s;
  if (from_start_s < window_s_) {
    position.at_m += locomotion::rotated(path_.atStart(from_start_s, window_s_),
                                         track_.at(start_s_).heading_rad);
    position.heading_rad += rotation_.atStart(from_start_s, window_s_);
  }
  if (from_end_s < window_s_) {
    position.at_m +=
        locomotion::rotated(path_.atEnd(from_end_s, window_s_), track_.at(end_s_).heading_rad);
    position.heading_rad += rotation_.atEnd(from_end_s, window_s_);
  }
  return position;
}

double ClosedTrajectory::speedJump_mps() const {
  const Vec3 jump = 2.0 * path_.start_velocity;  // each end takes half of it
  return std::sqrt(glm::dot(jump, jump));
}

}  // namespace clipmill::stages::edit
