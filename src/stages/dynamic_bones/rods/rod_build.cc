// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rods/rod_build.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/rig/rig_pose.h"
#include "stages/dynamic_bones/rods/rod_batches.h"
#include "stages/dynamic_bones/rods/rod_step.h"
#include "stages/dynamic_bones/rods/rod_stiffness.h"
#include "stages/dynamic_bones/springs/spring_bones.h"

namespace clipmill::stages::dynamic_bones {
namespace {

constexpr double kMinLength_m = 1e-6;
constexpr double kStableMargin = 1.5;

const Slot& slotOfJoint(const Rig& rig, std::size_t joint) {
  return rig.slots[toSize(rig.joints[joint].slot)];
}

void fillBones(const Rig& rig, const DynamicBonesSettings& settings, RodSystem& system) {
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    const Bone& bone = rig.bones[b];
    const ChainSettings& chain = settings.chain[toSize(bone.chain)];
    const auto [index, at] = system.location_of_bone[b];
    RodBatch& batch = system.batches[index];
    batch.length_m[at] = std::max(bone.rest_length_m, kMinLength_m);
    const double thickness =
        bone.own.thickness.value_or(chain.thickness.at(0.5 * (bone.head_depth + bone.depth)));
    batch.mass[at] = batch.length_m[at] * thickness * thickness;
    batch.tree_mass[at % kLaneBlock] += batch.mass[at];
    batch.air_drag_per_s[at] =
        bone.own.air_drag_per_s.value_or(chain.air_drag_per_s.at(bone.depth));
    batch.gravity_mps2[at] = bone.own.gravity_mps2.value_or(chain.gravity_mps2.at(bone.depth));
  }
}

double meanOf(const Curve& curve) {
  constexpr int kSamples = 16;
  double sum = 0.0;
  for (int i = 0; i < kSamples; ++i) sum += curve.at((i + 0.5) / kSamples);
  return sum / kSamples;
}

// The tree alone, bones as in its batch.
struct TreeShape {
  RodShape shape;
  std::vector<std::size_t> longest;  // from root to tip
};

// Stiffness of a joint for a rigidity of 1.
double bendOf(const DynamicBonesSettings& settings, const RodShape& shape,
              const RodShape::Joint& joint, const Bone& first) {
  double half_m = 0.0;
  for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
    half_m += 0.5 * shape.bones[b].length_m;
  }
  half_m /= static_cast<double>(joint.bones_end - joint.bones_start);
  if (joint.parent_bone >= 0) half_m += 0.5 * shape.bones[toSize(joint.parent_bone)].length_m;
  const ChainSettings& chain = settings.chain[toSize(first.chain)];
  const double thickness = first.own.thickness.value_or(chain.thickness.at(first.head_depth));
  double relative = first.own.stiffness.value_or(chain.stiffness.at(first.head_depth)) * thickness *
                    thickness * thickness * thickness;
  if (!chain.droop_deg && chain.frequency_hz.points.size() > 1) {
    const double mean = meanOf(chain.frequency_hz);
    const double share = mean > 0.0 ? chain.frequency_hz.at(first.head_depth) / mean : 1.0;
    relative *= share * share;
  }
  return relative / half_m;
}

// The bones from the root to the tip that is farthest from it along the tree.
std::vector<std::size_t> longestPath(const RodShape& shape) {
  std::vector<double> reach;
  std::size_t farthest = 0;
  const auto parentOf = [&](std::size_t b) {
    return shape.joints[toSize(shape.bones[b].joint)].parent_bone;
  };
  for (std::size_t b = 0; b < shape.bones.size(); ++b) {
    const int parent = parentOf(b);
    reach.push_back(shape.bones[b].length_m + (parent < 0 ? 0.0 : reach[toSize(parent)]));
    if (reach[b] > reach[farthest]) farthest = b;
  }
  std::vector<std::size_t> path;
  for (int b = static_cast<int>(farthest); b >= 0; b = parentOf(toSize(b))) {
    path.push_back(toSize(b));
  }
  std::reverse(path.begin(), path.end());
  return path;
}

