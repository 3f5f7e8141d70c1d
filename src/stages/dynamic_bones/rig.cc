// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rig.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"
#include "core/text.h"
#include "stages/dynamic_bones/chain.h"

namespace clipmill::bones {
namespace {

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

// What is read of the rest pose, in metric space.
struct Rest {
  std::vector<Affine> worlds;  // one a node
};

// A collider's settings and the node that they name.
struct FoundCollider {
  int node = 0;
  RigCollider collider;
};

std::string colliderPlace(const ColliderSettings& collider) {
  return "collider '" + (collider.name.empty() ? collider.node : collider.name) + "'";
}

Result<FoundCollider> findCollider(const Skeleton& skeleton, const ColliderSettings& settings) {
  const std::string place = colliderPlace(settings);
  std::vector<int> matches;
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    if (skeleton.nodes[i].name == settings.node) matches.push_back(static_cast<int>(i));
  }
  if (matches.empty()) matches = findNodes(skeleton, settings.node);
  if (matches.empty()) return noSuchNode(skeleton, settings.node, place);
  if (matches.size() > 1) {
    return Error{ErrorCode::kRecipe, place,
                 "'" + settings.node + "' matches " + counted(matches.size(), "node"),
                 "give a name or path that only one node has"};
  }
  FoundCollider found;
  found.node = matches.front();
  RigCollider& collider = found.collider;
  const std::string& node_name = skeleton.nodes[static_cast<std::size_t>(found.node)].name;
  collider.name = settings.name.empty() ? node_name : settings.name;
  collider.head_m = Vec3(settings.offset_m[0], settings.offset_m[1], settings.offset_m[2]);
  collider.tail_m = settings.shape == ColliderShape::kSphere
                        ? collider.head_m
                        : Vec3(settings.tail_m[0], settings.tail_m[1], settings.tail_m[2]);
  collider.radius_m = settings.radius_m;
  return found;
}

// Colliders whose name matches one of the chain's patterns.
Result<std::vector<int>> collidersOf(const ChainSettings& chain,
                                     const std::vector<RigCollider>& all) {
  std::vector<bool> wanted(all.size(), false);
  for (const std::string& pattern : chain.colliders) {
    if (pattern == "none") continue;
    bool found = pattern == "*";
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!matchesGlob(pattern, all[i].name)) continue;
      wanted[i] = found = true;
    }
    if (found) continue;
    std::vector<std::string> names;
    for (const RigCollider& collider : all) names.push_back(collider.name);
    const auto nearest = nearestWord(pattern, names);
    return Error{ErrorCode::kNotFound, placeOf(chain), "no collider matches '" + pattern + "'",
                 nearest ? "did you mean '" + *nearest + "'?" : "add it to the colliders"};
  }
  std::vector<int> indices;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (wanted[i]) indices.push_back(static_cast<int>(i));
  }
  return indices;
}

// The virtual tip of the last joint `node`: straight on from the bone that leads to it, in its
// axes.
Vec3 tipOffset(const Skeleton& skeleton, const Rest& rest, int node, double tip_length) {
  const int parent = skeleton.nodes[static_cast<std::size_t>(node)].parent;
  if (parent < 0) return Vec3(0.0);
  const Affine& world = rest.worlds[static_cast<std::size_t>(node)];
  const Vec3 bone = world.translation - rest.worlds[static_cast<std::size_t>(parent)].translation;
  const Vec3 offset = glm::inverse(world.linear) * (bone * tip_length);
  return isFinite(offset) ? offset : Vec3(0.0);
}

// Bones of all joints with their depths, joint by joint in the order of nodes.
class BoneBuilder {
 public:
  BoneBuilder(const Scene& scene, const Rest& rest, const std::vector<ChainNode>& nodes,
              const DynamicBonesSettings& settings)
      : skeleton_(scene.skeleton),
        rest_(rest),
        nodes_(nodes),
        settings_(settings),
        above_m_(nodes.size(), 0.0),
        below_m_(nodes.size(), 0.0) {
    measureDepths();
  }

  std::vector<Bone> bonesOf(int node) const {
    const std::size_t i = static_cast<std::size_t>(node);
    const ChainNode& chain_node = nodes_[i];
    std::vector<Bone> bones;
    if (!chain_node.may_turn) return bones;
    for (int child : chain_node.children) bones.push_back(boneTo(node, child));
    const Vec3 tip = tipOf(node);
    if (bones.empty() && tip != Vec3(0.0)) {
      Bone bone = boneTo(node, -1);
      bone.tip_offset = tip;
      bones.push_back(bone);
    }
    return bones;
  }

 private:
  Vec3 tipOf(int node) const {
    const ChainNode& chain_node = nodes_[static_cast<std::size_t>(node)];
    if (!chain_node.children.empty() || !chain_node.may_turn) return Vec3(0.0);
    const auto& chain = settings_.chain[static_cast<std::size_t>(chain_node.chain)];
    return tipOffset(skeleton_, rest_, node, chain.tip_length);
  }

  double restLength_m(int from, int to) const {
    return lengthOf(rest_.worlds[static_cast<std::size_t>(to)].translation -
                    rest_.worlds[static_cast<std::size_t>(from)].translation);
  }

