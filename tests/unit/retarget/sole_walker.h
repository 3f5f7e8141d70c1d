// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "anim/pose.h"
#include "core/to_size.h"
#include "human_scene.h"
#include "retarget/sole_height.h"

namespace clipmill::test {

inline constexpr double kWalkerFps = 30.0;

/// A character of sticks with a skin of four vertices on each foot, and a motion of it.
struct Walker {
  Scene scene;
  humanoid::HumanoidMap map;
  Motion motion;

  Transform& local(std::size_t frame, humanoid::HumanoidRole role) {
    return motion.frame(frame).locals[toSize(map[role])];
  }
};

/// With soles that reach `under_m` below those of the joints' rest pose, which are at height 0.
inline Walker makeWalker(std::size_t frames, double under_m = 0.0) {
  HumanScene human = humanScene(plainNames());
  Walker walker;
  bindAll(human.scene);
  SkinnedMesh mesh;
  mesh.node = 0;
  mesh.skin = 0;
  mesh.influence_start.push_back(0);
  for (const humanoid::HumanoidRole role :
       {humanoid::HumanoidRole::kLeftFoot, humanoid::HumanoidRole::kRightFoot}) {
    const Vec3 at = positionOfRole(role);
    for (const Vec3& corner :
         {Vec3(-0.04, 0, -0.06), Vec3(0.04, 0, -0.06), Vec3(-0.04, 0, 0.2), Vec3(0.04, 0, 0.2)}) {
      mesh.positions.emplace_back(at.x + corner.x, -under_m, at.z + corner.z);
      mesh.influences.push_back({static_cast<std::uint32_t>(human.at(role)), 1.0});
      mesh.influence_start.push_back(mesh.influences.size());
    }
  }
  human.scene.meshes.push_back(mesh);
  walker.scene = std::move(human.scene);
  for (std::size_t i = 0; i < humanoid::kHumanoidRoleCount; ++i)
    walker.map.nodes[i] = human.nodes[i];
  walker.map.origin = humanoid::HumanoidMap::Origin::kGiven;
  Motion& motion = walker.motion;
  motion.grid = makeGrid(0.0, static_cast<double>(frames - 1) / kWalkerFps, kWalkerFps);
  motion.node_count = walker.scene.skeleton.size();
  motion.modified = TrackMask(motion.node_count);
  const Pose rest = restPose(walker.scene.skeleton);
  for (std::size_t f = 0; f < frames; ++f) {
    motion.locals.insert(motion.locals.end(), rest.locals.begin(), rest.locals.end());
  }
  return walker;
}

inline retarget::ClipOnCharacter onCharacter(const Walker& source, const Walker& target,
                                             double scale) {
  return {source.scene, source.map, source.motion, target.scene, target.map, scale};
}

}  // namespace clipmill::test