TreeShape shapeOf(const Rig& rig, const DynamicBonesSettings& settings, const RodBatch& batch,
                  const RodTree& tree) {
  TreeShape result;
  for (std::size_t k = 0; k < tree.joints.size(); ++k) {
    const RodBatch::Joint& from = batch.joints[k];
    RodShape::Joint joint;
    joint.parent_bone = from.parent_bone;
    joint.bones_start = from.bones_start;
    joint.bones_end = from.bones_end;
    for (std::size_t b = from.bones_start; b < from.bones_end; ++b) {
      const std::size_t at = RodBatch::at(b, tree.lane);
      result.shape.bones.push_back({static_cast<int>(k), batch.length_m[at], batch.mass[at]});
    }
    const Bone& first = rig.bones[rig.joints[tree.joints[k]].bones_start];
    joint.bend = bendOf(settings, result.shape, joint, first);
    result.shape.joints.push_back(joint);
  }
  result.longest = longestPath(result.shape);
  return result;
}

// World transforms of all nodes in the rest pose.
std::vector<Affine> restWorlds(const Scene& scene, std::vector<Transform>& locals) {
  for (const Node& node : scene.skeleton.nodes) locals.push_back(node.rest);
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, locals, scene.metric_from_file, worlds);
  return worlds;
}

// Puts the clamped joint of a tree where the bind pose has it.
void setBase(const Rig& rig, const Scene& scene, const std::vector<Affine>& worlds,
             RodSystem& system, RodTree& tree) {
  const Slot& slot = slotOfJoint(rig, tree.joints.front());
  const int parent = scene.skeleton.nodes[toSize(slot.node)].parent;
  const Affine& above = parent < 0 ? scene.metric_from_file : worlds[toSize(parent)];
  tree.is_mirrored = glm::determinant(above.linear) < 0.0;
  RodBatch& batch = system.batches[tree.batch];
  batch.next_head.position_m.set(tree.lane, worlds[toSize(slot.node)].translation);
  batch.world_from_base.set(tree.lane, rotationOf(above));
}

// The moments by which the joints bear the weight in the bind pose.
void setRestMoments(RodBatch& batch, const RodTree& tree) {
  std::vector<Vec3> forces(batch.bone_count, Vec3(0.0)), moments = forces;
  for (std::size_t k = tree.joints.size(); k-- > 0;) {
    const RodBatch::Joint& joint = batch.joints[k];
    Vec3 force(0.0), moment(0.0);
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      const std::size_t at = RodBatch::at(b, tree.lane);
      // Gravity varies evenly along a bone, from that of the bone above.
      const double own_mps2 = batch.gravity_mps2[at];
      const std::size_t above =
          RodBatch::at(joint.parent_bone < 0 ? b : toSize(joint.parent_bone), tree.lane);
      const double change_mps2 = own_mps2 - batch.gravity_mps2[above];
      const Vec3 weight(0.0, -batch.mass[at] * (own_mps2 - change_mps2 / 2.0), 0.0);
      const Vec3 at_end(0.0, -batch.mass[at] * (0.5 * own_mps2 - change_mps2 / 6.0), 0.0);
      const Vec3 r = batch.length_m[at] * batch.direction.at(at);
      moment += moments[b] + glm::cross(r, forces[b] + at_end);
      force += forces[b] + weight;
    }
    const std::size_t at = RodBatch::at(k, tree.lane);
    batch.rest_moment.set(at, glm::conjugate(batch.world_from_parent.at(at)) * moment);
    if (joint.parent_bone < 0) continue;
    forces[toSize(joint.parent_bone)] += force;
    moments[toSize(joint.parent_bone)] += moment;
  }
}

// A limp rod that bears its weight is a spiral without it, and would curl up where the clamped
// joint rotates: of its rest moments, those that bend it by more than 90 degrees count only near
// the bind orientation.
void setPassingShare(RodBatch& batch, const RodTree& tree, const TreeShape& shaped) {
  constexpr double kMostBend_rad = 0.5 * kPi;
  double bend_rad = 0.0;
  for (std::size_t b : shaped.longest) {
    const auto joint = toSize(shaped.shape.bones[b].joint);
    const double stiffness = tree.rigidity * shaped.shape.joints[joint].bend;
    bend_rad += lengthOf(batch.rest_moment.at(RodBatch::at(joint, tree.lane))) / stiffness;
  }
  batch.passing_share[tree.lane] = std::max(0.0, 1.0 - kMostBend_rad / bend_rad);
  const Quat base = batch.world_from_base.at(tree.lane);
  batch.bind_up.set(tree.lane, glm::conjugate(base) * Vec3(0, 1, 0));
}

