// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rig/carrier.h"

#include <algorithm>
#include <cmath>

namespace clipmill::bones {
namespace {

// A second; more would only cost time.
constexpr double kMostFrames = 1000.0;

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

// The share that is not felt: what the setting spares, or all that is faster than the limit.
double sparedShare(double felt, double amount, double limit) {
  const double over = limit > 0.0 && amount > limit ? 1.0 - limit / amount : 0.0;
  return std::max(1.0 - felt, over);
}

// The turn about +Y that comes nearest to `turn`.
Quat yawOf(const Quat& turn) { return swingTwist(turn, Vec3(0, 1, 0)).twist; }

// Whether a step stands out from those beside it; what is fast throughout is no jump.
bool standsOut(const std::vector<double>& steps, std::size_t i, double least) {
  constexpr double kOverOthers = 4.0;
  const double before = i > 0 ? steps[i - 1] : 0.0;
  const double after = i + 1 < steps.size() ? steps[i + 1] : 0.0;
  return steps[i] > least && steps[i] > kOverOthers * std::max(before, after);
}

std::vector<Jump> jumpsOf(const std::vector<Place>& places, const TimeGrid& grid,
                          const DynamicBonesSettings& settings) {
  std::vector<double> moves_m, turns_deg;
  for (std::size_t frame = 1; frame < places.size(); ++frame) {
    const Place &a = places[frame - 1], &b = places[frame];
    moves_m.push_back(lengthOf(b.position - a.position));
    turns_deg.push_back(angleBetween(a.rotation, b.rotation) / kDegree);
  }
  std::vector<Jump> jumps;
  for (std::size_t i = 0; i < moves_m.size(); ++i) {
    if (standsOut(moves_m, i, settings.teleport_m) ||
        standsOut(turns_deg, i, settings.teleport_deg)) {
      jumps.push_back({grid.timeOf(i), grid.timeOf(i + 1)});
    }
  }
  return jumps;
}

}  // namespace

Carry groundCarry(const Place& begin, const Place& end) {
  Carry carry;
  carry.rotation = normalizedOrIdentity(yawOf(begin.rotation * glm::conjugate(end.rotation)));
  carry.from = end.position;
  carry.to = Vec3(begin.position.x, end.position.y, begin.position.z);
  return carry;
}

std::optional<Carry> carryOf(const ChainSettings& chain, const Place& before, const Place& now,
                             double dt_s, bool whole) {
  const bool feels_all = chain.inertia_move >= 1.0 && chain.inertia_turn >= 1.0 &&
                         chain.speed_limit_mps <= 0.0 && chain.turn_limit_degps <= 0.0;
  if (feels_all && !whole) return std::nullopt;
  const Quat turn = normalizedOrIdentity(now.rotation * glm::conjugate(before.rotation));
  const Vec3 move = now.position - before.position;
  const double angle_deg = angleBetween(kIdentityRotation, turn) / kDegree;
  const double move_share =
      whole ? 1.0 : sparedShare(chain.inertia_move, lengthOf(move) / dt_s, chain.speed_limit_mps);
  const double turn_share =
      whole ? 1.0 : sparedShare(chain.inertia_turn, angle_deg / dt_s, chain.turn_limit_degps);
  if (move_share <= 0.0 && turn_share <= 0.0) return std::nullopt;
  Carry carry;
  carry.rotation = slerp(kIdentityRotation, turn, turn_share);
  carry.from = before.position;
  carry.to = before.position + move * move_share;
  return carry;
}

std::vector<std::vector<Jump>> findJumps(const Rig& rig, const DynamicBonesSettings& settings,
                                         const Skeleton& skeleton, const Affine& metric_from_file,
                                         const Motion& clip, double authored_fps) {
  std::vector<std::vector<Jump>> jumps(settings.chain.size());
  if (settings.teleport == TeleportPolicy::kOff) return jumps;
  std::vector<std::size_t> nodes;
  for (std::size_t s = 0; s < rig.following_count; ++s) {
    nodes.push_back(static_cast<std::size_t>(rig.slots[s].node));
  }
  MotionCursor cursor(skeleton, clip, nodes);
  RigPose pose(rig, metric_from_file);
  const double fps = std::min(authored_fps, kMostFrames);
  const TimeGrid grid = makeGrid(clip.grid.begin_s, clip.grid.end_s, fps);
  std::vector<std::vector<Place>> places(jumps.size());  // of each carrier, frame by frame
  for (std::size_t frame = 0; frame < grid.frame_count; ++frame) {
    pose.follow(cursor.at(grid.timeOf(frame)).locals);
    for (std::size_t chain = 0; chain < jumps.size(); ++chain) {
      if (rig.carriers[chain] < 0) continue;
      places[chain].push_back(pose.placeOfSlot(rig.carriers[chain]));
    }
  }
  for (std::size_t chain = 0; chain < jumps.size(); ++chain) {
    jumps[chain] = jumpsOf(places[chain], grid, settings);
  }
  return jumps;
}

JumpTable::State JumpTable::at(std::size_t chain, double time_s, double step_s) const {
  const double slack_s = 1e-3 * step_s;
  const std::vector<Jump>& jumps = jumps_[chain];
  const auto after = std::partition_point(jumps.begin(), jumps.end(), [&](const Jump& jump) {
    return jump.begin_s < time_s - slack_s;
  });
  if (after == jumps.begin()) return {};
  const Jump& last = *(after - 1);
  return {time_s - step_s < last.end_s - slack_s, time_s >= last.end_s - slack_s};
}

std::size_t JumpTable::count() const {
  std::size_t count = 0;
  for (const std::vector<Jump>& jumps : jumps_) count += jumps.size();
  return count;
}

}  // namespace clipmill::bones
