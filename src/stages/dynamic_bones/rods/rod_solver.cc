// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rods/rod_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/to_size.h"
#include "stages/dynamic_bones/rods/rod_build.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Differences below this are rounding.
constexpr double kSameEnd_m = 1e-11;

// Steps shorter than this share of a full one end a clip off the grid. Differences over them are
// mostly rounding and kinks of linear keys, so that they change positions alone.
constexpr double kShortStep = 0.5;

// Puts the strains before the step where the new ones have the old rates.
void keepStrainRates(RodBatch& batch) {
  for (std::size_t i = 0; i < batch.stiffness.size(); ++i) {
    const Vec3 change = batch.strain.at(i) - batch.strain_before.at(i);
    batch.strain.set(i, batch.next_strain.at(i) - change);
  }
}

// `count` values of `from`, from index i on, to those of `to` from k on.
void copyRun(const Vec3Lanes& from, std::size_t i, std::size_t count, Vec3Lanes& to,
             std::size_t k) {
  std::copy_n(from.x.data() + i, count, to.x.data() + k);
  std::copy_n(from.y.data() + i, count, to.y.data() + k);
  std::copy_n(from.z.data() + i, count, to.z.data() + k);
}

// Whether these points differ by rounding alone.
bool isSameRun(const Vec3Lanes& a, std::size_t i, std::size_t count, const Vec3Lanes& b,
               std::size_t k) {
  double farthest_m2 = 0.0;
  for (std::size_t t = 0; t < count; ++t) {
    const double x = a.x[i + t] - b.x[k + t], y = a.y[i + t] - b.y[k + t],
                 z = a.z[i + t] - b.z[k + t];
    farthest_m2 = std::max(farthest_m2, x * x + y * y + z * z);
  }
  return farthest_m2 <= kSameEnd_m * kSameEnd_m;
}

void carryPoint(const Carry& map, RodPointLanes& points, std::size_t i) {
  points.position_m.set(i, map.point(points.position_m.at(i)));
  for (Vec3Lanes* part :
       {&points.velocity_mps, &points.algorithmic_mps2, &points.acceleration_mps2}) {
    part->set(i, map.vector(part->at(i)));
  }
}

}  // namespace

RodSolver::RodSolver(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene,
                     const SpringLayout& layout, const std::vector<SpringBone>& bones)
    : rig_(rig),
      settings_(settings),
      scene_(scene),
      layout_(layout),
      system_(makeRods(rig, settings, scene, layout)),
      batches_of_level_(layout.levels.size()),
      penetrations_(rig, scene, bones, system_) {
  for (std::size_t b = 0; b < system_.batches.size(); ++b) {
    batches_of_level_[system_.batches[b].level].push_back(b);
  }
  findRuns();
}

void RodSolver::findRuns() {
  for (const RodBatch& batch : system_.batches) {
    std::vector<LaneRun> runs(batch.bone_count);
    for (std::size_t b = 0; b < batch.bone_count; ++b) {
      LaneRun run;
      for (std::size_t t = 0; t < batch.trees.size(); ++t) {
        const int bone = batch.rig_bones[RodBatch::at(b, t)];
        const std::size_t lane = bone < 0 ? layout_.lane_count : layout_.lane_of[toSize(bone)];
        if (t == 0) run.start = lane;
        if (bone < 0 || lane != run.start + t) break;
        ++run.count;
      }
      if (run.count == batch.trees.size()) runs[b] = run;
    }
    runs_.push_back(std::move(runs));
  }
}

bool RodSolver::hangsOnClip() const {
  return std::all_of(system_.batches.begin(), system_.batches.end(),
                     [](const RodBatch& batch) { return batch.level == 0; });
}

void RodSolver::pose(std::span<const Transform> locals) {
  takePose(rig_, settings_, scene_, locals, system_);
}

