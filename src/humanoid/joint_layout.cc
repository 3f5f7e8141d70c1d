// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "humanoid/joint_layout.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"
#include "core/finite.h"
#include "core/to_size.h"

namespace clipmill::humanoid {
namespace {

const Skin* largestSkin(const Scene& scene) {
  const Skin* largest = nullptr;
  for (const Skin& skin : scene.skins) {
    if (skin.joint_from_bind.size() != skin.joints.size()) continue;
    if (!largest || skin.joints.size() > largest->joints.size()) largest = &skin;
  }
  return largest;
}

// worlds of the pose in which `skin` was bound: its first joint, parents before children, is as
// at rest; nodes that are no joints of it follow their parents. Left as they are where that does
// not work out.
void poseAsBound(const Skeleton& skeleton, const Skin& skin, std::vector<Affine>& worlds) {
  std::vector<int> joint_of(skeleton.size(), -1);
  for (std::size_t j = 0; j < skin.joints.size(); ++j) {
    joint_of[toSize(skin.joints[j])] = static_cast<int>(j);
  }
  const auto first =
      std::find_if(joint_of.begin(), joint_of.end(), [](int joint) { return joint >= 0; });
  if (first == joint_of.end()) return;
  const Affine world_from_bind =
      worlds[toSize(first - joint_of.begin())] * skin.joint_from_bind[toSize(*first)];
  std::vector<Affine> bound = worlds;
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    const int parent = skeleton.nodes[i].parent;
    if (joint_of[i] >= 0) {
      bound[i] = world_from_bind * inverse(skin.joint_from_bind[toSize(joint_of[i])]);
    } else if (parent >= 0) {
      bound[i] = bound[toSize(parent)] * toAffine(skeleton.nodes[i].rest);
    }
    if (!isFinite(bound[i])) return;
  }
  worlds = bound;
}

// How high what hangs on `node` reaches along `rising`.
double topOf(const JointLayout& character, int node, const Vec3& rising) {
  constexpr std::size_t kMaxNodes = 1000;
  double top = glm::dot(character.positionOf(node), rising);
  std::vector<int> open = {node};
  for (std::size_t i = 0; i < open.size() && i < kMaxNodes; ++i) {
    top = std::max(top, glm::dot(character.positionOf(open[i]), rising));
    const std::vector<int>& children = character.childrenOf(open[i]);
    open.insert(open.end(), children.begin(), children.end());
  }
  return top;
}

// The child of `chest` besides the arms that rises, and on which the highest node hangs; or -1.
int risingChild(const JointLayout& character, int chest, const Limbs& limbs, const Vec3& rising) {
  int best = -1;
  double best_top = 0.0;
  for (int child : character.childrenOf(chest)) {
    if (character.has_joints && !character.isJoint(child)) continue;
    const auto carries = [&](const Limb& arm) {
      return arm.root() >= 0 && isAtOrAbove(character, child, arm.root());
    };
    if (carries(limbs.left_arm) || carries(limbs.right_arm)) continue;
    if (glm::dot(character.positionOf(child) - character.positionOf(chest), rising) <= 0.0)
      continue;
    const double top = topOf(character, child, rising);
    if (best < 0 || top > best_top) {
      best_top = top;
      best = child;
    }
  }
  return best;
}

// The joint that continues a neck: the only child, or the only one that carries anything and rises
// (a jaw does not); -1 where there is none.
int nextOfNeck(const JointLayout& character, int node, const Vec3& rising) {
  constexpr double kRisingCosine = 0.5;
  std::vector<int> children, carrying;
  for (int child : character.childrenOf(node)) {
    if (character.has_joints && !character.isJoint(child)) continue;
    children.push_back(child);
    if (!character.childrenOf(child).empty()) carrying.push_back(child);
  }
  if (children.size() == 1) return children.front();
  if (carrying.size() != 1) return -1;
  const Vec3 bone = character.positionOf(carrying.front()) - character.positionOf(node);
  const double lengths = std::sqrt(glm::dot(bone, bone) * glm::dot(rising, rising));
  return glm::dot(bone, rising) > kRisingCosine * lengths ? carrying.front() : -1;
}

// Whether the last of the joints in a row from the neck upwards is but the top of the head. Where
// there is a skin, joints that move nothing are mostly missing, and a head is identified by being
// longer than the bones of the neck.
bool endsInTip(const JointLayout& character, const std::vector<int>& row) {
  if (row.size() < 3 || !character.childrenOf(row.back()).empty()) return false;
  if (!character.has_joints) return true;
  constexpr double kHeadPerNeckBone = 1.1;
  const std::size_t last = row.size() - 1;
  return distanceBetween(character, row[last - 1], row[last]) >
         kHeadPerNeckBone * distanceBetween(character, row[last - 2], row[last - 1]);
}

}  // namespace

