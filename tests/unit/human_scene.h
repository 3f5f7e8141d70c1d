// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>

#include "core/to_size.h"
#include "humanoid/humanoid.h"
#include "scene/scene.h"

namespace clipmill::test {

/// Names of all 22 roles in the order of HumanoidRole; a role with an empty name has no node, and
/// what hangs on it hangs on the next node above.
using RoleNames = std::array<const char*, humanoid::kHumanoidRoleCount>;

/// The names of VRM 1.0.
inline RoleNames plainNames() {
  RoleNames names{};
  for (std::size_t i = 0; i < humanoid::kHumanoidRoleCount; ++i) {
    names[i] = humanoid::humanoidRoleName(static_cast<humanoid::HumanoidRole>(i));
  }
  return names;
}

/// Where the joints of a character 1.7 m tall are in T-pose, facing +z, its left at +x.
inline Vec3 positionOfRole(humanoid::HumanoidRole role) {
  using enum humanoid::HumanoidRole;
  constexpr std::array<std::array<double, 3>, 6> kTrunk = {{{0.0, 0.95, 0.0},
                                                            {0.0, 1.05, 0.0},
                                                            {0.0, 1.2, 0.0},
                                                            {0.0, 1.32, 0.0},
                                                            {0.0, 1.48, 0.0},
                                                            {0.0, 1.58, 0.02}}};
  constexpr std::array<std::array<double, 3>, 4> kArm = {
      {{0.04, 1.42, 0.0}, {0.18, 1.42, 0.0}, {0.46, 1.42, -0.01}, {0.72, 1.42, 0.0}}};
  constexpr std::array<std::array<double, 3>, 4> kLeg = {
      {{0.09, 0.92, 0.0}, {0.1, 0.5, 0.02}, {0.1, 0.08, -0.02}, {0.1, 0.02, 0.12}}};
  const auto vec = [](const std::array<double, 3>& v, double side) {
    return Vec3(side * v[0], v[1], v[2]);
  };
  const int i = static_cast<int>(role);
  const auto from = [&](humanoid::HumanoidRole first) {
    return toSize(i - static_cast<int>(first));
  };
  if (role <= kHead) return vec(kTrunk[from(kHips)], 1.0);
  if (role <= kLeftHand) return vec(kArm[from(kLeftShoulder)], 1.0);
  if (role <= kRightHand) return vec(kArm[from(kRightShoulder)], -1.0);
  if (role <= kLeftToes) return vec(kLeg[from(kLeftUpperLeg)], 1.0);
  return vec(kLeg[from(kRightUpperLeg)], -1.0);
}

inline int parentRole(humanoid::HumanoidRole role) {
  using enum humanoid::HumanoidRole;
  switch (role) {
    case kHips:
      return -1;
    case kLeftShoulder:
    case kRightShoulder:
      return static_cast<int>(kUpperChest);
    case kLeftUpperLeg:
    case kRightUpperLeg:
      return static_cast<int>(kHips);
    default:
      return static_cast<int>(role) - 1;
  }
}

/// A scene and which node of it plays which role.
struct HumanScene {
  Scene scene;
  std::array<int, humanoid::kHumanoidRoleCount> nodes{};

  int at(humanoid::HumanoidRole role) const { return nodes[toSize(role)]; }
};

inline Vec3 restPosition(const Scene& scene, int node) {
  Vec3 position(0.0);
  for (; node >= 0; node = scene.skeleton.nodes[toSize(node)].parent) {
    position += scene.skeleton.nodes[toSize(node)].rest.translation;
  }
  return position;
}

/// Appends a node at `position` of a scene without rotations; returns its index.
inline int addAt(Scene& scene, const std::string& name, int parent, const Vec3& position) {
  Node node;
  node.name = name;
  node.parent = parent;
  node.source_id = static_cast<int>(scene.skeleton.size());
  node.rest.translation = position - restPosition(scene, parent);
  scene.skeleton.nodes.push_back(node);
  return node.source_id;
}

/// "Root" at the origin, and the character below it, without rotations.
inline HumanScene humanScene(const RoleNames& names) {
  HumanScene human;
  human.nodes.fill(-1);
  addAt(human.scene, "Root", -1, Vec3(0.0));
  for (std::size_t i = 0; i < humanoid::kHumanoidRoleCount; ++i) {
    if (std::string(names[i]).empty()) continue;
    int above = parentRole(static_cast<humanoid::HumanoidRole>(i));
    while (above >= 0 && human.nodes[toSize(above)] < 0) {
      above = parentRole(static_cast<humanoid::HumanoidRole>(above));
    }
    const int parent = above >= 0 ? human.nodes[toSize(above)] : 0;
    human.nodes[i] = addAt(human.scene, names[i], parent,
                           positionOfRole(static_cast<humanoid::HumanoidRole>(i)));
  }
  return human;
}

/// Makes all nodes joints of one skin that was bound as the scene, without rotations, rests.
inline void bindAll(Scene& scene) {
  Skin skin;
  for (int i = 0; i < static_cast<int>(scene.skeleton.size()); ++i) {
    skin.joints.push_back(i);
    Affine joint_from_bind;
    joint_from_bind.translation = -restPosition(scene, i);
    skin.joint_from_bind.push_back(joint_from_bind);
  }
  scene.skins.push_back(skin);
}

/// Calls all nodes "bone_1", "bone_2", ..
inline void numberNodes(Scene& scene) {
  int number = 0;
  for (Node& node : scene.skeleton.nodes) node.name = "bone_" + std::to_string(++number);
}

}  // namespace clipmill::test
