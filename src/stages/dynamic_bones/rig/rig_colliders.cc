// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rig/rig_colliders.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "anim/pose.h"
#include "core/math.h"
#include "core/text.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/chains/chain.h"

namespace clipmill::stages::dynamic_bones {
namespace {

constexpr const char* kFixedName = "world";  // of a collider without a node
constexpr const char* kGroundName = "ground";

std::string colliderLabel(const ColliderSettings& collider) {
  return "collider '" + (collider.name.empty() ? collider.node : collider.name) + "'";
}

Vec3 vectorOf(const std::vector<double>& numbers) {
  return Vec3(numbers[0], numbers[1], numbers[2]);
}

Solid solidOf(const ColliderSettings& settings) {
  Solid solid;
  solid.shape = settings.shape;
  solid.inside = settings.inside;
  solid.head = vectorOf(settings.offset_m);
  solid.tail = settings.shape == ColliderShape::kCapsule ? vectorOf(settings.tail_m) : solid.head;
  solid.head_radius_m = settings.radius_m;
  solid.tail_radius_m = settings.tail_radius_m.value_or(settings.radius_m);
  solid.half_size = vectorOf(settings.half_size_m);
  solid.rotation = rotationOfDegrees(settings.rotation_deg);
  const Vec3 normal = vectorOf(settings.normal);
  if (lengthOf(normal) > 0.0) solid.normal = normal / lengthOf(normal);
  return solid;
}

FoundCollider groundAt(double height_m) {
  FoundCollider ground;
  ground.collider.name = kGroundName;
  ground.collider.solid.shape = ColliderShape::kPlane;
  ground.collider.solid.head = ground.collider.solid.tail = Vec3(0.0, height_m, 0.0);
  return ground;
}

// Colliders from the settings whose name the chain's patterns choose.
Result<std::vector<bool>> namedColliders(const ChainSettings& chain,
                                         const std::vector<RigCollider>& all, bool has_skin) {
  std::vector<bool> wanted(all.size(), false);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].bone >= 0) continue;
    names.push_back(all[i].name);
    wanted[i] = listsName(chain.colliders, all[i].name);
  }
  for (const std::string& pattern : chain.colliders) {
    if (pattern == "none" || pattern == "*" || pattern.starts_with('!')) continue;
    if (has_skin && (matchesGlob(pattern, kSkinName) || matchesGlob(pattern, kArmSkinName))) {
      continue;
    }
    if (std::any_of(names.begin(), names.end(),
                    [&](const std::string& name) { return matchesGlob(pattern, name); })) {
      continue;
    }
    const auto nearest = nearestWord(pattern, names);
    return Error{ErrorCode::kNotFound, chainLabel(chain), "no collider matches '" + pattern + "'",
                 nearest ? "did you mean '" + *nearest + "'?" : "add a collider of that name"};
  }
  return wanted;
}

const std::string& chainNameOf(const ChainSettings& chain) {
  return chain.joints.empty() ? chain.root : chain.joints.front();
}

bool avoids(const ChainSettings& chain, const ChainSettings& other) {
  return std::any_of(
      chain.avoid_chains.begin(), chain.avoid_chains.end(), [&](const std::string& pattern) {
        return pattern == chainNameOf(other) || matchesGlob(pattern, chainNameOf(other));
      });
}

Status checkAvoided(const DynamicBonesSettings& settings, const ChainSettings& chain) {
  for (const std::string& pattern : chain.avoid_chains) {
    std::vector<std::string> names;
    bool found = false;
    for (const ChainSettings& other : settings.chain) {
      names.push_back(chainNameOf(other));
      found = found || pattern == names.back() || matchesGlob(pattern, names.back());
    }
    if (found) continue;
    const auto nearest = nearestWord(pattern, names);
    return Error{ErrorCode::kNotFound, chainLabel(chain), "no chain matches '" + pattern + "'",
                 nearest ? "did you mean '" + *nearest + "'?" : "add a chain of that root"};
  }
  return {};
}

// The tapered capsule of a bone along the axes of its joint.
Solid solidOfBone(const Bone& bone, const ChainSettings& chain, const Affine& joint_world,
                  const std::vector<Affine>& worlds) {
  const Vec3 tail_m = bone.tail_node < 0 ? transformPoint(joint_world, bone.tip_offset)
                                         : worlds[toSize(bone.tail_node)].translation;
  Solid solid;
  solid.shape = ColliderShape::kCapsule;
  solid.tail = glm::conjugate(rotationOf(joint_world)) * (tail_m - joint_world.translation);
  if (!isFinite(solid.tail)) solid.tail = Vec3(0.0);
  solid.head_radius_m = bone.own.radius_m.value_or(chain.radius_m.at(bone.head_depth));
  solid.tail_radius_m = bone.own.radius_m.value_or(chain.radius_m.at(bone.depth));
  return solid;
}

