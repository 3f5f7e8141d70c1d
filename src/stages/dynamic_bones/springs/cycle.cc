// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/cycle.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "core/portable_math.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/rig/rig_pose.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Tolerances for the same pose and the same motion: the keys of cycles are seldom exact.
constexpr double kSamePose = 0.005;  // of the character's size
constexpr double kSameRotation_deg = 2.0;
constexpr double kSameSpeed = 0.35;             // of the highest speed at the seam
constexpr double kVelocityChangeFactor = 1.25;  // relative to changes of velocity inside the clip
constexpr double kMoving_mps = 0.02;
// Time over which speeds at the seam are measured.
constexpr double kInterval_s = 1.0 / 60.0;

// Poses of all slots that follow the clip.
std::vector<RigidPose> posesAt(const Rig& rig, RigPose& pose, std::span<const Transform> locals) {
  pose.follow(locals);
  std::vector<RigidPose> poses;
  for (std::size_t s = 0; s < rig.following_count; ++s) {
    poses.push_back(pose.poseOfSlot(static_cast<int>(s)));
  }
  return poses;
}

double sizeOf(const std::vector<RigidPose>& poses) {
  double size = 0.0;
  for (const RigidPose& pose : poses) {
    size = std::max(size, lengthOf(pose.position - poses.front().position));
  }
  return size;
}

// Slots at and below `root`; slots above do not travel along.
std::vector<std::size_t> slotsBelow(const Rig& rig, std::size_t root) {
  std::vector<bool> is_below(rig.following_count, false);
  std::vector<std::size_t> below;
  for (std::size_t s = root; s < rig.following_count; ++s) {
    const int parent = rig.slots[s].parent;
    is_below[s] = s == root || (parent >= 0 && is_below[toSize(parent)]);
    if (is_below[s]) below.push_back(s);
  }
  return below;
}

bool isSamePose(const std::vector<std::size_t>& slots, const std::vector<RigidPose>& start,
                const std::vector<RigidPose>& end, const Carry& carry) {
  const double near_m = std::max(kSamePose * sizeOf(start), 1e-3);
  for (std::size_t i : slots) {
    if (lengthOf(carry.point(end[i].position) - start[i].position) > near_m) return false;
    const Quat rotated = carry.rotation * end[i].rotation;
    if (angleBetween(rotated, start[i].rotation) > kSameRotation_deg * kDegree) return false;
  }
  return true;
}

// The 95th percentile over time of the velocity change of a slot, so that jumps do not count. A
// periodic swing reverses its direction somewhere; that can be at the seam. `poses(time_s)` gives
// the poses of all slots.
template <class Poses>
double typicalMaxChange(const std::vector<std::size_t>& slots, const TimeGrid& grid,
                        const Poses& poses) {
  const auto count = toSize((grid.end_s - grid.start_s) / kInterval_s);
  std::vector<double> changes;
  std::vector<RigidPose> before, last = poses(grid.start_s);
  for (std::size_t i = 1; i <= count; ++i) {
    std::vector<RigidPose> now = poses(grid.start_s + static_cast<double>(i) * kInterval_s);
    if (i > 1) changes.push_back(0.0);
    for (std::size_t slot : slots) {
      if (i == 1) continue;
      const Vec3 change = (now[slot].position - last[slot].position) -
                          (last[slot].position - before[slot].position);
      changes.back() = std::max(changes.back(), lengthOf(change) / kInterval_s);
    }
    before = std::move(last);
    last = std::move(now);
  }
  if (changes.empty()) return 0.0;
  const auto max_change = changes.begin() + static_cast<std::ptrdiff_t>(changes.size() * 19 / 20);
  std::nth_element(changes.begin(), max_change, changes.end());
  return *max_change;
}

// Whether the motion of the first frame continues that of the last one: with nearly the same
// velocity, or with a velocity change not larger than inside the clip.
bool continuesMotion(const std::vector<std::size_t>& slots, const std::vector<RigidPose>& first,
                     const std::vector<RigidPose>& second,
                     const std::vector<RigidPose>& before_last, const std::vector<RigidPose>& last,
                     const Carry& carry, double max_change) {
  double highest = 0.0, difference = 0.0;
  for (std::size_t i : slots) {
    const Vec3 start = (second[i].position - first[i].position) / kInterval_s;
    const Vec3 end = carry.vector(last[i].position - before_last[i].position) / kInterval_s;
    highest = std::max({highest, lengthOf(start), lengthOf(end)});
    difference = std::max(difference, lengthOf(start - end));
  }
  return highest > kMoving_mps &&
         difference < std::max(kSameSpeed * highest, kVelocityChangeFactor * max_change);
}

Quat swingOf(const Rig& rig, std::size_t joint, const Motion& clip, const Motion& motion,
             std::size_t frame) {
  const std::size_t node = toSize(rig.slots[toSize(rig.joints[joint].slot)].node);
  return normalizedOrIdentity(
      normalizedOrIdentity(motion.localsOf(frame)[node].rotation) *
      glm::conjugate(normalizedOrIdentity(clip.localsOf(frame)[node].rotation)));
}

}  // namespace

