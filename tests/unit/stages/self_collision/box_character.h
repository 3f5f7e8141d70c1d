// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "anim/make_motion.h"
#include "anim/pose.h"
#include "core/to_size.h"
#include "human_scene.h"

/// A humanoid made of boxes, 1.7 m tall, in T-pose, facing +z with its left at +x.
namespace clipmill::test {

/// A box of skin that one bone moves, in metres in the rest pose.
struct SkinBox {
  humanoid::HumanoidRole bone;
  Vec3 low{0.0}, high{0.0};
};

struct BoxCharacterOptions {
  double units_per_metre = 1.0;
  Transform root;  ///< Of the node above the hips, in file space.
  bool without_hands = false;
  double trunk_half_width_m = 0.2;
  double trunk_front_m = 0.1;
};

struct BoxCharacter {
  HumanScene human;
  humanoid::HumanoidMap map;
  std::vector<SkinBox> boxes;

  Scene& scene() { return human.scene; }
  const Scene& scene() const { return human.scene; }
  int at(humanoid::HumanoidRole role) const { return human.at(role); }
  /// The rest pose for so many frames, at 30 frames per second.
  Motion still(std::size_t frames) const { return makeMotion(scene().skeleton, frames); }
};

inline Vec3 cornerOf(const SkinBox& box, int i) {
  return {i & 1 ? box.high.x : box.low.x, i & 2 ? box.high.y : box.low.y,
          i & 4 ? box.high.z : box.low.z};
}

inline std::vector<SkinBox> boxesOf(const BoxCharacterOptions& options) {
  using enum humanoid::HumanoidRole;
  const double half = options.trunk_half_width_m, front = options.trunk_front_m;
  std::vector<SkinBox> boxes = {
      {kChest, Vec3(-half, 0.9, front - 0.2), Vec3(half, 1.5, front)},
      {kHead, Vec3(-0.08, 1.55, -0.1), Vec3(0.08, 1.7, 0.1)},
      {kLeftUpperArm, Vec3(0.2, 1.39, -0.03), Vec3(0.44, 1.45, 0.03)},
      {kLeftLowerArm, Vec3(0.5, 1.39, -0.03), Vec3(0.72, 1.45, 0.03)},
      {kLeftUpperLeg, Vec3(0.03, 0.12, -0.06), Vec3(0.15, 0.87, 0.06)},
      {kLeftFoot, Vec3(0.05, -0.07, -0.07), Vec3(0.15, 0.08, 0.13)},
  };
  const std::pair<humanoid::HumanoidRole, humanoid::HumanoidRole> mirrored[] = {
      {kLeftUpperArm, kRightUpperArm},
      {kLeftLowerArm, kRightLowerArm},
      {kLeftUpperLeg, kRightUpperLeg},
      {kLeftFoot, kRightFoot}};
  for (const auto& [left, right] : mirrored) {
    for (const SkinBox& box : std::vector(boxes)) {
      if (box.bone != left) continue;
      boxes.push_back({right, Vec3(-box.high.x, box.low.y, box.low.z),
                       Vec3(-box.low.x, box.high.y, box.high.z)});
    }
  }
  return boxes;
}

/// One mesh of all boxes, each corner with one influence.
inline SkinnedMesh meshOf(const std::vector<SkinBox>& boxes, const HumanScene& human) {
  constexpr std::array<std::uint32_t, 36> kCube = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6,
                                                   0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7,
                                                   0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  SkinnedMesh mesh;
  mesh.node = 0;
  mesh.skin = 0;
  for (const SkinBox& box : boxes) {
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    for (int i = 0; i < 8; ++i) {
      mesh.influence_start.push_back(mesh.influences.size());
      mesh.influences.push_back({static_cast<std::uint32_t>(human.at(box.bone)), 1.0});
      mesh.positions.push_back(cornerOf(box, i));
    }
    for (std::uint32_t corner : kCube) mesh.triangles.push_back(first + corner);
  }
  mesh.influence_start.push_back(mesh.influences.size());
  return mesh;
}

inline BoxCharacter boxCharacter(const BoxCharacterOptions& options = {}) {
  using enum humanoid::HumanoidRole;
  BoxCharacter character;
  RoleNames names = plainNames();
  for (humanoid::HumanoidRole hand : {kLeftHand, kRightHand}) {
    if (options.without_hands) names[toSize(hand)] = "";
  }
  character.human = humanScene(names);
  character.boxes = boxesOf(options);
  Scene& scene = character.scene();
  SkinnedMesh mesh = meshOf(character.boxes, character.human);
  for (Node& node : scene.skeleton.nodes) node.rest.translation *= options.units_per_metre;
  scene.skeleton.nodes[0].rest = options.root;
  scene.metric_from_file.linear = Mat3(1.0 / options.units_per_metre);
  const Affine root = toAffine(options.root);
  for (Vec3& position : mesh.positions) {
    position = transformPoint(root, position * options.units_per_metre);
  }
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, Affine{}, worlds);
  Skin skin;
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    skin.joints.push_back(static_cast<int>(i));
    skin.joint_from_bind.push_back(inverse(worlds[i]));
  }
  scene.skins = {skin};
  scene.meshes = {mesh};
  character.map.nodes = character.human.nodes;
  character.map.origin = humanoid::HumanoidMap::Origin::kGiven;
  character.map.confidence = 1.0;
  return character;
}

/// Rotates a node, which has no rotation in the rest pose, about the forward axis.
inline void rotateOutwards(BoxCharacter& character, Motion& motion, std::size_t frame,
                           humanoid::HumanoidRole role, double angle_deg) {
  const Vec3 forward(0.0, 0.0, 1.0);
  localAt(motion, frame, character.at(role)).rotation = rotationAbout(forward, angle_deg * kDegree);
}

/// Lets both arms hang at the sides.
inline void hangArms(BoxCharacter& character, Motion& motion, std::size_t frame) {
  rotateOutwards(character, motion, frame, humanoid::HumanoidRole::kLeftUpperArm, -90.0);
  rotateOutwards(character, motion, frame, humanoid::HumanoidRole::kRightUpperArm, 90.0);
}

}  // namespace clipmill::test
