// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rods/rod_build.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/rig/rig_pose.h"
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

void addRodBones(const Rig& rig, const DynamicBonesSettings& settings, RodSystem& system) {
  for (const Bone& from : rig.bones) {
    const ChainSettings& chain = settings.chain[toSize(from.chain)];
    RodBone bone;
    bone.joint = from.joint;
    bone.length_m = std::max(from.rest_length_m, kMinLength_m);
    const double thickness = chain.thickness.at(0.5 * (from.head_depth + from.depth));
    bone.mass = bone.length_m * thickness * thickness;
    bone.air_drag_per_s = chain.air_drag_per_s.at(from.depth);
    bone.gravity_mps2 = Vec3(0.0, chain.gravity_mps2.at(from.depth), 0.0);
    system.bones.push_back(bone);
  }
}

double meanOf(const Curve& curve) {
  constexpr int kSamples = 16;
  double sum = 0.0;
  for (int i = 0; i < kSamples; ++i) sum += curve.at((i + 0.5) / kSamples);
  return sum / kSamples;
}

// Stiffness of a joint for a rigidity of 1.
double bendOf(const Rig& rig, const DynamicBonesSettings& settings, const RodSystem& system,
              const RodJoint& joint) {
  double half_m = 0.0;
  for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
    half_m += 0.5 * system.bones[b].length_m;
  }
  half_m /= static_cast<double>(joint.bones_end - joint.bones_start);
  if (joint.parent_bone >= 0) half_m += 0.5 * system.bones[toSize(joint.parent_bone)].length_m;
  const Bone& bone = rig.bones[joint.bones_start];
  const ChainSettings& chain = settings.chain[toSize(bone.chain)];
  const double thickness = chain.thickness.at(bone.head_depth);
  double relative =
      chain.stiffness.at(bone.head_depth) * thickness * thickness * thickness * thickness;
  if (!chain.droop_deg && chain.frequency_hz.points.size() > 1) {
    const double mean = meanOf(chain.frequency_hz);
    const double share = mean > 0.0 ? chain.frequency_hz.at(bone.head_depth) / mean : 1.0;
    relative *= share * share;
  }
  return relative / half_m;
}

void addRodJoints(const Rig& rig, const DynamicBonesSettings& settings, RodSystem& system) {
  std::vector<std::size_t> tree_of(rig.joints.size());
  for (std::size_t j = 0; j < rig.joints.size(); ++j) {
    const Joint& from = rig.joints[j];
    RodJoint joint;
    joint.bones_start = from.bones_start;
    joint.bones_end = from.bones_end;
    const Bone& bone = rig.bones[from.bones_start];
    joint.parent_bone = bone.parent;
    if (bone.parent >= 0) {
      joint.parent_joint = rig.bones[toSize(bone.parent)].joint;
      tree_of[j] = tree_of[toSize(joint.parent_joint)];
    } else {
      tree_of[j] = system.trees.size();
      system.trees.emplace_back();
      system.trees.back().chain = bone.chain;
    }
    joint.tree = tree_of[j];
    joint.stiffness = bendOf(rig, settings, system, joint);
    system.trees[tree_of[j]].joints.push_back(j);
    system.joints.push_back(joint);
  }
}

// The tree alone, with the indices of its bones in the system.
struct TreeShape {
  RodShape shape;
  std::vector<std::size_t> bones;
  std::vector<std::size_t> longest;  // from root to tip, indices in the shape
};

TreeShape shapeOf(const RodSystem& system, const RodTree& tree) {
  TreeShape result;
  std::vector<int> index_of(system.bones.size(), -1);
  std::vector<double> reach;
  std::size_t farthest = 0;
  for (std::size_t j : tree.joints) {
    const RodJoint& joint = system.joints[j];
    RodShape::Joint shaped;
    shaped.parent_bone = joint.parent_bone < 0 ? -1 : index_of[toSize(joint.parent_bone)];
    shaped.bones_start = result.shape.bones.size();
    shaped.bend = joint.stiffness;
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      index_of[b] = static_cast<int>(result.shape.bones.size());
      result.bones.push_back(b);
      result.shape.bones.push_back({static_cast<int>(result.shape.joints.size()),
                                    system.bones[b].length_m, system.bones[b].mass});
      reach.push_back(system.bones[b].length_m +
                      (shaped.parent_bone < 0 ? 0.0 : reach[toSize(shaped.parent_bone)]));
      if (reach.back() > reach[farthest]) farthest = reach.size() - 1;
    }
    shaped.bones_end = result.shape.bones.size();
    result.shape.joints.push_back(shaped);
  }
  for (int b = static_cast<int>(farthest); b >= 0;) {
    result.longest.push_back(toSize(b));
    b = result.shape.joints[toSize(result.shape.bones[toSize(b)].joint)].parent_bone;
  }
  std::reverse(result.longest.begin(), result.longest.end());
  return result;
}

// World transforms of all nodes in the rest pose.
std::vector<Affine> restWorlds(const Scene& scene, std::vector<Transform>& locals) {
  for (const Node& node : scene.skeleton.nodes) locals.push_back(node.rest);
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, locals, scene.metric_from_file, worlds);
  return worlds;
}