RodSolver::Base RodSolver::baseOf(const RodTree& tree, std::span<const Affine> worlds,
                                  const SpringLanes& lanes) const {
  const Joint& joint = rig_.joints[tree.joints.front()];
  const int parent = rig_.slots[toSize(joint.slot)].parent;
  const Affine& above = worlds[parent < 0 ? rig_.slots.size() : toSize(parent)];
  const std::size_t i = layout_.lane_of[joint.bones_start];
  return {transformPoint(above, lanes.joint_translation.at(i)), rotationOf(above)};
}

void RodSolver::takeBases(RodBatch& batch, std::span<const Affine> worlds,
                          const SpringLanes& lanes) {
  for (std::size_t t : batch.trees) {
    const RodTree& tree = system_.trees[t];
    const Base base = baseOf(tree, worlds, lanes);
    batch.next_head.position_m.set(tree.lane, base.head_m);
    batch.world_from_base.set(tree.lane, base.world_from_parent);
  }
}

void RodSolver::start(const SpringLanes& lanes, std::span<const Affine> worlds) {
  for (RodTree& tree : system_.trees) tree.is_new = true;
  for (RodBatch& batch : system_.batches) {
    for (std::size_t at = 0; at < batch.rig_bones.size(); ++at) {
      if (batch.rig_bones[at] < 0) continue;
      const std::size_t i = layout_.lane_of[toSize(batch.rig_bones[at])];
      if (lanes.length_m[i] > 0.0 && std::isfinite(lanes.length_m[i])) {
        batch.length_m[at] = lanes.length_m[i];
      }
      const Vec3 end = lanes.head.at(i) + lanes.bone.at(i);
      batch.end.setStill(at, end, Vec3(0.0));
      batch.next.position_m.set(at, end);
    }
    takeBases(batch, worlds, lanes);
    orientRods(batch, kAllLanes);
    batch.head.assign(kLaneBlock);
    batch.head.position_m = batch.next_head.position_m;
    batch.strain = batch.strain_before = batch.next_strain;
  }
}

void RodSolver::setVelocity(std::size_t bone, const Vec3& velocity_mps) {
  const auto [batch, at] = system_.location_of_bone[bone];
  RodPointLanes& end = system_.batches[batch].end;
  end.setStill(at, end.position_m.at(at), velocity_mps);
}

void RodSolver::addVelocity(std::size_t bone, const Vec3& velocity_mps) {
  const auto [batch, at] = system_.location_of_bone[bone];
  Vec3Lanes& velocities = system_.batches[batch].end.velocity_mps;
  velocities.set(at, velocities.at(at) + velocity_mps);
  system_.trees[system_.tree_of_joint[toSize(rig_.bones[bone].joint)]].is_new = true;
}

void RodSolver::setVelocities(const SpringLanes& lanes) {
  for (std::size_t b = 0; b < rig_.bones.size(); ++b) {
    setVelocity(b, lanes.pose_velocity.at(layout_.lane_of[b]));
  }
}

void RodSolver::setWind(std::size_t bone, const Vec3& wind_mps2) {
  const auto [batch, at] = system_.location_of_bone[bone];
  system_.batches[batch].wind_mps2.set(at, wind_mps2);
}

void RodSolver::startStep(double step_s, double ratio) {
  if (step_s != time_.step_s) time_ = makeRodTime(step_s);
  if (ratio == ratio_) return;
  // Strain rates count by steps.
  const double scale = ratio / ratio_;
  for (RodBatch& batch : system_.batches) {
    for (std::size_t i = 0; i < batch.stiffness.size(); ++i) {
      const Vec3 strain = batch.strain.at(i), before = batch.strain_before.at(i);
      batch.strain_before.set(i, strain - (strain - before) * scale);
    }
  }
  ratio_ = ratio;
}

void RodSolver::carry(int chain, const Carry& map) {
  for (const RodTree& tree : system_.trees) {
    if (tree.chain != chain) continue;
    RodBatch& batch = system_.batches[tree.batch];
    carryPoint(map, batch.head, tree.lane);
    for (std::size_t b = 0; b < batch.bone_count; ++b) {
      const std::size_t at = RodBatch::at(b, tree.lane);
      if (batch.rig_bones[at] < 0) continue;
      carryPoint(map, batch.end, at);
      batch.direction.set(at, map.vector(batch.direction.at(at)));
    }
  }
}

