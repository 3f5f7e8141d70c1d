// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "anim/motion.h"
#include "core/to_size.h"
#include "humanoid/humanoid.h"
#include "make_samples/body.h"
#include "scene/scene.h"

/// The character of the samples as a scene with one clip.
namespace clipmill::test {

/// A file's own units and axes: metric = linear * file.
struct FileSpace {
  double metres_per_unit = 1.0;
  Quat metric_from_file{1.0, 0.0, 0.0, 0.0};
};

/// The node of that name in the character.
inline int nodeOf(const Scene& scene, const std::string& name) {
  for (std::size_t i = 0; i < scene.skeleton.size(); ++i) {
    if (scene.skeleton.nodes[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

/// Which joint of the character plays which role, without asking findHumanoid().
inline humanoid::HumanoidMap characterMap(const Scene& scene) {
  const std::pair<humanoid::HumanoidRole, const char*> roles[] = {
      {humanoid::HumanoidRole::kHips, "Hips"},
      {humanoid::HumanoidRole::kLeftUpperLeg, "LeftUpLeg"},
      {humanoid::HumanoidRole::kLeftLowerLeg, "LeftLeg"},
      {humanoid::HumanoidRole::kLeftFoot, "LeftFoot"},
      {humanoid::HumanoidRole::kLeftToes, "LeftToeBase"},
      {humanoid::HumanoidRole::kRightUpperLeg, "RightUpLeg"},
      {humanoid::HumanoidRole::kRightLowerLeg, "RightLeg"},
      {humanoid::HumanoidRole::kRightFoot, "RightFoot"},
      {humanoid::HumanoidRole::kRightToes, "RightToeBase"},
      {humanoid::HumanoidRole::kLeftUpperArm, "LeftArm"},
      {humanoid::HumanoidRole::kLeftLowerArm, "LeftForeArm"},
      {humanoid::HumanoidRole::kLeftHand, "LeftHand"},
      {humanoid::HumanoidRole::kRightUpperArm, "RightArm"},
      {humanoid::HumanoidRole::kRightLowerArm, "RightForeArm"},
      {humanoid::HumanoidRole::kRightHand, "RightHand"},
  };
  humanoid::HumanoidMap map;
  for (const auto& [role, name] : roles) {
    map.nodes[toSize(role)] = nodeOf(scene, name);
  }
  map.origin = humanoid::HumanoidMap::Origin::kGiven;
  map.confidence = 1.0;
  return map;
}

/// A local transform of the character in another file space.
inline Transform inSpace(Transform local, bool is_root, const FileSpace& space) {
  local.translation /= space.metres_per_unit;
  if (is_root) {
    const Quat file_from_metric = glm::conjugate(space.metric_from_file);
    local.translation = file_from_metric * local.translation;
    local.rotation = file_from_metric * local.rotation;
  }
  return local;
}

/// The character with one clip of the samples; world positions in metres are the same for any
/// `space`.
inline Scene characterScene(const samples::Rig& rig, const KeyframeClip& clip,
                            const FileSpace& space = {}) {
  Scene scene;
  scene.skeleton = rig.skeleton();
  std::vector<Track> tracks = clip.tracks;
  for (Node& node : scene.skeleton.nodes) node.rest = inSpace(node.rest, node.parent < 0, space);
  for (Track& track : tracks) {
    const bool is_root = scene.skeleton.nodes[toSize(track.node)].parent < 0;
    for (std::size_t v = 0; v < track.values.size(); v += toSize(track.width)) {
      double* value = &track.values[v];
      Transform local;
      if (track.path == TrackPath::kTranslation) local.translation = {value[0], value[1], value[2]};
      if (track.path == TrackPath::kRotation) {
        local.rotation = Quat(value[3], value[0], value[1], value[2]);
      }
      local = inSpace(local, is_root, space);
      const Vec3& t = local.translation;
      const Quat& q = local.rotation;
      if (track.path == TrackPath::kTranslation) value[0] = t.x, value[1] = t.y, value[2] = t.z;
      if (track.path == TrackPath::kRotation) {
        value[0] = q.x, value[1] = q.y, value[2] = q.z, value[3] = q.w;
      }
    }
  }
  const Mat3 rotation = glm::mat3_cast(space.metric_from_file);
  scene.metric_from_file.linear = rotation * space.metres_per_unit;
  Clip as_read;
  as_read.name = clip.name;
  for (const Track& track : tracks) as_read.end_s = std::max(as_read.end_s, track.times_s->back());
  as_read.animated = TrackMask(scene.skeleton.size());
  for (const Track& track : tracks) as_read.animated.set(track.node, track.path);
  as_read.source = keyframeSource(scene.skeleton, std::move(tracks));
  scene.clips.push_back(std::move(as_read));
  return scene;
}

inline Motion sampled(const Scene& scene, double fps = 30.0) {
  const Clip& clip = scene.clips[0];
  return sampleClip(scene.skeleton, clip, 0, makeGrid(clip.start_s, clip.end_s, fps));
}

/// World maps of all nodes at one frame, metric.
inline std::vector<Affine> worldsAt(const Scene& scene, const Motion& motion, std::size_t frame) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, motion.localsOf(frame), scene.metric_from_file, worlds);
  return worlds;
}

}  // namespace clipmill::test