// Poses a tree as in the bind pose.
void bindTree(const Rig& rig, const Scene& scene, const std::vector<Affine>& worlds,
              RodSystem& system, RodTree& tree) {
  const Slot& slot = slotOfJoint(rig, tree.joints.front());
  const int parent = scene.skeleton.nodes[toSize(slot.node)].parent;
  const Affine& above = parent < 0 ? scene.metric_from_file : worlds[toSize(parent)];
  tree.is_mirrored = glm::determinant(above.linear) < 0.0;
  poseRods(system, tree, worlds[toSize(slot.node)].translation, rotationOf(above));
}

// The moments by which the joints bear the weight in the bind pose.
void setRestMoments(RodSystem& system, const RodTree& tree) {
  std::vector<Vec3> forces(system.bones.size(), Vec3(0.0)), moments = forces;
  for (auto at = tree.joints.rbegin(); at != tree.joints.rend(); ++at) {
    RodJoint& joint = system.joints[*at];
    Vec3 force(0.0), moment(0.0);
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      const RodBone& bone = system.bones[b];
      const Vec3 weight = -bone.mass * bone.gravity_mps2;
      const Vec3 r = bone.length_m * bone.direction;
      moment += moments[b] + glm::cross(r, forces[b] + 0.5 * weight);
      force += forces[b] + weight;
    }
    joint.rest_moment = glm::conjugate(joint.world_from_parent) * moment;
    if (joint.parent_bone < 0) continue;
    forces[toSize(joint.parent_bone)] += force;
    moments[toSize(joint.parent_bone)] += moment;
  }
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

double stableRigidity(const ChainSettings& chain, const RodSystem& system, const TreeShape& tree) {
  std::vector<double> rises;
  double gravity_mps2 = 0.0;
  for (std::size_t b : tree.bones) {
    const double down = -system.bones[b].gravity_mps2.y;
    rises.push_back(system.bones[b].direction.y * (down < 0.0 ? -1.0 : 1.0));
    gravity_mps2 = std::max(gravity_mps2, std::abs(down));
  }
  if (!chain.rest_includes_gravity) return 0.0;
  return leastStableRigidity(tree.shape, rises, gravity_mps2);
}

void setStiffness(const Rig& rig, const DynamicBonesSettings& settings, RodSystem& system,
                  RodTree& tree) {
  const ChainSettings& chain = settings.chain[toSize(tree.chain)];
  const TreeShape shaped = shapeOf(system, tree);
  tree.rigidity = rigidityOf(chain, shaped);
  if (bearsItsWeight(chain, tree.rigidity)) {
    const double stable = kStableMargin * stableRigidity(chain, system, shaped);
    tree.is_stiffened = stable > tree.rigidity;
    tree.rigidity = std::max(tree.rigidity, stable);
    setRestMoments(system, tree);
  }
  const double mode = std::sqrt(tree.rigidity) * firstMode_radps(shaped.shape);
  for (std::size_t j : tree.joints) {
    RodJoint& joint = system.joints[j];
    const Bone& bone = rig.bones[joint.bones_start];
    joint.stiffness *= tree.rigidity;
    joint.damping_s = mode > 0.0 ? 2.0 * chain.damping_ratio.at(bone.head_depth) / mode : 0.0;
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

}  // namespace

void takePose(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene,
              std::span<const Transform> locals, RodSystem& system) {
  for (const RodTree& tree : system.trees) {
    const ChainSettings& chain = settings.chain[toSize(tree.chain)];
    for (std::size_t j : tree.joints) {
      RodJoint& joint = system.joints[j];
      const Slot& slot = slotOfJoint(rig, j);
      const Transform& local = locals[toSize(slot.node)];
      const Transform& rest = scene.skeleton.nodes[toSize(slot.node)].rest;
      const JointBase base =
          baseOf(chain, normalizedOrIdentity(local.rotation), normalizedOrIdentity(rest.rotation));
      joint.rolled = tree.is_mirrored ? mirrored(base.rolled) : base.rolled;
      joint.drawn = tree.is_mirrored ? mirrored(base.drawn) : base.drawn;
      if (joint.parent_joint >= 0) {
        const int above = rig.joints[toSize(joint.parent_joint)].slot;
        const Quat between = rotationBetweenSlots(rig, above, rig.joints[j].slot, locals);
        joint.between = tree.is_mirrored ? mirrored(between) : between;
        joint.is_straight = joint.between == kIdentityRotation;
      }
      for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
        RodBone& bone = system.bones[b];
        const Vec3 offset = directionOf(local.scale * offsetInJoint(rig.bones[b], locals));
        bone.in_joint = tree.is_mirrored ? mirrored(offset) : offset;
        bone.carried = joint.drawn * bone.in_joint;
        bone.aim = joint.rolled * bone.in_joint;
        bone.is_aimed_as_carried = joint.drawn == joint.rolled;
      }
    }
  }
}

RodSystem makeRods(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene) {
  RodSystem system;
  addRodBones(rig, settings, system);
  addRodJoints(rig, settings, system);
  std::vector<Transform> locals;
  const std::vector<Affine> worlds = restWorlds(scene, locals);
  for (RodTree& tree : system.trees) bindTree(rig, scene, worlds, system, tree);
  takePose(rig, settings, scene, locals, system);
  for (RodTree& tree : system.trees) {
    bindTree(rig, scene, worlds, system, tree);
    setStiffness(rig, settings, system, tree);
  }
  return system;
}

}  // namespace clipmill::stages::dynamic_bones