// Whether a solid was fitted to the skin and the bone is in it at rest, as hair is in a head.
bool isEmbedded(const Rig& rig, const RigCollider& collider, const Bone& bone,
                const ChainSettings& chain, const std::vector<Affine>& worlds) {
  if (!collider.name.starts_with(kFittedPrefix)) return false;
  const auto worldOfSlot = [&](int slot) -> const Affine& {
    return worlds[toSize(rig.slots[toSize(slot)].node)];
  };
  const Affine& joint = worldOfSlot(rig.joints[toSize(bone.joint)].slot);
  const Vec3 end = bone.tail_node < 0 ? transformPoint(joint, bone.tip_offset)
                                      : worlds[toSize(bone.tail_node)].translation;
  const Affine& world = worldOfSlot(collider.slot);
  const RigidPose position{rotationOf(world), world.translation};
  const double radius_m = bone.own.radius_m.value_or(chain.radius_m.at(bone.depth));
  return signedDistance(collider.solid, position, end).distance_m < radius_m;
}

}  // namespace

std::vector<SkinUse> skinOfChains(const DynamicBonesSettings& settings) {
  std::vector<SkinUse> uses;
  for (const ChainSettings& chain : settings.chain) {
    const bool is_on = settings.colliders != ColliderSource::kGiven || settings.measures_skin;
    const bool avoids = is_on && listsName(chain.colliders, kSkinName);
    const bool avoids_arms = listsName(chain.colliders, kArmSkinName);
    uses.push_back(!avoids ? SkinUse::kNone : avoids_arms ? SkinUse::kAll : SkinUse::kWithoutArms);
  }
  return uses;
}

std::vector<std::vector<int>> collidersOfBones(const Scene& scene,
                                               const DynamicBonesSettings& settings,
                                               const Rig& rig) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file, worlds);
  std::vector<std::vector<int>> lists;
  for (const Bone& bone : rig.bones) {
    std::vector<int>& list = lists.emplace_back();
    const ChainSettings& chain = settings.chain[toSize(bone.chain)];
    for (int i : rig.colliders_of_chain[toSize(bone.chain)]) {
      const RigCollider& collider = rig.colliders[toSize(i)];
      const int other = collider.bone;
      if (!isListed(bone, collider)) continue;
      if (other >= 0 && isSameBranch(rig.bones[toSize(other)], bone)) continue;
      if (!isEmbedded(rig, collider, bone, chain, worlds)) list.push_back(i);
    }
  }
  return lists;
}

Result<std::vector<FoundCollider>> findColliders(const Skeleton& skeleton,
                                                 const DynamicBonesSettings& settings) {
  std::vector<FoundCollider> all;
  for (const ColliderSettings& wanted : settings.collider) {
    FoundCollider found;
    found.collider.name = wanted.name;
    if (!wanted.node.empty()) {
      CLIPMILL_TRY(found.node, findOneNode(skeleton, wanted.node, colliderLabel(wanted)));
      if (wanted.name.empty()) found.collider.name = skeleton.nodes[toSize(*found.node)].name;
    } else if (wanted.name.empty()) {
      found.collider.name = kFixedName;
    }
    found.collider.solid = solidOf(wanted);
    all.push_back(std::move(found));
  }
  if (settings.ground_m) all.push_back(groundAt(*settings.ground_m));
  return all;
}

void addBoneSolids(const Scene& scene, const DynamicBonesSettings& settings, Rig& rig) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file, worlds);
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    const Bone& bone = rig.bones[b];
    const ChainSettings& chain = settings.chain[toSize(bone.chain)];
    const bool is_avoided =
        std::any_of(settings.chain.begin(), settings.chain.end(),
                    [&](const ChainSettings& other) { return avoids(other, chain); });
    if (!is_avoided) continue;
    const int slot = rig.joints[toSize(bone.joint)].slot;
    const int node = rig.slots[toSize(slot)].node;
    RigCollider collider;
    collider.slot = slot;
    collider.name = "chain:" + chainNameOf(chain);
    collider.bone = static_cast<int>(b);
    collider.solid = solidOfBone(bone, chain, worlds[toSize(node)], worlds);
    rig.colliders.push_back(std::move(collider));
  }
}

Result<std::vector<std::vector<int>>> collidersOfChains(const DynamicBonesSettings& settings,
                                                        const Rig& rig) {
  const bool has_skin = settings.colliders == ColliderSource::kSkin;
  std::vector<std::vector<int>> lists;
  for (const ChainSettings& chain : settings.chain) {
    CLIPMILL_CHECK(checkAvoided(settings, chain));
    CLIPMILL_TRY(std::vector<bool> wanted, namedColliders(chain, rig.colliders, has_skin));
    std::vector<int>& list = lists.emplace_back();
    for (std::size_t i = 0; i < rig.colliders.size(); ++i) {
      const int bone = rig.colliders[i].bone;
      if (bone >= 0) {
        const int other = rig.bones[toSize(bone)].chain;
        wanted[i] = avoids(chain, settings.chain[toSize(other)]);
      }
      if (wanted[i]) list.push_back(static_cast<int>(i));
    }
  }
  return lists;
}

}  // namespace clipmill::stages::dynamic_bones
