// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/edit/closed_way.h"

#include <cmath>
#include <utility>

#include "scene/ground.h"

namespace clipmill::edit {

ClosedWay::ClosedWay(GroundTrack track, const Motion& motion, double window_s)
    : track_(std::move(track)),
      begin_s_(motion.grid.begin_s),
      end_s_(motion.grid.end_s),
      window_s_(window_s) {
  const std::size_t last = motion.grid.frame_count - 1;
  const GroundStep begin = rateAt(begin_s_, motion.grid.timeOf(1), begin_s_);
  const GroundStep end = rateAt(motion.grid.timeOf(last - 1), end_s_, end_s_);
  way_ = closingBends(Vec3(0.0), begin.ahead_m, end.ahead_m);
  turn_ = closingBends(0.0, begin.turn_rad, end.turn_rad);
}

GroundStep ClosedWay::rateAt(double from_s, double to_s, double axes_s) const {
  const GroundPlace from = track_.at(from_s), to = track_.at(to_s);
  const double interval_s = to_s - from_s;
  return {turned(to.at_m - from.at_m, -track_.at(axes_s).heading_rad) / interval_s,
          (to.heading_rad - from.heading_rad) / interval_s};
}

GroundPlace ClosedWay::closed(double time_s) const {
  GroundPlace place = track_.at(time_s);
  const double from_begin_s = time_s - begin_s_, from_end_s = end_s_ - time_s;
  if (from_begin_s < window_s_) {
    place.at_m += turned(way_.atBegin(from_begin_s, window_s_), track_.at(begin_s_).heading_rad);
    place.heading_rad += turn_.atBegin(from_begin_s, window_s_);
  }
  if (from_end_s < window_s_) {
    place.at_m += turned(way_.atEnd(from_end_s, window_s_), track_.at(end_s_).heading_rad);
    place.heading_rad += turn_.atEnd(from_end_s, window_s_);
  }
  return place;
}

double ClosedWay::speedJump_mps() const {
  const Vec3 jump = 2.0 * way_.begin_velocity;  // each end takes half of it
  return std::sqrt(glm::dot(jump, jump));
}

}  // namespace clipmill::edit
