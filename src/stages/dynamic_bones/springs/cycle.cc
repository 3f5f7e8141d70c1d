// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/cycle.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "core/portable_math.h"
#include "core/to_size.h"

namespace clipmill::stages::dynamic_bones {
namespace {

Quat swingOf(const Rig& rig, std::size_t joint, const Motion& clip, const Motion& motion,
             std::size_t frame) {
  const std::size_t node = toSize(rig.slots[toSize(rig.joints[joint].slot)].node);
  return normalizedOrIdentity(
      normalizedOrIdentity(motion.localsOf(frame)[node].rotation) *
      glm::conjugate(normalizedOrIdentity(clip.localsOf(frame)[node].rotation)));
}

}  // namespace

double slowestDecay_per_s(const Rig& rig, const DynamicBonesSettings& settings) {
  double slowest_per_s = -1.0;
  for (const Bone& bone : rig.bones) {
    const ChainSettings& chain = settings.chain[toSize(bone.chain)];
    const double angular = 2.0 * kPi *
                           bone.own.frequency_hz.value_or(chain.frequency_hz.at(bone.depth)) *
                           bone.per_chain;
    const double damping =
        2.0 * bone.own.damping_ratio.value_or(chain.damping_ratio.at(bone.depth)) * angular +
        bone.own.air_drag_per_s.value_or(chain.air_drag_per_s.at(bone.depth));
    // Above critical damping the slow root determines the decay.
    const double under = 0.25 * damping * damping - angular * angular;
    const double decay = under > 0.0 ? 0.5 * damping - std::sqrt(under) : 0.5 * damping;
    slowest_per_s = slowest_per_s < 0.0 ? decay : std::min(slowest_per_s, decay);
  }
  return slowest_per_s;
}

int predictCycles(double decay_per_s, const DynamicBonesSettings& settings, double cycle_s) {
  constexpr double kStart_deg = 30.0;  // a swing of usual size
  const double contraction = decay_per_s * cycle_s;
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
