// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/cycle.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

// Of each joint, between the end and the start of a cycle.
std::vector<double> seams_rad(const Rig& rig, const Motion& clip, const Motion& motion) {
  std::vector<double> seams;
  for (std::size_t joint = 0; joint < rig.joints.size(); ++joint) {
    const Quat end = swingOf(rig, joint, clip, motion, motion.grid.frame_count - 1);
    seams.push_back(angleBetween(swingOf(rig, joint, clip, motion, 0), end));
  }
  return seams;
}

double maxDifference(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double max_difference = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i)
    max_difference = std::max(max_difference, glm::length(a[i] - b[i]));
  return max_difference;
}

// 3 s^2 - 2 s^3 of the part s of the cycle that has passed at a frame.
double easedPart(const TimeGrid& grid, std::size_t frame) {
  const double s = (grid.timeOf(frame) - grid.start_s) / (grid.end_s - grid.start_s);
  return s * s * (3.0 - 2.0 * s);
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
  for (double seam : seams_rad(rig, clip, motion)) seam_rad = std::max(seam_rad, seam);
  return seam_rad / kDegree;
}

double meanSeamOf_deg(const Rig& rig, const Motion& clip, const Motion& motion) {
  double squares = 0.0;
  for (double seam : seams_rad(rig, clip, motion)) squares += seam * seam;
  return std::sqrt(squares / static_cast<double>(std::max<std::size_t>(rig.joints.size(), 1))) /
         kDegree;
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
  for (std::size_t joint = 0; joint < rig.joints.size(); ++joint) {
    const std::size_t node = toSize(rig.slots[toSize(rig.joints[joint].slot)].node);
    const Quat left =
        normalizedOrIdentity(swingOf(rig, joint, clip, motion, 0) *
                             glm::conjugate(swingOf(rig, joint, clip, motion, count - 1)));
    for (std::size_t frame = 1; frame < count; ++frame) {
      const Quat added = slerp(kIdentityRotation, left, easedPart(motion.grid, frame));
      Quat& rotation = motion.frame(frame).locals[node].rotation;
      rotation = normalizedOrIdentity(added * rotation);
    }
  }
}

// Whether more cycles bring the seam down: contacts can keep a large one for ever.
bool CycleChoice::decreases(double seam_deg) {
  constexpr int kPatience = 6;
  if (seam_deg < 0.5 * mark_deg_) {
    mark_deg_ = seam_deg;
    since_mark_ = 0;
    return true;
  }
  return ++since_mark_ < kPatience;
}

bool CycleChoice::isFinished(double seam_deg) {
  const bool closes = seam_deg <= settings_.loop_tolerance_deg;
  if (closes && std::exchange(has_closed_, true)) return true;
  return !decreases(seam_deg) || cycles_ >= std::max<std::int64_t>(settings_.max_loop_cycles, 2);
}

bool CycleChoice::needsAnother(const Motion& cycle) {
  constexpr int kFewestCycles = 2;
  const std::vector<Vec3> last_speeds =
      std::exchange(speeds_, startVelocities_degps(rig_, clip_, cycle));
  if (!best_.empty() && after_best_.empty()) after_best_ = cycle.locals;
  if (has_finished_) return false;
  const double seam_deg = seamOf_deg(rig_, clip_, cycle);
  const double mean_deg = meanSeamOf_deg(rig_, clip_, cycle);
  if (++cycles_ >= kFewestCycles && mean_deg <= mean_seam_deg_) {
    mean_seam_deg_ = mean_deg;
    seam_deg_ = seam_deg;
    seam_degps_ = maxDifference(speeds_, last_speeds);
    best_ = cycle.locals;
    after_best_.clear();
  }
  has_finished_ = isFinished(seam_deg);
  if (!has_finished_) return true;
  return seam_deg_ > settings_.loop_tolerance_deg && after_best_.empty();
}

void CycleChoice::write(Motion& out) const {
  out.locals = best_;
  if (seam_deg_ <= settings_.loop_tolerance_deg) return closeSeam(rig_, clip_, out);
  for (std::size_t frame = 0; frame < out.grid.frame_count; ++frame) {
    const double part = easedPart(out.grid, frame);
    for (std::size_t node = 0; node < out.node_count; ++node) {
      const Transform& after = after_best_[frame * out.node_count + node];
      Transform& local = out.frame(frame).locals[node];
      if (after == local) continue;
      local.translation = after.translation + (local.translation - after.translation) * part;
      local.rotation = slerp(after.rotation, local.rotation, part);
    }
  }
}

}  // namespace clipmill::stages::dynamic_bones
