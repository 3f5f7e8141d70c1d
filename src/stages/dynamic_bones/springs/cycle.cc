// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/cycle.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/math.h"
#include "core/portable_math.h"
#include "core/smooth_step.h"
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

// 3 s^2 - 2 s^3 of the part s of the cycle that has passed at a frame.
double easedPart(const TimeGrid& grid, std::size_t frame) {
  return smoothStep(grid.start_s, grid.end_s, grid.timeOf(frame));
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

std::vector<double> seamsOf_rad(const Rig& rig, const Motion& clip, const Motion& motion) {
  std::vector<double> seams;
  for (std::size_t joint = 0; joint < rig.joints.size(); ++joint) {
    const Quat end = swingOf(rig, joint, clip, motion, motion.grid.frame_count - 1);
    seams.push_back(angleBetween(swingOf(rig, joint, clip, motion, 0), end));
  }
  return seams;
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

void closeSeam(const Rig& rig, const Motion& clip, std::span<const std::size_t> joints,
               Motion& motion) {
  const std::size_t count = motion.grid.frame_count;
  for (std::size_t joint : joints) {
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

ChainCycle::ChainCycle(const Rig& rig, const DynamicBonesSettings& settings, const Motion& clip,
                       std::size_t chain)
    : rig_(rig), settings_(settings), clip_(clip) {
  for (std::size_t joint = 0; joint < rig.joints.size(); ++joint) {
    const Joint& owner = rig.joints[joint];
    if (toSize(rig.bones[owner.bones_start].chain) != chain) continue;
    joints_.push_back(joint);
    nodes_.push_back(toSize(rig.slots[toSize(owner.slot)].node));
  }
  for (const Bone& bone : rig.bones) {
    if (toSize(bone.chain) == chain && stretches(bone, settings)) {
      nodes_.push_back(toSize(bone.tail_node));
    }
  }
  std::sort(nodes_.begin(), nodes_.end());
  nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
}

std::vector<Transform> ChainCycle::localsOf(const Motion& cycle) const {
  std::vector<Transform> locals;
  locals.reserve(cycle.grid.frame_count * nodes_.size());
  for (std::size_t frame = 0; frame < cycle.grid.frame_count; ++frame) {
    for (std::size_t node : nodes_) locals.push_back(cycle.localsOf(frame)[node]);
  }
  return locals;
}

// Whether more cycles bring the seam down: contacts can keep a large one for ever.
bool ChainCycle::decreases(double seam_deg) {
  constexpr int kPatience = 4;
  if (seam_deg < 0.5 * mark_deg_) {
    mark_deg_ = seam_deg;
    since_mark_ = 0;
    return true;
  }
  return ++since_mark_ < kPatience;
}

bool ChainCycle::isFinished(double seam_deg) {
  const bool closes = seam_deg <= settings_.loop_tolerance_deg;
  if (closes && std::exchange(has_closed_, true)) return true;
  return !decreases(seam_deg) || cycles_ >= std::max<std::int64_t>(settings_.max_loop_cycles, 2);
}

void ChainCycle::take(const Motion& cycle, double seam_deg, std::span<const Vec3> speeds_degps,
                      std::span<const Vec3> last_speeds_degps) {
  seam_deg_ = seam_deg;
  seam_degps_ = 0.0;
  for (std::size_t joint : joints_) {
    const double jump_degps = lengthOf(speeds_degps[joint] - last_speeds_degps[joint]);
    seam_degps_ = std::max(seam_degps_, jump_degps);
  }
  best_ = localsOf(cycle);
  after_best_.clear();
}

bool ChainCycle::needsAnother(const Motion& cycle, std::span<const double> seams_rad,
                              std::span<const Vec3> speeds_degps,
                              std::span<const Vec3> last_speeds_degps) {
  constexpr int kFewestCycles = 2;
  if (joints_.empty()) return false;
  if (isOpen() && !isPulled() && after_best_.empty()) after_best_ = localsOf(cycle);
  if (has_finished_) return false;
  double seam_deg = 0.0, squares = 0.0;
  for (std::size_t joint : joints_) {
    const double joint_deg = seams_rad[joint] / kDegree;
    seam_deg = std::max(seam_deg, joint_deg);
    squares += joint_deg * joint_deg;
  }
  const double mean_deg = std::sqrt(squares / static_cast<double>(joints_.size()));
  if (++cycles_ >= kFewestCycles && mean_deg <= mean_seam_deg_) {
    mean_seam_deg_ = mean_deg;
    take(cycle, seam_deg, speeds_degps, last_speeds_degps);
  }
  has_finished_ = isFinished(seam_deg);
  if (!has_finished_) return true;
  return isOpen() && !isPulled() && after_best_.empty();
}

bool ChainCycle::isOpen() const {
  return !best_.empty() && seam_deg_ > settings_.loop_tolerance_deg;
}

bool ChainCycle::isPulled() const {
  return isOpen() && settings_.method == DynamicBonesMethod::kRod;
}

void ChainCycle::write(Motion& out) const {
  if (isPulled()) return closeSeam(rig_, clip_, joints_, out);
  const bool is_closed = !isOpen();
  for (std::size_t frame = 0; frame < out.grid.frame_count && !best_.empty(); ++frame) {
    const double part = easedPart(out.grid, frame);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      Transform& local = out.frame(frame).locals[nodes_[i]];
      local = best_[frame * nodes_.size() + i];
      if (is_closed) continue;
      const Transform& after = after_best_[frame * nodes_.size() + i];
      if (after == local) continue;
      local.translation = after.translation + (local.translation - after.translation) * part;
      local.rotation = slerp(after.rotation, local.rotation, part);
    }
  }
  if (is_closed) closeSeam(rig_, clip_, joints_, out);
}

CycleChoice::CycleChoice(const Rig& rig, const DynamicBonesSettings& settings, const Motion& clip)
    : rig_(rig), clip_(clip) {
  for (std::size_t chain = 0; chain < settings.chain.size(); ++chain) {
    chains_.emplace_back(rig, settings, clip, chain);
  }
}

bool CycleChoice::needsAnother(const Motion& cycle) {
  const std::vector<double> seams = seamsOf_rad(rig_, clip_, cycle);
  std::vector<Vec3> speeds_degps = startVelocities_degps(rig_, clip_, cycle);
  if (speeds_degps_.empty()) speeds_degps_ = speeds_degps;
  bool needs_another = false;
  for (ChainCycle& chain : chains_) {
    const bool is_open = chain.needsAnother(cycle, seams, speeds_degps, speeds_degps_);
    needs_another = needs_another || is_open;
  }
  speeds_degps_ = std::move(speeds_degps);
  ++cycles_;
  return needs_another;
}

bool CycleChoice::needsPulled() const {
  return std::any_of(chains_.begin(), chains_.end(),
                     [](const ChainCycle& chain) { return chain.isPulled(); });
}

void CycleChoice::write(Motion& out) const {
  for (const ChainCycle& chain : chains_) chain.write(out);
}

double CycleChoice::seam_deg() const {
  double largest = 0.0;
  for (const ChainCycle& chain : chains_) largest = std::max(largest, chain.seam_deg());
  return largest;
}

double CycleChoice::seam_degps() const {
  double largest = 0.0;
  for (const ChainCycle& chain : chains_) largest = std::max(largest, chain.seam_degps());
  return largest;
}

}  // namespace clipmill::stages::dynamic_bones