std::size_t RodSolver::move(std::size_t level, std::span<const Affine> worlds,
                            const SpringLanes& lanes) {
  std::size_t unsolved = 0;
  for (std::size_t b : batches_of_level_[level]) {
    RodBatch& batch = system_.batches[b];
    takeBases(batch, worlds, lanes);
    for (std::size_t t : batch.trees) {
      RodTree& tree = system_.trees[t];
      if (!std::exchange(tree.is_new, false)) continue;
      const Vec3 head_m = batch.head.position_m.at(tree.lane);
      const Vec3 path = batch.next_head.position_m.at(tree.lane) - head_m;
      batch.head.setStill(tree.lane, head_m, path / time_.step_s);
    }
    unsolved += solveRodStep(batch, time_);
  }
  return unsolved;
}

void RodSolver::findPenetrations(const SteppedSolids& stepped, bool after_hold, double beyond_m,
                                 std::vector<RodContact>& contacts) {
  if (stepped.solids.empty()) return;
  for (std::size_t b = 0; b < system_.batches.size(); ++b) {
    if (after_hold && system_.batches[b].open_lanes == 0) continue;
    penetrations_.find(system_, b, beyond_m, stepped, contacts);
  }
}

void RodSolver::givePoints(std::size_t level, SpringLanes& lanes) const {
  for (std::size_t index : batches_of_level_[level]) {
    const RodBatch& batch = system_.batches[index];
    for (std::size_t b = 0; b < batch.bone_count; ++b) {
      const LaneRun& run = runs_[index][b];
      copyRun(batch.next.position_m, RodBatch::at(b, 0), run.count, lanes.point, run.start);
      for (std::size_t t = run.count; t < batch.trees.size(); ++t) {
        const std::size_t at = RodBatch::at(b, t);
        if (batch.rig_bones[at] < 0) continue;
        lanes.point.set(layout_.lane_of[toSize(batch.rig_bones[at])], batch.next.position_m.at(at));
      }
    }
  }
}

void RodSolver::release() {
  for (RodBatch& batch : system_.batches) {
    if (!std::exchange(batch.is_held, false)) continue;
    for (RodHoldLanes& hold : batch.holds) hold.assign(batch.rig_bones.size());
  }
}

// The batch of a bone, prepared for holds.
RodBatch& RodSolver::heldBatch(std::size_t bone) {
  RodBatch& batch = system_.batches[system_.location_of_bone[bone].batch];
  if (!std::exchange(batch.is_held, true)) {
    batch.free = batch.next;
    std::fill(batch.is_unsolved.begin(), batch.is_unsolved.end(), 0.0);
  }
  return batch;
}

void RodSolver::hold(const RodContact& contact) {
  const std::size_t at = system_.location_of_bone[contact.bone].at;
  RodBatch& batch = heldBatch(contact.bone);
  // The hold of the same solid, or a free one.
  RodHoldLanes* chosen = nullptr;
  for (std::size_t n = batch.holds.size(); n-- > 0;) {
    RodHoldLanes& hold = batch.holds[n];
    if (hold.source[at] == contact.solid) {
      chosen = &hold;
      break;
    }
    if (hold.source[at] == RodHoldLanes::kNone) chosen = &hold;
  }
  if (!chosen) return;
  chosen->source[at] = contact.solid;
  chosen->normal.set(at, contact.normal);
  chosen->share[at] = contact.share;
  chosen->offset_m[at] = glm::dot(contact.normal, contact.point_m) + contact.correction_m;
  chosen->speed_mps[at] = contact.speed_mps;
  chosen->friction[at] = contact.friction;
}