double rigidityOf(const ChainSettings& chain, const TreeShape& tree) {
  if (chain.droop_deg) {
    return rigidityForDroop(tree.shape, tree.longest, *chain.droop_deg * kDegree);
  }
  const double mode = firstMode_radps(tree.shape);
  const double wanted = 2.0 * kPi * meanOf(chain.frequency_hz);
  return mode > 0.0 ? (wanted / mode) * (wanted / mode) : 0.0;
}

// Whether the bind pose is an equilibrium in which the tree can stay.
bool bearsItsWeight(const ChainSettings& chain, double rigidity) {
  return chain.rest_includes_gravity && rigidity > 0.0;
}

double stableRigidity(const ChainSettings& chain, const RodBatch& batch, const RodTree& tree,
                      const RodShape& shape) {
  std::vector<double> rises;
  double gravity_mps2 = 0.0;
  for (std::size_t b = 0; b < shape.bones.size(); ++b) {
    const std::size_t at = RodBatch::at(b, tree.lane);
    const double down = -batch.gravity_mps2[at];
    rises.push_back(batch.direction.y[at] * (down < 0.0 ? -1.0 : 1.0));
    gravity_mps2 = std::max(gravity_mps2, std::abs(down));
  }
  if (!chain.rest_includes_gravity) return 0.0;
  return leastStableRigidity(shape, rises, gravity_mps2);
}

// The damping ratio of the first mode in the air.
double ratioInAir(const ChainSettings& chain, const HangingMode& mode) {
  return meanOf(chain.damping_ratio) +
         (mode.angular_radps > 0.0 ? 0.5 * meanOf(chain.air_drag_per_s) / mode.angular_radps : 0.0);
}

// How fast a swing of the first mode dies away; above critical damping the slow root counts.
double decayOf(const HangingMode& mode, double ratio) {
  const double over = ratio * ratio - 1.0;
  return mode.angular_radps * (over > 0.0 ? ratio - std::sqrt(over) : ratio);
}

// The damping of a mode is shared between the bends and a drag in proportion to mass, which gives a
// mode of angular frequency w the ratio rate / 2 w (Rayleigh). Bends alone would have to be viscous
// for seconds where gravity, not stiffness, swings a rod: a fold would not open again.
struct SharedDamping {
  double bends_s = 0.0;          // for a ratio of 1
  double head_drag_per_s = 0.0;  // for a ratio of 1
};

SharedDamping shareDamping(const HangingMode& mode) {
  // Of the damping that a rod without weight has in its bends.
  constexpr double kMostInBends = 2.0;
  if (!(mode.angular_radps > 0.0)) return {mode.damping_s, 0.0};
  const double max_bends_s = kMostInBends * 2.0 / mode.angular_radps;
  if (mode.damping_s <= max_bends_s) return {mode.damping_s, 0.0};
  return {max_bends_s, 2.0 * mode.angular_radps * (1.0 - max_bends_s / mode.damping_s)};
}

void setStiffness(const Rig& rig, const DynamicBonesSettings& settings, RodBatch& batch,
                  RodTree& tree) {
  const ChainSettings& chain = settings.chain[toSize(tree.chain)];
  const TreeShape shaped = shapeOf(rig, settings, batch, tree);
  tree.rigidity = rigidityOf(chain, shaped);
  if (bearsItsWeight(chain, tree.rigidity)) {
    const double stable = kStableMargin * stableRigidity(chain, batch, tree, shaped.shape);
    tree.is_stiffened = stable > tree.rigidity;
    tree.rigidity = std::max(tree.rigidity, stable);
    setRestMoments(batch, tree);
    setPassingShare(batch, tree, shaped);
  }
  const double gravity_mps2 = std::abs(meanOf(chain.gravity_mps2));
  const HangingMode mode = hangingMode(shaped.shape, tree.rigidity, gravity_mps2);
  tree.angular_radps = mode.angular_radps;
  tree.damping_ratio = ratioInAir(chain, mode);
  tree.decay_per_s = decayOf(mode, tree.damping_ratio);
  const SharedDamping damping = shareDamping(mode);
  tree.is_limp = damping.head_drag_per_s > 0.0;
  for (std::size_t k = 0; k < tree.joints.size(); ++k) {
    const Bone& bone = rig.bones[rig.joints[tree.joints[k]].bones_start];
    const std::size_t at = RodBatch::at(k, tree.lane);
    const double ratio = bone.own.damping_ratio.value_or(chain.damping_ratio.at(bone.head_depth));
    batch.stiffness[at] = tree.rigidity * shaped.shape.joints[k].bend;
    batch.damping_s[at] = damping.bends_s * ratio;
    for (std::size_t b = batch.joints[k].bones_start; b < batch.joints[k].bones_end; ++b) {
      batch.head_drag_per_s[RodBatch::at(b, tree.lane)] = damping.head_drag_per_s * ratio;
    }
  }
}

