// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rig/rig.h"

#include "stages/dynamic_bones/chains/chain.h"
#include "stages/dynamic_bones/rig/rig_bones.h"
#include "stages/dynamic_bones/rig/rig_colliders.h"

namespace clipmill::bones {
namespace {

// Marks `node` and its ancestors as needed.
void need(const Skeleton& skeleton, int node, std::vector<bool>& needed) {
  while (node >= 0 && !needed[static_cast<std::size_t>(node)]) {
    needed[static_cast<std::size_t>(node)] = true;
    node = skeleton.nodes[static_cast<std::size_t>(node)].parent;
  }
}

// The inertia node of every chain, or -1 where that is the one that carries it.
Result<std::vector<int>> findInertiaNodes(const Skeleton& skeleton,
                                          const DynamicBonesSettings& settings,
                                          const SwingingNodes& found) {
  std::vector<int> nodes;
  for (const ChainSettings& chain : settings.chain) {
    nodes.push_back(-1);
    if (chain.inertia_node.empty()) continue;
    const std::string place = placeOf(chain) + ": inertia_node";
    CLIPMILL_TRY(nodes.back(), findOneNode(skeleton, chain.inertia_node, place));
    if (found.swings[static_cast<std::size_t>(nodes.back())]) {
      return Error{ErrorCode::kUnsupported, place, "is moved by a chain",
                   "name a node that only follows the clip"};
    }
  }
  return nodes;
}

// Turns nodes into slots: those that follow the clip first, then those at or below a joint.
std::vector<int> addSlots(const Skeleton& skeleton, const std::vector<bool>& needed,
                          const std::vector<bool>& swings, Rig& rig) {
  std::vector<int> slot_of(skeleton.size(), -1);
  for (const bool pass : {false, true}) {
    for (std::size_t i = 0; i < skeleton.size(); ++i) {
      if (!needed[i] || swings[i] != pass) continue;
      slot_of[i] = static_cast<int>(rig.slots.size());
      const int above = skeleton.nodes[i].parent;
      const int parent = above < 0 ? -1 : slot_of[static_cast<std::size_t>(above)];
      if (parent >= 0) rig.slots[static_cast<std::size_t>(parent)].is_parent = true;
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
    const std::vector<Bone>& own = bones[static_cast<std::size_t>(rig.slots[s].node)];
    if (own.empty()) continue;
    rig.slots[s].joint = static_cast<int>(rig.joints.size());
    rig.joints.push_back({static_cast<int>(s), rig.bones.size(), rig.bones.size() + own.size()});
    for (Bone bone : own) {
      bone.joint = rig.slots[s].joint;
      rig.bones.push_back(bone);
    }
  }
}

// Tells every bone which one it hangs on, and to which branch it belongs.
void linkBones(std::size_t node_count, Rig& rig) {
  std::vector<int> bone_to(node_count, -1);  // the bone that ends at a node
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    if (rig.bones[b].tail_node >= 0) {
      bone_to[static_cast<std::size_t>(rig.bones[b].tail_node)] = static_cast<int>(b);
    }
  }
  for (Bone& bone : rig.bones) {
    const int slot = rig.joints[static_cast<std::size_t>(bone.joint)].slot;
    const int node = rig.slots[static_cast<std::size_t>(slot)].node;
    const int above = bone_to[static_cast<std::size_t>(node)];
    const bool is_same_chain =
        above >= 0 && rig.bones[static_cast<std::size_t>(above)].chain == bone.chain;
    bone.parent = is_same_chain ? above : -1;
    bone.branch = is_same_chain ? rig.bones[static_cast<std::size_t>(above)].branch : bone.joint;
  }
}

// The lowest slot that follows the clip above each chain's first joint.
std::vector<int> findCarriers(const Rig& rig, std::size_t chain_count) {
  std::vector<int> carriers(chain_count, -1);
  for (std::size_t b = rig.bones.size(); b-- > 0;) {
    const Bone& bone = rig.bones[b];
    int slot =
        rig.slots[static_cast<std::size_t>(rig.joints[static_cast<std::size_t>(bone.joint)].slot)]
            .parent;
    while (slot >= static_cast<int>(rig.following_count)) {
      slot = rig.slots[static_cast<std::size_t>(slot)].parent;
    }
    carriers[static_cast<std::size_t>(bone.chain)] = slot;
  }
  return carriers;
}

}  // namespace

bool stretches(const Bone& bone, const DynamicBonesSettings& settings) {
  const ChainSettings& chain = settings.chain[static_cast<std::size_t>(bone.chain)];
  return settings.method == DynamicBonesMethod::kSpring && bone.path.size() == 1 &&
         (chain.stretch.at(bone.depth) > 0.0 || chain.squish.at(bone.depth) > 0.0);
}

Quat rotationOfDegrees(const std::vector<double>& angles_deg) {
  return rotationAbout(Vec3(0, 0, 1), angles_deg[2] * kDegree) *
         rotationAbout(Vec3(0, 1, 0), angles_deg[1] * kDegree) *
         rotationAbout(Vec3(1, 0, 0), angles_deg[0] * kDegree);
}

Result<Rig> makeRig(const Scene& scene, const DynamicBonesSettings& settings) {
  if (settings.chain.empty()) {
    return Error{ErrorCode::kRecipe, "dynamic-bones", "no chain is named",
                 "add one with the pattern of its first joint as root, or look for chains with "
                 "--auto"};
  }
  CLIPMILL_TRY(const auto colliders, findColliders(scene.skeleton, settings));
  CLIPMILL_TRY(const SwingingNodes found, findBones(scene, settings));
  CLIPMILL_TRY(const auto inertia_nodes, findInertiaNodes(scene.skeleton, settings, found));

  std::vector<bool> needed(scene.skeleton.size(), false);
  for (std::size_t i = 0; i < found.bones.size(); ++i) {
    if (!found.bones[i].empty()) need(scene.skeleton, static_cast<int>(i), needed);
  }
  for (const FoundCollider& collider : colliders) need(scene.skeleton, collider.node, needed);
  for (int node : inertia_nodes) need(scene.skeleton, node, needed);

  Rig rig;
  const std::vector<int> slot_of = addSlots(scene.skeleton, needed, found.swings, rig);
  addJoints(found.bones, rig);
  linkBones(scene.skeleton.size(), rig);
  rig.carriers = findCarriers(rig, settings.chain.size());
  for (std::size_t i = 0; i < inertia_nodes.size(); ++i) {
    const int node = inertia_nodes[i];
    rig.inertia_slots.push_back(node < 0 ? rig.carriers[i]
                                         : slot_of[static_cast<std::size_t>(node)]);
  }
  for (const FoundCollider& found_collider : colliders) {
    rig.colliders.push_back(found_collider.collider);
    rig.colliders.back().slot = slot_of[static_cast<std::size_t>(found_collider.node)];
  }
  addBoneSolids(scene, settings, rig);
  // The worlds of slots that carry something are worked out.
  for (const RigCollider& collider : rig.colliders) {
    rig.slots[static_cast<std::size_t>(collider.slot)].is_parent = true;
  }
  CLIPMILL_TRY(rig.colliders_of_chain, collidersOfChains(settings, rig));
  rig.colliders_of_bone = collidersOfBones(scene, settings, rig);
  return rig;
}

}  // namespace clipmill::bones