bool RodSolver::hold(std::span<const RodContact> contacts, double least_m) {
  const auto treeOf = [&](const RodContact& contact) -> const RodTree& {
    return system_.trees[system_.tree_of_joint[toSize(rig_.bones[contact.bone].joint)]];
  };
  for (RodBatch& batch : system_.batches) batch.open_lanes = 0;
  bool has_open = false;
  for (const RodContact& contact : contacts) {
    if (!(contact.correction_m > least_m)) continue;
    const RodTree& tree = treeOf(contact);
    system_.batches[tree.batch].open_lanes |= 1U << tree.lane;
    has_open = true;
  }
  for (const RodContact& contact : contacts) {
    const RodTree& tree = treeOf(contact);
    if ((system_.batches[tree.batch].open_lanes >> tree.lane & 1U) != 0) hold(contact);
  }
  return has_open;
}

std::size_t RodSolver::solveHeld() {
  std::size_t unsolved = 0;
  for (RodBatch& batch : system_.batches) {
    if (batch.open_lanes != 0) unsolved += solveHeldRodStep(batch, time_);
  }
  return unsolved;
}

void RodSolver::rotateOut(const SpringLanes& lanes) {
  for (RodBatch& batch : system_.batches) {
    for (std::size_t at = 0; at < batch.rig_bones.size(); ++at) {
      if (batch.rig_bones[at] < 0) continue;
      const std::size_t i = layout_.lane_of[toSize(batch.rig_bones[at])];
      batch.next.position_m.set(at, lanes.point.at(i));
    }
    rotateRodsOut(batch);
    slowMoved(batch, lanes);
  }
}

// Skin that is pushed out of the body loses speed, as cloth does that is pressed.
void RodSolver::slowMoved(RodBatch& batch, const SpringLanes& lanes) const {
  constexpr double kKept = 0.9;  // of the speed relative to the head, in a step
  constexpr double kMoved_m = 3e-4;
  std::uint32_t moved = 0;
  for (std::size_t at = 0; at < batch.rig_bones.size(); ++at) {
    if (batch.rig_bones[at] < 0) continue;
    const std::size_t i = layout_.lane_of[toSize(batch.rig_bones[at])];
    const Vec3 path = batch.next.position_m.at(at) - lanes.point.at(i);
    if (glm::dot(path, path) > kMoved_m * kMoved_m) moved |= 1U << (at % kLaneBlock);
  }
  for (std::size_t at = 0; moved != 0 && at < batch.rig_bones.size(); ++at) {
    if (batch.rig_bones[at] < 0 || (moved >> (at % kLaneBlock) & 1U) == 0) continue;
    const Vec3 carried = batch.next_head.velocity_mps.at(at % kLaneBlock);
    const Vec3 velocity = batch.next.velocity_mps.at(at);
    batch.next.velocity_mps.set(at, carried + (velocity - carried) * kKept);
  }
}

void RodSolver::applyImpulses() {
  for (RodBatch& batch : system_.batches) {
    if (batch.is_held) applyHoldImpulses(batch, time_);
  }
}

void RodSolver::readVelocities(std::span<Vec3> velocities_mps) const {
  for (std::size_t b = 0; b < velocities_mps.size(); ++b) {
    const auto [batch, at] = system_.location_of_bone[b];
    velocities_mps[b] = system_.batches[batch].next.velocity_mps.at(at);
  }
}

void RodSolver::writeVelocities(std::span<const Vec3> velocities_mps) {
  for (std::size_t b = 0; b < velocities_mps.size(); ++b) {
    const auto [batch, at] = system_.location_of_bone[b];
    system_.batches[batch].next.velocity_mps.set(at, velocities_mps[b]);
  }
}

Quat RodSolver::forkSwing(std::size_t joint) const {
  const RodTree& tree = system_.trees[system_.tree_of_joint[joint]];
  const RodBatch& batch = system_.batches[tree.batch];
  const auto found = std::find(tree.joints.begin(), tree.joints.end(), joint);
  const std::size_t i = RodBatch::at(toSize(found - tree.joints.begin()), tree.lane);
  Quat swing = glm::conjugate(batch.world_from_parent.at(i)) * batch.world_from_joint.at(i) *
               glm::conjugate(batch.rolled.at(i));
  if (tree.is_mirrored) swing = Quat(swing.w, swing.x, -swing.y, -swing.z);
  return normalizedOrIdentity(swing.w < 0.0 ? -swing : swing);
}