std::optional<Carry> findCycle(const Rig& rig, const DynamicBonesSettings& settings,
                               const Scene& scene, const Motion& clip) {
  const double start_s = clip.grid.start_s, end_s = clip.grid.end_s;
  const bool is_long = end_s - start_s > 4.0 * kInterval_s && clip.grid.frame_count > 2;
  if (settings.loop == LoopPolicy::kOff || !is_long || rig.following_count == 0) {
    return std::nullopt;
  }
  // By time and not by frames, so that the result is the same at every frame rate.
  RigPose pose(rig, scene.metric_from_file);
  MotionCursor cursor(scene.skeleton, clip);
  const auto poses = [&](double time_s) { return posesAt(rig, pose, cursor.at(time_s).locals); };
  const std::vector<RigidPose> first = poses(start_s), second = poses(start_s + kInterval_s);
  const std::vector<RigidPose> before_last = poses(end_s - kInterval_s), last = poses(end_s);
  // The highest node that moves defines how the character travels.
  std::size_t root = 0;
  for (int slot : rig.attachment_slots) {
    if (slot >= 0) root = toSize(slot);
  }
  for (int above = static_cast<int>(root); above >= 0; above = rig.slots[toSize(above)].parent) {
    const bool moves = first[toSize(above)].position != last[toSize(above)].position ||
                       first[toSize(above)].rotation != last[toSize(above)].rotation;
    if (moves) root = toSize(above);
  }
  const Carry carry = groundCarry(first[root], last[root]);
  if (settings.loop == LoopPolicy::kOn) return carry;
  const std::vector<std::size_t> slots = slotsBelow(rig, root);
  if (!isSamePose(slots, first, last, carry)) return std::nullopt;
  const double max_change = typicalMaxChange(slots, clip.grid, poses);
  if (!continuesMotion(slots, first, second, before_last, last, carry, max_change))
    return std::nullopt;
  return carry;
}

int predictCycles(const Rig& rig, const DynamicBonesSettings& settings, double cycle_s) {
  constexpr double kStart_deg = 30.0;  // a swing of usual size
  double slowest_per_s = -1.0;
  for (const Bone& bone : rig.bones) {
    const ChainSettings& chain = settings.chain[toSize(bone.chain)];
    const double angular = 2.0 * kPi * chain.frequency_hz.at(bone.depth) * bone.per_chain;
    const double damping =
        2.0 * chain.damping_ratio.at(bone.depth) * angular + chain.air_drag_per_s.at(bone.depth);
    // Above critical damping the slow root determines the decay.
    const double under = 0.25 * damping * damping - angular * angular;
    const double decay = under > 0.0 ? 0.5 * damping - std::sqrt(under) : 0.5 * damping;
    slowest_per_s = slowest_per_s < 0.0 ? decay : std::min(slowest_per_s, decay);
  }
  const double contraction = slowest_per_s * cycle_s;
  if (!(contraction > 0.0)) return 0;
  const double needed =
      portable::log(std::max(kStart_deg / settings.loop_tolerance_deg, 1.0)) / contraction;
  return static_cast<int>(std::min(std::ceil(needed) + 1.0, 1e6));
}

double seamOf_deg(const Rig& rig, const Motion& clip, const Motion& motion) {
  double seam_rad = 0.0;
  for (std::size_t joint = 0; joint < rig.joints.size(); ++joint) {
    const Quat end = swingOf(rig, joint, clip, motion, motion.grid.frame_count - 1);
    seam_rad = std::max(seam_rad, angleBetween(swingOf(rig, joint, clip, motion, 0), end));
  }
  return seam_rad / kDegree;
}

std::vector<Vec3> startVelocities_degps(const Rig& rig, const Motion& clip, const Motion& motion) {
  const double frame_s = motion.grid.timeOf(1) - motion.grid.timeOf(0);
  std::vector<Vec3> speeds;
  for (std::size_t joint = 0; joint < rig.joints.size(); ++joint) {
    const Quat first = swingOf(rig, joint, clip, motion, 0);
    const Vec3 rotation = rotationVector(first, swingOf(rig, joint, clip, motion, 1));
    speeds.push_back(rotation / (frame_s * kDegree));
  }
  return speeds;
}

void closeSeam(const Rig& rig, const Motion& clip, Motion& motion) {
  const std::size_t count = motion.grid.frame_count;
  const double length_s = motion.grid.end_s - motion.grid.start_s;
  for (std::size_t joint = 0; joint < rig.joints.size(); ++joint) {
    const std::size_t node = toSize(rig.slots[toSize(rig.joints[joint].slot)].node);
    const Quat left =
        normalizedOrIdentity(swingOf(rig, joint, clip, motion, 0) *
                             glm::conjugate(swingOf(rig, joint, clip, motion, count - 1)));
    for (std::size_t frame = 1; frame < count; ++frame) {
      const double s = (motion.grid.timeOf(frame) - motion.grid.start_s) / length_s;
      const Quat added = slerp(kIdentityRotation, left, s * s * (3.0 - 2.0 * s));
      Quat& rotation = motion.frame(frame).locals[node].rotation;
      rotation = normalizedOrIdentity(added * rotation);
    }
  }
}

}  // namespace clipmill::stages::dynamic_bones
