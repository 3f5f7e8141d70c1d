// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rig/rig.h"

#include <algorithm>

#include "core/text.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/chains/chain.h"
#include "stages/dynamic_bones/rig/rig_bones.h"
#include "stages/dynamic_bones/rig/rig_colliders.h"
#include "stages/dynamic_bones/skin/chain_skin.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Marks `node` and its ancestors as needed.
void markNeeded(const Skeleton& skeleton, int node, std::vector<bool>& needed) {
  while (node >= 0 && !needed[toSize(node)]) {
    needed[toSize(node)] = true;
    node = skeleton.nodes[toSize(node)].parent;
  }
}

// The inertia node of every chain; -1 where it is the attachment joint.
Result<std::vector<int>> findInertiaNodes(const Skeleton& skeleton,
                                          const DynamicBonesSettings& settings,
                                          const SwingingNodes& found) {
  std::vector<int> nodes;
  for (const ChainSettings& chain : settings.chain) {
    nodes.push_back(-1);
    if (!chain.inertia_node) continue;
    const std::string location = chainLabel(chain) + ": inertia_node";
    CLIPMILL_TRY(nodes.back(), findOneNode(skeleton, *chain.inertia_node, location));
    if (found.swings[toSize(nodes.back())]) {
      return Error{ErrorCode::kUnsupported, location, "is moved by a chain",
                   "name a node that no chain moves"};
    }
  }
  return nodes;
}

// A list of colliders that names some.
Status checkListed(const JointSettings& joint, const std::vector<FoundCollider>& colliders) {
  std::vector<std::string> names;
  for (const FoundCollider& found : colliders) names.push_back(found.collider.name);
  for (const std::string& pattern : joint.colliders) {
    const bool is_known = pattern == "none" || pattern == "*" || pattern.starts_with("chain:") ||
                          std::any_of(names.begin(), names.end(), [&](const std::string& name) {
                            return matchesGlob(pattern, name);
                          });
    if (is_known) continue;
    const auto nearest = nearestWord(pattern, names);
    return Error{ErrorCode::kNotFound, "joint '" + joint.node + "'",
                 "no collider matches '" + pattern + "'",
                 nearest ? "did you mean '" + *nearest + "'?" : "add a collider of that name"};
  }
  return {};
}

void setOwn(const JointSettings& from, JointSettings& own) {
  const auto take = [](const std::optional<double>& value, std::optional<double>& kept) {
    if (value) kept = value;
  };
  take(from.stiffness, own.stiffness);
  take(from.thickness, own.thickness);
  take(from.frequency_hz, own.frequency_hz);
  take(from.damping_ratio, own.damping_ratio);
  take(from.air_drag_per_s, own.air_drag_per_s);
  take(from.drag, own.drag);
  take(from.gravity_mps2, own.gravity_mps2);
  take(from.radius_m, own.radius_m);
  take(from.friction, own.friction);
  if (from.colliders != JointSettings().colliders) own.colliders = from.colliders;
}

// Gives the bones the values of their joints.
Status setOwnValues(const Skeleton& skeleton, const DynamicBonesSettings& settings,
                    const std::vector<FoundCollider>& colliders, SwingingNodes& found, Rig& rig) {
  for (const JointSettings& joint : settings.joint) {
    const std::vector<int> nodes = findNodes(skeleton, joint.node);
    if (nodes.empty()) return noSuchNode(skeleton, joint.node, "joint '" + joint.node + "'");
    CLIPMILL_CHECK(checkListed(joint, colliders));
    bool has_bone = false;
    for (int node : nodes) {
      for (Bone& bone : found.bones[toSize(node)]) setOwn(joint, bone.own);
      has_bone = has_bone || !found.bones[toSize(node)].empty();
    }
    if (!has_bone) rig.joints_in_no_chain.push_back(joint.node);
  }
  return {};
}

