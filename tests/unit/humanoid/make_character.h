// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "anim/motion.h"
#include "anim/pose.h"
#include "core/to_size.h"
#include "humanoid/humanoid.h"

/// A human character of sticks, in any pose, size, unit and axes.
namespace clipmill::test {

struct CharacterOptions {
  double arms_down_rad = 0.0;  ///< 0 for a T pose.
  double size = 1.0;
  double rotation_rad = 0.0;  ///< About the vertical; 0 faces +z.
  Vec3 origin{0.0};           ///< Where the point between the soles is.
  double roll_rad = 0.0;      ///< Rotates the axes of each joint, each about another axis.
  bool mirrored_arm = false;  ///< The left upper arm has a scale of -1 along x.
  int trunk = 2;              ///< Joints between hips and neck: spine, chest, upper chest.
  std::string prefix;         ///< Of all names.
  Affine metric_from_file;
};

struct Character {
  Scene scene;
  humanoid::HumanoidMap map;
};

struct CharacterJoint {
  humanoid::HumanoidRole role;
  humanoid::HumanoidRole parent;
  Vec3 position;
};

inline std::vector<CharacterJoint> characterJoints(const CharacterOptions& options) {
  using R = humanoid::HumanoidRole;
  std::vector<CharacterJoint> joints = {{R::kHips, R::kHips, {0, 0.95, 0}}};
  constexpr R kTrunk[] = {R::kSpine, R::kChest, R::kUpperChest};
  R above = R::kHips;
  for (int t = 0; t < options.trunk; ++t) {
    joints.push_back({kTrunk[t], above, {0, 1.0 + 0.35 * (t + 1) / options.trunk, -0.01}});
    above = kTrunk[t];
  }
  joints.push_back({R::kHead, above, {0, 1.55, 0.02}});
  const Quat down = rotationAbout(Vec3(0, 0, 1), -options.arms_down_rad);
  for (const double side : {1.0, -1.0}) {
    const bool left = side > 0.0;
    const auto mirror = [&](Vec3 position) {
      return Vec3(side * position.x, position.y, position.z);
    };
    const Vec3 shoulder(0.18, 1.42, -0.02);
    const auto arm = [&](double reach) { return mirror(shoulder + down * Vec3(reach, 0, 0)); };
    const R upper_arm = left ? R::kLeftUpperArm : R::kRightUpperArm;
    const R lower_arm = left ? R::kLeftLowerArm : R::kRightLowerArm;
    joints.push_back({upper_arm, above, arm(0.0)});
    joints.push_back({lower_arm, upper_arm, arm(0.28)});
    joints.push_back({left ? R::kLeftHand : R::kRightHand, lower_arm, arm(0.53)});
    const R upper_leg = left ? R::kLeftUpperLeg : R::kRightUpperLeg;
    const R lower_leg = left ? R::kLeftLowerLeg : R::kRightLowerLeg;
    const R foot = left ? R::kLeftFoot : R::kRightFoot;
    joints.push_back({upper_leg, R::kHips, mirror({0.1, 0.9, 0})});
    joints.push_back({lower_leg, upper_leg, mirror({0.1, 0.48, 0.01})});
    joints.push_back({foot, lower_leg, mirror({0.1, 0.08, -0.02})});
    joints.push_back({left ? R::kLeftToes : R::kRightToes, foot, mirror({0.1, 0.02, 0.12})});
  }
  return joints;
}

/// Node n is joint n of characterJoints(); parents come first.
inline Character makeCharacter(const CharacterOptions& options = {}) {
  Character character;
  character.map.origin = humanoid::HumanoidMap::Origin::kGiven;
  character.map.confidence = 1.0;
  character.scene.metric_from_file = options.metric_from_file;
  const Affine file_from_metric = inverse(options.metric_from_file);
  const Quat file_rotation = rotationOf(file_from_metric);
  const Quat rotation = rotationAbout(Vec3(0, 1, 0), options.rotation_rad);
  std::vector<Affine> worlds;  // in the file
  for (const CharacterJoint& joint : characterJoints(options)) {
    Node node;
    const int index = static_cast<int>(worlds.size());
    node.name = options.prefix + humanoid::humanoidRoleName(joint.role);
    node.source_id = index;
    node.parent = joint.role == humanoid::HumanoidRole::kHips ? -1 : character.map[joint.parent];
    character.map.nodes[toSize(joint.role)] = index;
    const Vec3 axis = glm::normalize(Vec3(1.0 + index % 3, 2.0 - index % 5, index % 2));
    Transform world;
    world.translation = transformPoint(file_from_metric,
                                       options.origin + rotation * (options.size * joint.position));
    world.rotation =
        file_rotation * rotation * rotationAbout(axis, options.roll_rad * (1 + index % 4));
    Affine map = toAffine(world);
    if (options.mirrored_arm && joint.role == humanoid::HumanoidRole::kLeftUpperArm) {
      map.linear[0] = -map.linear[0];
    }
    const Affine above = node.parent < 0 ? Affine() : worlds[toSize(node.parent)];
    node.rest = decompose(inverse(above) * map);
    worlds.push_back(map);
    character.scene.skeleton.nodes.push_back(node);
  }
  return character;
}

/// A clip of one second in which every joint rotates and the hips go forward (z) by 1 m and down.
/// Angles are in the joint's axes, so that characters with other axes move differently.
inline Motion danceOf(Character& character, double amount_rad = 0.5) {
  constexpr std::size_t kFrames = 31;
  const Skeleton& skeleton = character.scene.skeleton;
  const double file_per_metre =
      1.0 / std::sqrt(glm::dot(character.scene.metric_from_file.linear[0],
                               character.scene.metric_from_file.linear[0]));
  Motion motion;
  motion.clip_name = "Dance";
  motion.grid = makeGrid(0.0, 1.0, 30.0);
  motion.node_count = skeleton.size();
  motion.modified = TrackMask(skeleton.size());
  const Quat file_rotation = rotationOf(inverse(character.scene.metric_from_file));
  for (std::size_t f = 0; f < kFrames; ++f) {
    const double share = static_cast<double>(f) / (kFrames - 1);
    Pose pose = restPose(skeleton);
    for (std::size_t n = 0; n < skeleton.size(); ++n) {
      const auto k = static_cast<double>(n);
      const Vec3 axis = glm::normalize(Vec3(1.0, k - 5.0, 3.0 - k));
      Quat& rotation = pose.locals[n].rotation;
      rotation = rotation * rotationAbout(axis, amount_rad * share * (1.0 - 0.04 * k));
    }
    pose.locals[0].translation +=
        file_rotation * Vec3(0.1 * share, -0.2 * share * (1.0 - share), share) * file_per_metre;
    motion.locals.insert(motion.locals.end(), pose.locals.begin(), pose.locals.end());
  }
  Clip clip;
  clip.name = motion.clip_name;
  clip.end_s = 1.0;
  clip.animated = TrackMask(skeleton.size());
  for (std::size_t n = 0; n < skeleton.size(); ++n) {
    clip.animated.set(static_cast<int>(n), TrackPath::kRotation);
  }
  clip.animated.set(0, TrackPath::kTranslation);
  character.scene.clips = {clip};
  return motion;
}

/// Metric positions of all nodes at a frame.
inline std::vector<Vec3> positionsIn(const Scene& scene, const Motion& motion, std::size_t frame) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, motion.localsOf(frame), scene.metric_from_file, worlds);
  std::vector<Vec3> positions;
  for (const Affine& world : worlds) positions.push_back(world.translation);
  return positions;
}

}  // namespace clipmill::test
