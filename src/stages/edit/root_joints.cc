// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// IK bones: hierarchy of the Unreal Engine mannequin.
#include "stages/edit/root_joints.h"

#include <algorithm>
#include <array>

#include "anim/pose.h"
#include "core/to_size.h"
#include "humanoid/humanoid.h"
#include "locomotion/root_joint.h"
#include "locomotion/root_motion.h"
#include "scene/partial_pose.h"

namespace clipmill::stages::edit {
namespace {

using humanoid::HumanoidRole;

struct IkBone {
  const char* name;
  int parent;         // index in kUnrealBones, -1: the root joint
  HumanoidRole role;  // what it follows; kCount: its parent
};

constexpr std::array<IkBone, 7> kUnrealBones = {{
    {"ik_foot_root", -1, HumanoidRole::kCount},
    {"ik_foot_l", 0, HumanoidRole::kLeftFoot},
    {"ik_foot_r", 0, HumanoidRole::kRightFoot},
    {"ik_hand_root", -1, HumanoidRole::kCount},
    {"ik_hand_gun", 3, HumanoidRole::kRightHand},
    {"ik_hand_l", 4, HumanoidRole::kLeftHand},
    {"ik_hand_r", 4, HumanoidRole::kRightHand},
}};

int nodeNamed(const Skeleton& skeleton, const std::string& name) {
  const auto found = std::find_if(skeleton.nodes.begin(), skeleton.nodes.end(),
                                  [&](const Node& node) { return node.name == name; });
  return found == skeleton.nodes.end() ? -1 : static_cast<int>(found - skeleton.nodes.begin());
}

bool isJoint(const Scene& scene, int node) {
  return std::any_of(scene.skins.begin(), scene.skins.end(), [&](const Skin& skin) {
    return std::find(skin.joints.begin(), skin.joints.end(), node) != skin.joints.end();
  });
}

Result<int> hipsOf(const Scene& scene, const humanoid::HumanoidMap& map,
                   const RootSettings& settings) {
  if (settings.hips_joint) return findOneNode(scene.skeleton, *settings.hips_joint, "hips_joint");
  if (map[HumanoidRole::kHips] >= 0) return map[HumanoidRole::kHips];
  const int node = locomotion::nodeAboveCharacter(scene);
  if (node >= 0) return node;
  return Error{ErrorCode::kRecipe, "create", "the file has no node to put a root joint above", ""};
}

Status checkRootless(const Scene& scene, int hips, const std::string& name) {
  const auto& nodes = scene.skeleton.nodes;
  if (nodeNamed(scene.skeleton, name) >= 0) {
    return Error{ErrorCode::kRecipe, "create", "the file has a node '" + name + "' already",
                 "leave create out, or name the new joint with root_joint"};
  }
  for (int above = nodes[toSize(hips)].parent; above >= 0; above = nodes[toSize(above)].parent) {
    if (!isJoint(scene, above)) continue;
    return Error{ErrorCode::kRecipe, "create",
                 "'" + nodes[toSize(hips)].name + "' has the joint '" + nodes[toSize(above)].name +
                     "' above it",
                 "leave create out: that joint receives root motion"};
  }
  return {};
}

// The joint gets all branches of the character, so that it is above the whole of it.
InsertedJoint rootAround(const Scene& scene, int hips, const std::string& name) {
  const auto& nodes = scene.skeleton.nodes;
  std::vector<char> bears(nodes.size(), 0);
  for (std::size_t n = nodes.size(); n-- > 0;) {
    bears[n] = bears[n] || isJoint(scene, static_cast<int>(n));
    if (bears[n] && nodes[n].parent >= 0) bears[toSize(nodes[n].parent)] = 1;
  }
  InsertedJoint root;
  root.name = name;
  root.parent = nodes[toSize(hips)].parent;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const bool is_branch = nodes[n].parent == root.parent && bears[n];
    if (is_branch || static_cast<int>(n) == hips) root.adopted.push_back(static_cast<int>(n));
  }
  return root;
}

// A map without scale: the position and rotation of `map` in the space of `parent`.
Transform localOf(const Affine& parent, const Affine& map) {
  const Transform local = decompose(inverse(parent) * map);
  return {local.translation, local.rotation, Vec3(1.0)};
}

// New IK bones below `root`, an index as in InsertedJoint::parent.
Status addIkBones(const Scene& scene, const humanoid::HumanoidMap& map, int root,
                  JointInsertion& insertion) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, {}, worlds);
  for (const InsertedJoint& joint : insertion.joints) {
    const Affine above = joint.parent < 0 ? Affine() : worlds[toSize(joint.parent)];
    worlds.push_back(above * toAffine(joint.rest));
  }
  std::array<int, kUnrealBones.size()> nodes{};
  for (std::size_t b = 0; b < kUnrealBones.size(); ++b) {
    const IkBone& bone = kUnrealBones[b];
    nodes[b] = nodeNamed(scene.skeleton, bone.name);
    const bool follows = bone.role != HumanoidRole::kCount;
    if (follows && map[bone.role] < 0) {
      return Error{ErrorCode::kUnsupported, "ik_bones",
                   std::string("no ") + humanoid::humanoidRoleName(bone.role) + " was found",
                   "clipmill info lists the humanoid roles that were found"};
    }
    if (nodes[b] >= 0) continue;
    InsertedJoint joint;
    joint.name = bone.name;
    joint.parent = bone.parent < 0 ? root : nodes[toSize(bone.parent)];
    const Affine& parent = worlds[toSize(joint.parent)];
    if (follows) joint.rest = localOf(parent, worlds[toSize(map[bone.role])]);
    nodes[b] = static_cast<int>(worlds.size());
    worlds.push_back(parent * toAffine(joint.rest));
    insertion.joints.push_back(std::move(joint));
  }
  return {};
}

