// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/cycle.h"

#include <algorithm>
#include <cmath>

#include "core/portable_math.h"
#include "stages/dynamic_bones/rig/rig_pose.h"

namespace clipmill::bones {
namespace {

// What still counts as the same place and the same motion: keys of cycles are seldom exact.
constexpr double kSamePlace = 0.005;  // of the figure's size
constexpr double kSameTurn_deg = 2.0;
constexpr double kSameSpeed = 0.35;  // of the highest speed at the seam
constexpr double kSharper = 1.25;    // than changes of velocity inside the clip
constexpr double kMoving_mps = 0.02;
// Time over which speeds at the seam are measured.
constexpr double kApart_s = 1.0 / 60.0;

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// Places of all slots that follow the clip.
std::vector<Place> placesAt(const Rig& rig, RigPose& pose, std::span<const Transform> locals) {
  pose.follow(locals);
  std::vector<Place> places;
  for (std::size_t s = 0; s < rig.following_count; ++s) {
    places.push_back(pose.placeOfSlot(static_cast<int>(s)));
  }
  return places;
}

double sizeOf(const std::vector<Place>& places) {
  double size = 0.0;
  for (const Place& place : places) {
    size = std::max(size, lengthOf(place.position - places.front().position));
  }
  return size;
}

// Slots at and below `root`: what is above does not travel along.
std::vector<std::size_t> slotsBelow(const Rig& rig, std::size_t root) {
  std::vector<bool> is_below(rig.following_count, false);
  std::vector<std::size_t> below;
  for (std::size_t s = root; s < rig.following_count; ++s) {
    const int parent = rig.slots[s].parent;
    is_below[s] = s == root || (parent >= 0 && is_below[index(parent)]);
    if (is_below[s]) below.push_back(s);
  }
  return below;
}

bool isSamePose(const std::vector<std::size_t>& slots, const std::vector<Place>& begin,
                const std::vector<Place>& end, const Carry& carry) {
  const double near_m = std::max(kSamePlace * sizeOf(begin), 1e-3);
  for (std::size_t i : slots) {
    if (lengthOf(carry.point(end[i].position) - begin[i].position) > near_m) return false;
    const Quat turned = carry.rotation * end[i].rotation;
    if (angleBetween(turned, begin[i].rotation) > kSameTurn_deg * kDegree) return false;
  }
  return true;
}

// How much a slot's velocity changes where the clip is sharp: at all but a twentieth of its times
// it changes less, so that jumps do not count. What swings to and fro turns round somewhere, and
// may do so at the seam. `places(time_s)` gives those of all slots.
template <class Places>
double sharpChange(const std::vector<std::size_t>& slots, const TimeGrid& grid,
                   const Places& places) {
  const auto count = static_cast<std::size_t>((grid.end_s - grid.begin_s) / kApart_s);
  std::vector<double> changes;
  std::vector<Place> before, last = places(grid.begin_s);
  for (std::size_t i = 1; i <= count; ++i) {
    std::vector<Place> now = places(grid.begin_s + static_cast<double>(i) * kApart_s);
    if (i > 1) changes.push_back(0.0);
    for (std::size_t slot : slots) {
      if (i == 1) continue;
      const Vec3 change = (now[slot].position - last[slot].position) -
                          (last[slot].position - before[slot].position);
      changes.back() = std::max(changes.back(), lengthOf(change) / kApart_s);
    }
    before = std::move(last);
    last = std::move(now);
  }
  if (changes.empty()) return 0.0;
  const auto sharp = changes.begin() + static_cast<std::ptrdiff_t>(changes.size() * 19 / 20);
  std::nth_element(changes.begin(), sharp, changes.end());
  return *sharp;
}

// Whether the way of the first frame goes on from that of the last one: nearly as fast, or with no
// sharper change than there is inside the clip.
bool goesOn(const std::vector<std::size_t>& slots, const std::vector<Place>& first,
            const std::vector<Place>& second, const std::vector<Place>& before_last,
            const std::vector<Place>& last, const Carry& carry, double sharp) {
  double highest = 0.0, difference = 0.0;
  for (std::size_t i : slots) {
    const Vec3 begin = (second[i].position - first[i].position) / kApart_s;
    const Vec3 end = carry.vector(last[i].position - before_last[i].position) / kApart_s;
    highest = std::max({highest, lengthOf(begin), lengthOf(end)});
    difference = std::max(difference, lengthOf(begin - end));
  }
  return highest > kMoving_mps && difference < std::max(kSameSpeed * highest, kSharper * sharp);
}

Quat swingOf(const Rig& rig, std::size_t joint, const Motion& clip, const Motion& motion,
             std::size_t frame) {
  const std::size_t node = index(rig.slots[index(rig.joints[joint].slot)].node);
  return normalizedOrIdentity(
      normalizedOrIdentity(motion.localsOf(frame)[node].rotation) *
      glm::conjugate(normalizedOrIdentity(clip.localsOf(frame)[node].rotation)));
}

}  // namespace

std::optional<Carry> findCycle(const Rig& rig, const DynamicBonesSettings& settings,
                               const Scene& scene, const Motion& clip) {
  const double begin_s = clip.grid.begin_s, end_s = clip.grid.end_s;
  const bool is_long = end_s - begin_s > 4.0 * kApart_s && clip.grid.frame_count > 2;
  if (settings.loop == LoopPolicy::kOff || !is_long || rig.following_count == 0) {
    return std::nullopt;
  }
  // By time and not by frames, so that the answer is the same at every frame rate.
  RigPose pose(rig, scene.metric_from_file);
  MotionCursor cursor(scene.skeleton, clip);
  const auto places = [&](double time_s) { return placesAt(rig, pose, cursor.at(time_s).locals); };
  const std::vector<Place> first = places(begin_s), second = places(begin_s + kApart_s);
  const std::vector<Place> before_last = places(end_s - kApart_s), last = places(end_s);
  // The highest node that moves tells how the figure travels.
  std::size_t root = 0;
  for (int carrier : rig.carriers) {
    if (carrier >= 0) root = index(carrier);
  }
  for (int above = static_cast<int>(root); above >= 0; above = rig.slots[index(above)].parent) {
    const bool moves = first[index(above)].position != last[index(above)].position ||
                       first[index(above)].rotation != last[index(above)].rotation;
    if (moves) root = index(above);
  }
  const Carry carry = groundCarry(first[root], last[root]);
  if (settings.loop == LoopPolicy::kOn) return carry;
  const std::vector<std::size_t> slots = slotsBelow(rig, root);
  if (!isSamePose(slots, first, last, carry)) return std::nullopt;
  const double sharp = sharpChange(slots, clip.grid, places);
  if (!goesOn(slots, first, second, before_last, last, carry, sharp)) return std::nullopt;
  return carry;
}

int predictCycles(const Rig& rig, const DynamicBonesSettings& settings, double cycle_s) {
  constexpr double kStart_deg = 30.0;  // a swing of usual size
  double slowest_per_s = -1.0;
  for (const Bone& bone : rig.bones) {
    const ChainSettings& chain = settings.chain[index(bone.chain)];
    const double angular = 2.0 * kPi * chain.frequency_hz.at(bone.depth) * bone.per_chain;
    const double damping =
        2.0 * chain.damping_ratio.at(bone.depth) * angular + chain.air_drag_per_s.at(bone.depth);
    // Beyond the critical damping the pull sets the pace.
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

std::vector<Vec3> leavingSpeeds_degps(const Rig& rig, const Motion& clip, const Motion& motion) {
  const double frame_s = motion.grid.timeOf(1) - motion.grid.timeOf(0);
  std::vector<Vec3> speeds;
  for (std::size_t joint = 0; joint < rig.joints.size(); ++joint) {
    const Quat first = swingOf(rig, joint, clip, motion, 0);
    const Vec3 turn = turnVector(first, swingOf(rig, joint, clip, motion, 1));
    speeds.push_back(turn / (frame_s * kDegree));
  }
  return speeds;
}

void closeSeam(const Rig& rig, const Motion& clip, Motion& motion) {
  const std::size_t count = motion.grid.frame_count;
  const double length_s = motion.grid.end_s - motion.grid.begin_s;
  for (std::size_t joint = 0; joint < rig.joints.size(); ++joint) {
    const std::size_t node = index(rig.slots[index(rig.joints[joint].slot)].node);
    const Quat left =
        normalizedOrIdentity(swingOf(rig, joint, clip, motion, 0) *
                             glm::conjugate(swingOf(rig, joint, clip, motion, count - 1)));
    for (std::size_t frame = 1; frame < count; ++frame) {
      const double s = (motion.grid.timeOf(frame) - motion.grid.begin_s) / length_s;
      const Quat added = slerp(kIdentityRotation, left, s * s * (3.0 - 2.0 * s));
      Quat& rotation = motion.frame(frame).locals[node].rotation;
      rotation = normalizedOrIdentity(added * rotation);
    }
  }
}

}  // namespace clipmill::bones