// A rotation and a vector seen in a mirror across x.
Quat mirrored(const Quat& q) { return Quat(q.w, q.x, -q.y, -q.z); }
Vec3 mirrored(const Vec3& v) { return Vec3(-v.x, v.y, v.z); }

Vec3 directionOf(const Vec3& v) {
  const double length = lengthOf(v);
  return length > 0.0 && std::isfinite(length) ? v / length : Vec3(0, 1, 0);
}

// The rotation from a joint's axes to those of the parent of the next joint: of nodes between them.
Quat rotationBetweenSlots(const Rig& rig, int above_slot, int slot,
                          std::span<const Transform> locals) {
  Quat rotation = kIdentityRotation;
  for (int s = rig.slots[toSize(slot)].parent; s >= 0 && s != above_slot;
       s = rig.slots[toSize(s)].parent) {
    rotation = normalizedOrIdentity(locals[toSize(rig.slots[toSize(s)].node)].rotation) * rotation;
  }
  return rotation;
}

void takeTreePose(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene,
                  std::span<const Transform> locals, const RodTree& tree, RodBatch& batch) {
  const ChainSettings& chain = settings.chain[toSize(tree.chain)];
  const auto seen = [&](const auto& value) { return tree.is_mirrored ? mirrored(value) : value; };
  for (std::size_t k = 0; k < tree.joints.size(); ++k) {
    RodBatch::Joint& joint = batch.joints[k];
    const std::size_t i = RodBatch::at(k, tree.lane);
    const Slot& slot = slotOfJoint(rig, tree.joints[k]);
    const Transform& local = locals[toSize(slot.node)];
    const Transform& rest = scene.skeleton.nodes[toSize(slot.node)].rest;
    const JointBase base =
        baseOf(chain, normalizedOrIdentity(local.rotation), normalizedOrIdentity(rest.rotation));
    const Quat rolled = seen(base.rolled), drawn = seen(base.drawn);
    batch.rolled.set(i, rolled);
    batch.drawn.set(i, drawn);
    if (joint.parent_joint >= 0) {
      const std::size_t above = tree.joints[toSize(joint.parent_joint)];
      const Quat between = rotationBetweenSlots(rig, rig.joints[above].slot,
                                                rig.joints[tree.joints[k]].slot, locals);
      batch.between.set(i, seen(between));
      joint.is_straight = joint.is_straight && between == kIdentityRotation;
    }
    joint.is_aimed_as_carried = joint.is_aimed_as_carried && base.drawn == base.rolled;
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      const std::size_t at = RodBatch::at(b, tree.lane);
      const Bone& bone = rig.bones[toSize(batch.rig_bones[at])];
      const Vec3 in_joint = seen(directionOf(local.scale * offsetInJoint(bone, locals)));
      batch.in_joint.set(at, in_joint);
      batch.carried.set(at, drawn * in_joint);
      batch.aim.set(at, rolled * in_joint);
    }
  }
}

}  // namespace

void takePose(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene,
              std::span<const Transform> locals, RodSystem& system) {
  for (RodBatch& batch : system.batches) {
    for (RodBatch::Joint& joint : batch.joints) {
      joint.is_straight = joint.is_aimed_as_carried = true;
    }
    for (std::size_t tree : batch.trees) {
      takeTreePose(rig, settings, scene, locals, system.trees[tree], batch);
    }
  }
}

RodSystem makeRods(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene,
                   const SpringLayout& layout) {
  RodSystem system = makeRodBatches(rig, layout);
  fillBones(rig, settings, system);
  std::vector<Transform> locals;
  const std::vector<Affine> worlds = restWorlds(scene, locals);
  for (RodTree& tree : system.trees) setBase(rig, scene, worlds, system, tree);
  takePose(rig, settings, scene, locals, system);
  for (RodBatch& batch : system.batches) poseRods(batch);
  for (RodTree& tree : system.trees) {
    setStiffness(rig, settings, system.batches[tree.batch], tree);
  }
  return system;
}

}  // namespace clipmill::stages::dynamic_bones
