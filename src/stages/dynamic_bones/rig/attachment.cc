// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rig/attachment.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"
#include "core/math.h"
#include "core/to_size.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Higher rates cost time and find no other jumps.
constexpr double kMaxFps = 1000.0;

// The share without reaction: by the setting, or by the speed limit where that is more.
double ignoredShare(double felt, double amount, double limit) {
  const double over = limit > 0.0 && amount > limit ? 1.0 - limit / amount : 0.0;
  return std::max(1.0 - felt, over);
}

// Whether a step is much larger than both neighbors; a constant high speed is no jump.
bool isOutlier(const std::vector<double>& steps, std::size_t i, double least) {
  constexpr double kOverOthers = 4.0;
  const double before = i > 0 ? steps[i - 1] : 0.0;
  const double after = i + 1 < steps.size() ? steps[i + 1] : 0.0;
  return steps[i] > least && steps[i] > kOverOthers * std::max(before, after);
}

int rootOf(const Skeleton& skeleton, int node) {
  while (skeleton.nodes[toSize(node)].parent >= 0) node = skeleton.nodes[toSize(node)].parent;
  return node;
}

// The largest extent, in the rest pose, of the character that a node belongs to: of all nodes below
// the same root of the file.
double sizeAbout_m(const Skeleton& skeleton, const Affine& metric_from_file, int node) {
  std::vector<Affine> worlds;
  computeWorlds(skeleton, restPose(skeleton).locals, metric_from_file, worlds);
  const int root = rootOf(skeleton, node);
  Vec3 least = worlds[toSize(node)].translation, most = least;
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    if (!isFinite(worlds[i].translation) || rootOf(skeleton, static_cast<int>(i)) != root) continue;
    least = glm::min(least, worlds[i].translation);
    most = glm::max(most, worlds[i].translation);
  }
  const Vec3 extent = most - least;
  return std::max({extent.x, extent.y, extent.z});
}

std::vector<Jump> jumpsOf(const std::vector<RigidPose>& poses, const TimeGrid& grid,
                          const DynamicBonesSettings& settings, double size_m) {
  std::vector<double> moves_m, rotations_deg;
  for (std::size_t frame = 1; frame < poses.size(); ++frame) {
    const RigidPose &a = poses[frame - 1], &b = poses[frame];
    moves_m.push_back(lengthOf(b.position - a.position));
    rotations_deg.push_back(angleBetween(a.rotation, b.rotation) / kDegree);
  }
  std::vector<Jump> jumps;
  for (std::size_t i = 0; i < moves_m.size(); ++i) {
    if (isOutlier(moves_m, i, settings.teleport_distance_ratio * size_m) ||
        isOutlier(rotations_deg, i, settings.teleport_rotation_deg)) {
      jumps.push_back({grid.timeOf(i), grid.timeOf(i + 1)});
    }
  }
  return jumps;
}

}  // namespace

std::optional<Carry> carryOf(const ChainSettings& chain, const RigidPose& before,
                             const RigidPose& now, double dt_s, bool whole) {
  const bool reacts_to_all = chain.inertia_translation >= 1.0 && chain.inertia_rotation >= 1.0 &&
                             chain.max_inertia_speed_mps <= 0.0 &&
                             chain.max_inertia_rotation_degps <= 0.0;
  if (reacts_to_all && !whole) return std::nullopt;
  const Quat rotation = normalizedOrIdentity(now.rotation * glm::conjugate(before.rotation));
  const Vec3 move = now.position - before.position;
  const double angle_deg = angleBetween(kIdentityRotation, rotation) / kDegree;
  const double move_share = whole ? 1.0
                                  : ignoredShare(chain.inertia_translation, lengthOf(move) / dt_s,
                                                 chain.max_inertia_speed_mps);
  const double rotation_share = whole ? 1.0
                                      : ignoredShare(chain.inertia_rotation, angle_deg / dt_s,
                                                     chain.max_inertia_rotation_degps);
  if (move_share <= 0.0 && rotation_share <= 0.0) return std::nullopt;
  Carry carry;
  carry.rotation = slerp(kIdentityRotation, rotation, rotation_share);
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
    nodes.push_back(toSize(rig.slots[s].node));
  }
  MotionCursor cursor(skeleton, clip, nodes);
  RigPose pose(rig, metric_from_file);
  const double fps = std::min(authored_fps, kMaxFps);
  const TimeGrid grid = makeGrid(clip.grid.start_s, clip.grid.end_s, fps);
  std::vector<std::vector<RigidPose>> poses(jumps.size());  // of each attachment joint, by frame
  for (std::size_t frame = 0; frame < grid.frame_count; ++frame) {
    pose.follow(cursor.at(grid.timeOf(frame)).locals);
    for (std::size_t chain = 0; chain < jumps.size(); ++chain) {
      if (rig.attachment_slots[chain] < 0) continue;
      poses[chain].push_back(pose.poseOfSlot(rig.attachment_slots[chain]));
    }
  }
  for (std::size_t chain = 0; chain < jumps.size(); ++chain) {
    if (rig.attachment_slots[chain] < 0) continue;
    const int node = rig.slots[toSize(rig.attachment_slots[chain])].node;
    const double size_m = sizeAbout_m(skeleton, metric_from_file, node);
    jumps[chain] = jumpsOf(poses[chain], grid, settings, size_m);
  }
  return jumps;
}

JumpTable::State JumpTable::at(std::size_t chain, double time_s, double step_s) const {
  const double slack_s = 1e-3 * step_s;
  const std::vector<Jump>& jumps = jumps_[chain];
  const auto after = std::partition_point(jumps.begin(), jumps.end(), [&](const Jump& jump) {
    return jump.start_s < time_s - slack_s;
  });
  if (after == jumps.begin()) return {};
  const Jump& last = *(after - 1);
  return {time_s - step_s < last.end_s - slack_s, time_s >= last.end_s - slack_s};
}

bool JumpTable::isIn(double start_s, double end_s) const {
  const auto overlaps = [&](const Jump& jump) {
    return jump.start_s < end_s && jump.end_s > start_s;
  };
  return std::any_of(jumps_.begin(), jumps_.end(), [&](const std::vector<Jump>& jumps) {
    return std::any_of(jumps.begin(), jumps.end(), overlaps);
  });
}

std::size_t JumpTable::count() const {
  std::size_t count = 0;
  for (const std::vector<Jump>& jumps : jumps_) count += jumps.size();
  return count;
}

}  // namespace clipmill::stages::dynamic_bones
