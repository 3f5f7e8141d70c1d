// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "anim/motion.h"
#include "anim/pose.h"
#include "scene/humanoid.h"

/// A human figure of sticks, in any pose, size, unit and axes.
namespace clipmill::test {

struct FigureOptions {
  double arms_down_rad = 0.0;  ///< 0 for a T pose.
  double size = 1.0;
  double turn_rad = 0.0;      ///< About the vertical; 0 faces +z.
  Vec3 origin{0.0};           ///< Where the point between the soles is.
  double roll_rad = 0.0;      ///< Turns the axes of each joint, each about another axis.
  bool mirrored_arm = false;  ///< The left upper arm has a scale of -1 along x.
  int trunk = 2;              ///< Joints between hips and neck: spine, chest, upper chest.
  std::string prefix;         ///< Of all names.
  Affine metric_from_file;
};

struct Figure {
  Scene scene;
  HumanoidMap map;
};

struct FigureJoint {
  HumanoidRole role;
  HumanoidRole parent;
  Vec3 place;
};

inline std::vector<FigureJoint> figureJoints(const FigureOptions& options) {
  using R = HumanoidRole;
  std::vector<FigureJoint> joints = {{R::kHips, R::kHips, {0, 0.95, 0}}};
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
    const auto mirror = [&](Vec3 place) { return Vec3(side * place.x, place.y, place.z); };
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

/// Node n is joint n of figureJoints(); parents come first.
inline Figure makeFigure(const FigureOptions& options = {}) {
  Figure figure;
  figure.map.origin = HumanoidMap::Origin::kGiven;
  figure.map.confidence = 1.0;
  figure.scene.metric_from_file = options.metric_from_file;
  const Affine file_from_metric = inverse(options.metric_from_file);
  const Quat file_turn = rotationOf(file_from_metric);
  const Quat turn = rotationAbout(Vec3(0, 1, 0), options.turn_rad);
  std::vector<Affine> worlds;  // in the file
  for (const FigureJoint& joint : figureJoints(options)) {
    Node node;
    const int index = static_cast<int>(worlds.size());
    node.name = options.prefix + humanoidRoleName(joint.role);
    node.source_id = index;
    node.parent = joint.role == HumanoidRole::kHips ? -1 : figure.map[joint.parent];
    figure.map.nodes[static_cast<std::size_t>(joint.role)] = index;
    const Vec3 axis = glm::normalize(Vec3(1.0 + index % 3, 2.0 - index % 5, index % 2));
    Transform world;
    world.translation =
        transformPoint(file_from_metric, options.origin + turn * (options.size * joint.place));
    world.rotation = file_turn * turn * rotationAbout(axis, options.roll_rad * (1 + index % 4));
    Affine map = toAffine(world);
    if (options.mirrored_arm && joint.role == HumanoidRole::kLeftUpperArm) {
      map.linear[0] = -map.linear[0];
    }
    const Affine above = node.parent < 0 ? Affine() : worlds[static_cast<std::size_t>(node.parent)];
    node.rest = decompose(inverse(above) * map);
    worlds.push_back(map);
    figure.scene.skeleton.nodes.push_back(node);
  }
  return figure;
}

/// A clip of one second in which every joint turns and the hips go forward (z) by 1 m and down.
/// Angles are in the joint's axes, so that figures with other axes move in other ways.
inline Motion danceOf(Figure& figure, double amount_rad = 0.5) {
  constexpr std::size_t kFrames = 31;
  const Skeleton& skeleton = figure.scene.skeleton;
  const double file_per_metre = 1.0 / std::sqrt(glm::dot(figure.scene.metric_from_file.linear[0],
                                                         figure.scene.metric_from_file.linear[0]));
  Motion motion;
  motion.clip_name = "Dance";
  motion.grid = makeGrid(0.0, 1.0, 30.0);
  motion.node_count = skeleton.size();
  motion.touched = TrackMask(skeleton.size());
  const Quat file_turn = rotationOf(inverse(figure.scene.metric_from_file));
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
        file_turn * Vec3(0.1 * share, -0.2 * share * (1.0 - share), share) * file_per_metre;
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
  figure.scene.clips = {clip};
  return motion;
}

/// Metric places of all nodes at a frame.
inline std::vector<Vec3> placesIn(const Scene& scene, const Motion& motion, std::size_t frame) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, motion.localsOf(frame), scene.metric_from_file, worlds);
  std::vector<Vec3> places;
  for (const Affine& world : worlds) places.push_back(world.translation);
  return places;
}

}  // namespace clipmill::test