// Makes slots of nodes: first those that follow the clip, then those at or below a joint.
std::vector<int> addSlots(const Skeleton& skeleton, const std::vector<bool>& needed,
                          const std::vector<bool>& swings, Rig& rig) {
  std::vector<int> slot_of(skeleton.size(), -1);
  for (const bool pass : {false, true}) {
    for (std::size_t i = 0; i < skeleton.size(); ++i) {
      if (!needed[i] || swings[i] != pass) continue;
      slot_of[i] = static_cast<int>(rig.slots.size());
      const int above = skeleton.nodes[i].parent;
      const int parent = above < 0 ? -1 : slot_of[toSize(above)];
      if (parent >= 0) rig.slots[toSize(parent)].is_parent = true;
      Slot slot;
      slot.node = static_cast<int>(i);
      slot.parent = parent;
      rig.slots.push_back(slot);
    }
    if (!pass) rig.following_count = rig.slots.size();
  }
  return slot_of;
}

void addJoints(const std::vector<std::vector<Bone>>& bones, Rig& rig) {
  for (std::size_t s = rig.following_count; s < rig.slots.size(); ++s) {
    const std::vector<Bone>& own = bones[toSize(rig.slots[s].node)];
    if (own.empty()) continue;
    rig.slots[s].joint = static_cast<int>(rig.joints.size());
    rig.joints.push_back({static_cast<int>(s), rig.bones.size(), rig.bones.size() + own.size()});
    for (Bone bone : own) {
      bone.joint = rig.slots[s].joint;
      rig.bones.push_back(bone);
    }
  }
}

// Sets the parent and the branch of every bone.
void linkBones(std::size_t node_count, Rig& rig) {
  std::vector<int> bone_to(node_count, -1);  // the bone that ends at a node
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    if (rig.bones[b].tail_node >= 0) {
      bone_to[toSize(rig.bones[b].tail_node)] = static_cast<int>(b);
    }
  }
  for (Bone& bone : rig.bones) {
    const int slot = rig.joints[toSize(bone.joint)].slot;
    const int node = rig.slots[toSize(slot)].node;
    const int above = bone_to[toSize(node)];
    const bool is_same_chain = above >= 0 && rig.bones[toSize(above)].chain == bone.chain;
    bone.parent = is_same_chain ? above : -1;
    bone.branch = is_same_chain ? rig.bones[toSize(above)].branch : bone.joint;
  }
}

// The lowest slot that follows the clip above each chain's first joint.
std::vector<int> findAttachmentSlots(const Rig& rig, std::size_t chain_count) {
  std::vector<int> slots(chain_count, -1);
  for (std::size_t b = rig.bones.size(); b-- > 0;) {
    const Bone& bone = rig.bones[b];
    int slot = rig.slots[toSize(rig.joints[toSize(bone.joint)].slot)].parent;
    while (slot >= static_cast<int>(rig.following_count)) {
      slot = rig.slots[toSize(slot)].parent;
    }
    slots[toSize(bone.chain)] = slot;
  }
  return slots;
}

// Marks the nodes that vertices follow.
void markSkin(const Scene& scene, std::vector<bool>& needed) {
  for (const Skin& skin : scene.skins) {
    for (const int joint : skin.joints) markNeeded(scene.skeleton, joint, needed);
  }
  for (const SkinnedMesh& mesh : scene.meshes) markNeeded(scene.skeleton, mesh.node, needed);
}

// Of a file in which `auto` finds no chain, or none that the clips leave as it is.
Error nothingFound(const DynamicBonesSettings& settings) {
  std::string found;
  for (const std::string& note : settings.found_notes) found += (found.empty() ? "" : "; ") + note;
  const bool has_animated = found.find("left out: animated") != std::string::npos;
  return {ErrorCode::kRecipe, "dynamic-bones", "no chain to simulate: " + found,
          has_animated ? "set `animated = \"simulate\"` to swing chains about their animated pose"
                       : "name the first joint of each, e.g. --chain Tail"};
}

}  // namespace

bool stretches(const Bone& bone, const DynamicBonesSettings& settings) {
  const ChainSettings& chain = settings.chain[toSize(bone.chain)];
  return settings.method == DynamicBonesMethod::kSpring && bone.path.size() == 1 &&
         (chain.max_stretch.at(bone.depth) > 0.0 || chain.max_squish.at(bone.depth) > 0.0);
}