// Sets `next` to where neighbours and limits put an end.
void RodSolver::takeEnd(RodBatch& batch, std::size_t at, std::size_t lane,
                        const SpringLanes& lanes) {
  const Vec3 end = lanes.point.at(lane);
  batch.next.position_m.set(at, end);
  // Neighbours change velocities by themselves; a limit stops an end.
  const Bone& bone = rig_.bones[toSize(batch.rig_bones[at])];
  if (settings_.chain[toSize(bone.chain)].limit == LimitShape::kNone) return;
  batch.next.velocity_mps.set(at, (end - batch.end.position_m.at(at)) / time_.step_s);
}

// The same for all ends of a batch; returns the lanes in which one moved.
std::uint32_t RodSolver::takeEnds(std::size_t index, const SpringLanes& lanes) {
  RodBatch& batch = system_.batches[index];
  std::uint32_t moved = 0;
  for (std::size_t b = 0; b < batch.bone_count; ++b) {
    const LaneRun& run = runs_[index][b];
    if (run.count > 0 &&
        isSameRun(batch.next.position_m, RodBatch::at(b, 0), run.count, lanes.point, run.start)) {
      continue;
    }
    for (std::size_t t = 0; t < batch.trees.size(); ++t) {
      const std::size_t at = RodBatch::at(b, t);
      if (batch.rig_bones[at] < 0) continue;
      const std::size_t lane = layout_.lane_of[toSize(batch.rig_bones[at])];
      const Vec3 move = lanes.point.at(lane) - batch.next.position_m.at(at);
      if (!(glm::dot(move, move) > kSameEnd_m * kSameEnd_m)) continue;
      takeEnd(batch, at, lane, lanes);
      moved |= 1U << t;
    }
  }
  return moved;
}

void RodSolver::finishStep(const SpringLanes& lanes) {
  const bool is_short = ratio_ < kShortStep;
  for (std::size_t b = 0; b < system_.batches.size(); ++b) {
    RodBatch& batch = system_.batches[b];
    const std::uint32_t moved = takeEnds(b, lanes);
    if (moved != 0) orientRods(batch, moved);
    if (is_short) keepStrainRates(batch);
    std::swap(batch.strain_before, batch.strain);
    std::swap(batch.strain, batch.next_strain);
    if (is_short) {
      batch.end.position_m = batch.next.position_m;
      batch.head.position_m = batch.next_head.position_m;
    } else {
      std::swap(batch.end, batch.next);
      std::swap(batch.head, batch.next_head);
    }
  }
}

void RodSolver::reset(std::size_t bone, const SpringLanes& lanes) {
  const std::size_t i = layout_.lane_of[bone];
  const auto [index, at] = system_.location_of_bone[bone];
  RodBatch& batch = system_.batches[index];
  batch.end.setStill(at, lanes.target.at(i), lanes.pose_velocity.at(i));
  batch.direction.set(at, lanes.target.at(i) - lanes.head.at(i));
  const std::size_t joint = toSize(rig_.bones[bone].joint);
  const RodTree& tree = system_.trees[system_.tree_of_joint[joint]];
  const auto found = std::find(tree.joints.begin(), tree.joints.end(), joint);
  const std::size_t k = RodBatch::at(toSize(found - tree.joints.begin()), tree.lane);
  batch.strain.set(k, Vec3(0.0));
  batch.strain_before.set(k, Vec3(0.0));
}

std::size_t RodSolver::stiffenedCount() const {
  return toSize(std::count_if(system_.trees.begin(), system_.trees.end(),
                              [](const RodTree& tree) { return tree.is_stiffened; }));
}

double RodSolver::slowestDecay_per_s() const {
  double slowest_per_s = std::numeric_limits<double>::infinity();
  for (const RodTree& tree : system_.trees) {
    slowest_per_s = std::min(slowest_per_s, tree.decay_per_s);
  }
  return slowest_per_s;
}

}  // namespace clipmill::stages::dynamic_bones