JointLayout jointLayoutOf(const Scene& scene) {
  JointLayout character;
  character.scene = &scene;
  character.children = childrenOf(scene.skeleton);
  character.is_joint.assign(scene.skeleton.size(), false);
  for (const Skin& skin : scene.skins) {
    for (int joint : skin.joints) {
      character.is_joint[toSize(joint)] = true;
      character.has_joints = true;
    }
  }
  const std::vector<Affine> worlds = boundWorlds(scene);
  character.positions.reserve(worlds.size());
  for (const Affine& world : worlds) character.positions.push_back(world.translation);
  return character;
}

std::vector<Affine> boundWorlds(const Scene& scene) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file, worlds);
  if (const Skin* skin = largestSkin(scene)) poseAsBound(scene.skeleton, *skin, worlds);
  return worlds;
}

double distanceBetween(const JointLayout& character, int a, int b) {
  const Vec3 d = character.positionOf(a) - character.positionOf(b);
  return std::sqrt(glm::dot(d, d));
}

bool isAtOrAbove(const JointLayout& character, int above, int node) {
  // Parents have smaller indices than their children.
  while (node > above) node = character.parentOf(node);
  return node == above && node >= 0;
}

int commonAncestor(const JointLayout& character, int a, int b) {
  while (a != b && a >= 0 && b >= 0) {
    if (a > b) {
      a = character.parentOf(a);
    } else {
      b = character.parentOf(b);
    }
  }
  return a == b ? a : -1;
}

std::vector<int> pathDown(const JointLayout& character, int above, int node) {
  std::vector<int> path;
  while (node > above) {
    path.push_back(node);
    node = character.parentOf(node);
  }
  if (node != above || node < 0) return {};
  std::reverse(path.begin(), path.end());
  return path;
}

void setLimbs(const Limbs& limbs, HumanoidMap& map) {
  using enum HumanoidRole;
  roleOf(map, kLeftShoulder) = limbs.left_arm.first;
  roleOf(map, kLeftUpperArm) = limbs.left_arm.upper;
  roleOf(map, kLeftLowerArm) = limbs.left_arm.lower;
  roleOf(map, kLeftHand) = limbs.left_arm.end;
  roleOf(map, kRightShoulder) = limbs.right_arm.first;
  roleOf(map, kRightUpperArm) = limbs.right_arm.upper;
  roleOf(map, kRightLowerArm) = limbs.right_arm.lower;
  roleOf(map, kRightHand) = limbs.right_arm.end;
  roleOf(map, kLeftUpperLeg) = limbs.left_leg.upper;
  roleOf(map, kLeftLowerLeg) = limbs.left_leg.lower;
  roleOf(map, kLeftFoot) = limbs.left_leg.end;
  roleOf(map, kLeftToes) = limbs.left_leg.toes;
  roleOf(map, kRightUpperLeg) = limbs.right_leg.upper;
  roleOf(map, kRightLowerLeg) = limbs.right_leg.lower;
  roleOf(map, kRightFoot) = limbs.right_leg.end;
  roleOf(map, kRightToes) = limbs.right_leg.toes;
}

const std::vector<HumanoidRole>& coreRoles() {
  using enum HumanoidRole;
  static const std::vector<HumanoidRole> roles = {
      kHips,         kSpine,         kHead,          kLeftUpperArm,  kLeftLowerArm,
      kLeftHand,     kRightUpperArm, kRightLowerArm, kRightHand,     kLeftUpperLeg,
      kLeftLowerLeg, kLeftFoot,      kRightUpperLeg, kRightLowerLeg, kRightFoot};
  return roles;
}

std::size_t countCoreRoles(const HumanoidMap& map) {
  return toSize(std::count_if(coreRoles().begin(), coreRoles().end(),
                              [&](HumanoidRole role) { return map[role] >= 0; }));
}

void setSpine(const std::vector<int>& path, HumanoidMap& map) {
  if (path.empty()) return;
  roleOf(map, HumanoidRole::kSpine) = path.front();
  if (path.size() >= 2) roleOf(map, HumanoidRole::kChest) = path[path.size() / 2];
  if (path.size() >= 3) roleOf(map, HumanoidRole::kUpperChest) = path.back();
}

void setNeckAndHead(const JointLayout& character, int chest, const Limbs& limbs, const Vec3& rising,
                    HumanoidMap& map) {
  const int first = risingChild(character, chest, limbs, rising);
  if (first < 0) return;
  std::vector<int> row = {first};
  // The children of a head are hair, eyes or none; a neck has one child.
  constexpr std::size_t kMaxNeck = 4;
  while (row.size() < kMaxNeck) {
    const int next = nextOfNeck(character, row.back(), rising);
    if (next < 0) break;
    row.push_back(next);
  }
  const std::size_t head = endsInTip(character, row) ? row.size() - 2 : row.size() - 1;
  roleOf(map, HumanoidRole::kHead) = row[head];
  if (head > 0) roleOf(map, HumanoidRole::kNeck) = row.front();
}

}  // namespace clipmill::humanoid