  // above: from the chain's root to the node; below: from the node to the farthest tip under it.
  void measureDepths() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      for (int child : nodes_[i].children) {
        above_m_[static_cast<std::size_t>(child)] =
            above_m_[i] + restLength_m(static_cast<int>(i), child);
      }
    }
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      below_m_[i] = lengthOf(rest_.worlds[i].linear * tipOf(static_cast<int>(i)));
      for (int child : nodes_[i].children) {
        below_m_[i] = std::max(below_m_[i], below_m_[static_cast<std::size_t>(child)] +
                                                restLength_m(static_cast<int>(i), child));
      }
    }
  }

  Bone boneTo(int node, int child) const {
    const std::size_t i = static_cast<std::size_t>(node);
    const std::size_t end = static_cast<std::size_t>(child < 0 ? node : child);
    Bone bone;
    bone.chain = nodes_[i].chain;
    bone.tail_node = child;
    const double below_m = child < 0 ? 0.0 : below_m_[end];
    const double above_m = child < 0 ? above_m_[i] + below_m_[i] : above_m_[end];
    bone.depth = above_m + below_m > 0.0 ? above_m / (above_m + below_m) : 0.0;
    const Vec3 up = glm::inverse(rest_.worlds[i].linear) * Vec3(0, 1, 0);
    bone.rest_up = isFinite(up) ? up : Vec3(0.0);
    return bone;
  }

  const Skeleton& skeleton_;
  const Rest& rest_;
  const std::vector<ChainNode>& nodes_;
  const DynamicBonesSettings& settings_;
  std::vector<double> above_m_, below_m_;
};

// Marks `node` and its ancestors as needed.
void need(const Skeleton& skeleton, int node, std::vector<bool>& needed) {
  while (node >= 0 && !needed[static_cast<std::size_t>(node)]) {
    needed[static_cast<std::size_t>(node)] = true;
    node = skeleton.nodes[static_cast<std::size_t>(node)].parent;
  }
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

// What chains make of the skeleton, node by node.
struct Swinging {
  std::vector<std::vector<Bone>> bones;  // of each node
  std::vector<bool> swings;              // nodes that get a rotation, and all below them
  std::vector<bool> needed;              // joints and all above them
};

Result<Swinging> findBones(const Scene& scene, const DynamicBonesSettings& settings) {
  const Skeleton& skeleton = scene.skeleton;
  CLIPMILL_TRY(const std::vector<ChainNode> chain_nodes, findChains(skeleton, settings.chain));
  Rest rest;
  computeWorlds(skeleton, restPose(skeleton).locals, scene.metric_from_file, rest.worlds);
  const BoneBuilder builder(scene, rest, chain_nodes, settings);
  const std::size_t count = skeleton.size();
  Swinging found{std::vector<std::vector<Bone>>(count), std::vector<bool>(count, false),
                 std::vector<bool>(count, false)};
  std::vector<bool> has_bone(settings.chain.size(), false);
  for (std::size_t i = 0; i < count; ++i) {
    const int parent = skeleton.nodes[i].parent;
    found.bones[i] = builder.bonesOf(static_cast<int>(i));
    const bool is_joint = !found.bones[i].empty();
    found.swings[i] = is_joint || (parent >= 0 && found.swings[static_cast<std::size_t>(parent)]);
    if (!is_joint) continue;
    has_bone[static_cast<std::size_t>(chain_nodes[i].chain)] = true;
    need(skeleton, static_cast<int>(i), found.needed);
  }
  for (std::size_t i = 0; i < has_bone.size(); ++i) {
    if (has_bone[i]) continue;
    return Error{ErrorCode::kRecipe, placeOf(settings.chain[i]), "has no bone that could swing",
                 "begin it nearer to the root, or set tip_length above 0"};
  }
  return found;
}

Status needColliders(const Skeleton& skeleton, const DynamicBonesSettings& settings,
                     const std::vector<FoundCollider>& colliders, Swinging& found) {
  for (std::size_t i = 0; i < colliders.size(); ++i) {
    if (found.swings[static_cast<std::size_t>(colliders[i].node)]) {
      return Error{ErrorCode::kUnsupported, colliderPlace(settings.collider[i]),
                   "its node is moved by a chain", "put it on a node that only follows the clip"};
    }
    need(skeleton, colliders[i].node, found.needed);
  }
  return {};
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

}  // namespace

Result<Rig> makeRig(const Scene& scene, const DynamicBonesSettings& settings) {
  if (settings.chain.empty()) {
    return Error{ErrorCode::kRecipe, "dynamic-bones", "no chain is named",
                 "add one with the pattern of its first joint as root"};
  }
  std::vector<FoundCollider> colliders;
  for (const ColliderSettings& wanted : settings.collider) {
    CLIPMILL_TRY(FoundCollider collider, findCollider(scene.skeleton, wanted));
    colliders.push_back(std::move(collider));
  }
  Rig rig;
  CLIPMILL_TRY(Swinging found, findBones(scene, settings));
  CLIPMILL_CHECK(needColliders(scene.skeleton, settings, colliders, found));
  const std::vector<int> slot_of = addSlots(scene.skeleton, found.needed, found.swings, rig);
  addJoints(found.bones, rig);
  for (const FoundCollider& collider : colliders) {
    rig.colliders.push_back(collider.collider);
    rig.colliders.back().slot = slot_of[static_cast<std::size_t>(collider.node)];
  }
  for (const ChainSettings& chain : settings.chain) {
    CLIPMILL_TRY(std::vector<int> indices, collidersOf(chain, rig.colliders));
    rig.colliders_of_chain.push_back(std::move(indices));
  }
  return rig;
}

}  // namespace clipmill::bones
