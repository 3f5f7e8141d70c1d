// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/to_size.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/colliders/contact.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::stages::dynamic_bones {

/// A node whose world transform is needed. Slots are in the order in which they are posed: first
/// those that follow the clip, then those that chains move, parents before children in both.
struct Slot {
  int node = 0;            ///< Index in Skeleton::nodes.
  int parent = -1;         ///< Slot of the parent, or -1 for a root of the file.
  int joint = -1;          ///< Index in Rig::joints; -1: it keeps the rotation of the clip.
  bool is_parent = false;  ///< Another slot or a collider is below it.
};

/// A node that gets a new rotation, which aims its bones.
struct Joint {
  int slot = 0;
  std::size_t bones_start = 0;  ///< Its bones are [bones_start, bones_end); several at a fork.
  std::size_t bones_end = 0;
};

/// From a joint to one simulated point: the next joint of the chain, or the virtual tip behind a
/// last one.
struct Bone {
  int joint = 0;
  int tail_node = -1;       ///< Node at the simulated point; -1 for a virtual tip.
  std::vector<int> path;    ///< Nodes from below the joint down to tail_node; empty for a tip.
  Vec3 tip_offset{0.0};     ///< Position of a virtual tip in the joint's own (file space) axes.
  int chain = 0;            ///< Index in DynamicBonesSettings::chain.
  int parent = -1;          ///< The bone of the same chain that ends where this one starts, or -1.
  int branch = 0;           ///< Equal for all bones below the same first joint.
  double depth = 0.0;       ///< 0 at the chain's root, 1 at the tip; by rest length.
  double head_depth = 0.0;  ///< The same where the bone starts.
  double per_chain = 1.0;   ///< Rest length of the chain over that of the bone.
  double rest_length_m = 0.0;
  JointSettings own;  ///< Values of its joint; unset: those of the chain.
  Vec3 rest_up{0.0};  ///< +Y of metric space in the joint's axes at rest (not of unit length).
};

struct RigCollider;

/// Whether the bone may change its length. A virtual tip has no node that could be moved, and a
/// rod keeps its lengths.
bool stretches(const Bone& bone, const DynamicBonesSettings& settings);

/// Whether a list of patterns has a name: globs in order, of which those with "!" take names out
/// again; "none" matches nothing.
bool listsName(const std::vector<std::string>& patterns, std::string_view name);

/// Names of the skin among colliders: all of it, and arms and hands.
inline constexpr const char* kSkinName = "skin";
inline constexpr const char* kArmSkinName = "skin:arms";

/// Whether the values of the bone's joint let it avoid the collider.
bool isListed(const Bone& bone, const RigCollider& collider);

/// Prefix of the names of solids that were fitted to the skin.
inline constexpr const char* kFittedPrefix = "auto:";

/// Bones of one branch are connected: contacts between them are not resolved.
inline bool isSameBranch(const Bone& a, const Bone& b) {
  return a.chain == b.chain && a.branch == b.branch;
}

/// A solid and the slot that it moves with.
struct RigCollider {
  int slot = kFixed;
  std::string name;  ///< "chain:" and the chain's name for bones.
  Solid solid;       ///< In metres along the axes of the slot's node.
  int bone = -1;     ///< The bone that it represents; -1 for a collider of the settings.

  static constexpr int kFixed = -1;  ///< Instead of a slot: along the axes of the metric world.
  bool isFixed() const { return slot == kFixed; }
  /// Its pose, by the world transforms of all slots.
  RigidPose poseAt(std::span<const Affine> worlds) const {
    return isFixed() ? RigidPose() : rigidPoseOf(worlds[toSize(slot)]);
  }
};

/// What of the skin a chain avoids.
enum class SkinUse { kNone, kAll, kWithoutArms };

struct ChainSkin;

/// The simulated nodes and the solids that they avoid; the same for all frames.
struct Rig {
  std::vector<Slot> slots;
  std::size_t following_count = 0;  ///< Slots before this one only follow the clip.
  std::vector<Joint> joints;        ///< In the order of their slots.
  std::vector<Bone> bones;          ///< In the order of their joints.
  std::vector<RigCollider> colliders;
  std::vector<std::vector<int>> colliders_of_chain;  ///< Ascending, one list a chain setting.
  /// Colliders of its chain that a bone avoids: neither bones of its own branch, nor solids fitted
  /// to the skin in which the bone is at rest.
  std::vector<std::vector<int>> colliders_of_bone;
  std::shared_ptr<const ChainSkin> skin;  ///< Null where neither contacts nor measures need it.
  std::vector<SkinUse> skin_uses;         ///< One a chain setting.
  std::vector<int> inertia_slots;         ///< Of the inertia node of each chain setting, or -1.
  /// One per chain setting: the lowest slot above its first joint that follows the clip (its
  /// attachment joint), or -1.
  std::vector<int> attachment_slots;
  /// Of the settings: joints whose values no bone has, because they are in no chain.
  std::vector<std::string> joints_in_no_chain;
};

/// Rotation about fixed axes x, then y, then z; three angles in degrees.
Quat rotationOfDegrees(const std::vector<double>& angles_deg);

/// Finds chains, values of joints and colliders in the scene. The rest pose of the file gives
/// depths and virtual tips. Errors: kRecipe or kNotFound where a pattern matches nothing (with the
/// nearest name), a collider matches several nodes, a joint belongs to two chains, or a chain has
/// no bone.
Result<Rig> makeRig(const Scene& scene, const DynamicBonesSettings& settings);

}  // namespace clipmill::stages::dynamic_bones