bool listsName(const std::vector<std::string>& patterns, std::string_view name) {
  bool is_listed = false;
  for (const std::string& pattern : patterns) {
    if (pattern == "none") continue;
    const bool excludes = pattern.starts_with('!');
    const std::string_view glob = std::string_view(pattern).substr(excludes ? 1 : 0);
    if (matchesGlob(glob, name)) is_listed = !excludes;
  }
  return is_listed;
}

bool isListed(const Bone& bone, const RigCollider& collider) {
  return listsName(bone.own.colliders, collider.name);
}

Quat rotationOfDegrees(const std::vector<double>& angles_deg) {
  return rotationAbout(Vec3(0, 0, 1), angles_deg[2] * kDegree) *
         rotationAbout(Vec3(0, 1, 0), angles_deg[1] * kDegree) *
         rotationAbout(Vec3(1, 0, 0), angles_deg[0] * kDegree);
}

Result<Rig> makeRig(const Scene& scene, const DynamicBonesSettings& settings) {
  if (settings.chain.empty() && !settings.found_notes.empty()) return nothingFound(settings);
  if (settings.chain.empty()) {
    return Error{ErrorCode::kRecipe, "dynamic-bones", "no chain is named",
                 "name the first joint of each, e.g. --chain Tail, or detect them with --auto"};
  }
  CLIPMILL_TRY(const auto colliders, findColliders(scene.skeleton, settings));
  CLIPMILL_TRY(SwingingNodes found, findBones(scene, settings));
  Rig rig;
  CLIPMILL_CHECK(setOwnValues(scene.skeleton, settings, colliders, found, rig));
  CLIPMILL_TRY(const auto inertia_nodes, findInertiaNodes(scene.skeleton, settings, found));

  std::vector<bool> needed(scene.skeleton.size(), false);
  for (std::size_t i = 0; i < found.bones.size(); ++i) {
    if (!found.bones[i].empty()) markNeeded(scene.skeleton, static_cast<int>(i), needed);
  }
  for (const FoundCollider& collider : colliders) {
    if (collider.node) markNeeded(scene.skeleton, *collider.node, needed);
  }
  for (int node : inertia_nodes) markNeeded(scene.skeleton, node, needed);
  const bool avoids_skin = settings.colliders == ColliderSource::kSkin;
  if (avoids_skin) markSkin(scene, needed);

  const std::vector<int> slot_of = addSlots(scene.skeleton, needed, found.swings, rig);
  addJoints(found.bones, rig);
  linkBones(scene.skeleton.size(), rig);
  rig.attachment_slots = findAttachmentSlots(rig, settings.chain.size());
  for (std::size_t i = 0; i < inertia_nodes.size(); ++i) {
    const int node = inertia_nodes[i];
    rig.inertia_slots.push_back(node < 0 ? rig.attachment_slots[i] : slot_of[toSize(node)]);
  }
  for (const FoundCollider& found_collider : colliders) {
    rig.colliders.push_back(found_collider.collider);
    if (found_collider.node) rig.colliders.back().slot = slot_of[toSize(*found_collider.node)];
  }
  addBoneSolids(scene, settings, rig);
  rig.skin_uses = skinOfChains(settings);
  if (avoids_skin || settings.measures_skin) {
    auto skin = std::make_shared<ChainSkin>(makeChainSkin(scene, settings, rig, found.swings));
    if (!skin->surfaces.front().empty()) rig.skin = std::move(skin);
  }
  // RigPose computes world transforms of parents only.
  for (Slot& slot : rig.slots) slot.is_parent = slot.is_parent || avoids_skin;
  for (const RigCollider& collider : rig.colliders) {
    if (!collider.isFixed()) rig.slots[toSize(collider.slot)].is_parent = true;
  }
  CLIPMILL_TRY(rig.colliders_of_chain, collidersOfChains(settings, rig));
  rig.colliders_of_bone = collidersOfBones(scene, settings, rig);
  return rig;
}

}  // namespace clipmill::stages::dynamic_bones