// The node as the clip has it, with its tracks unmodified.
void restoreNode(const Motion& before, int node, Motion& motion) {
  const auto n = toSize(node);
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    motion.locals[f * motion.node_count + n] = before.localsOf(f)[n];
  }
  TrackMask modified(motion.modified.size());
  for (int other = 0; other < static_cast<int>(modified.size()); ++other) {
    const TrackMask& from = other == node ? before.modified : motion.modified;
    for (const TrackPath path : kTrackPaths) {
      if (from.has(other, path)) modified.set(other, path);
    }
  }
  motion.modified = modified;
}

}  // namespace

std::string createdRootName(const RootSettings& settings) {
  return settings.root_joint.value_or("root");
}

Result<int> rootOf(const Scene& scene, const RootSettings& settings) {
  if (settings.root_joint) return findOneNode(scene.skeleton, *settings.root_joint, "root_joint");
  CLIPMILL_TRY(const int hips, hipsOf(scene, humanoid::findHumanoid(scene), settings));
  return locomotion::rootAbove(scene, hips);
}

Result<JointInsertion> rootInsertion(const Scene& scene, const RootSettings& settings) {
  JointInsertion insertion;
  if (!settings.create && settings.ik_bones == IkBones::kNone) return insertion;
  const humanoid::HumanoidMap map = humanoid::findHumanoid(scene);
  CLIPMILL_TRY(const int hips, hipsOf(scene, map, settings));
  insertion.anchor = hips;
  int root = static_cast<int>(scene.skeleton.size());
  if (settings.create) {
    const std::string name = createdRootName(settings);
    CLIPMILL_CHECK(checkRootless(scene, hips, name));
    insertion.joints.push_back(rootAround(scene, hips, name));
  } else {
    CLIPMILL_TRY(root, rootOf(scene, settings));
  }
  if (settings.ik_bones == IkBones::kUnreal) {
    CLIPMILL_CHECK(addIkBones(scene, map, root, insertion));
  }
  return insertion;
}

int hipsBelow(const Scene& scene, const Motion& motion, int root, double still_m) {
  const auto isBelow = [&](int node) {
    return node >= 0 && node != root && isAtOrBelow(scene.skeleton, node, root);
  };
  const int mover = locomotion::findMovingJoint(scene, motion, still_m);
  if (isBelow(mover)) return mover;
  const int hips = humanoid::findHumanoid(scene)[HumanoidRole::kHips];
  if (isBelow(hips)) return hips;
  // The child with most below it.
  std::vector<std::size_t> below(scene.skeleton.size(), 1);
  int largest = -1;
  for (std::size_t n = scene.skeleton.size(); n-- > 0;) {
    const int parent = scene.skeleton.nodes[n].parent;
    if (parent >= 0) below[toSize(parent)] += below[n];
    if (parent == root && (largest < 0 || below[n] >= below[toSize(largest)])) {
      largest = static_cast<int>(n);
    }
  }
  return largest;
}

Status followWithIkBones(const Scene& scene, const Motion& before, Motion& motion) {
  const humanoid::HumanoidMap map = humanoid::findHumanoid(scene);
  std::vector<int> bones, followed;
  for (const IkBone& bone : kUnrealBones) {
    CLIPMILL_TRY(const int node, findOneNode(scene.skeleton, bone.name, "ik_bones"));
    if (bone.role == HumanoidRole::kCount) {
      restoreNode(before, node, motion);
      continue;
    }
    if (map[bone.role] < 0) {
      return Error{ErrorCode::kUnsupported, "ik_bones", "no hands and feet were found",
                   "clipmill info lists the humanoid roles that were found"};
    }
    bones.push_back(node);
    followed.push_back(map[bone.role]);
  }
  for (std::size_t b = 0; b < bones.size(); ++b) {
    // Bones precede those below them, so parents have their keys.
    const std::array<int, 2> nodes = {bones[b], followed[b]};
    PartialPose worlds(scene, motion, nodes);
    for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
      worlds.seekFrame(f);
      const Transform local = localOf(worlds.parentOf(0), worlds.worldOf(1));
      Transform& written = motion.locals[f * motion.node_count + toSize(bones[b])];
      written.translation = local.translation;
      written.rotation = local.rotation;
    }
    motion.modified.set(bones[b], TrackPath::kTranslation);
    motion.modified.set(bones[b], TrackPath::kRotation);
  }
  return {};
}

}  // namespace clipmill::stages::edit
