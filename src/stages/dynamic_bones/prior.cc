// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/prior.h"

#include <limits>
#include <map>
#include <string>

#include "anim/pose.h"
#include "core/text.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/rig/attachment.h"

namespace clipmill::stages::dynamic_bones {
namespace {

const Clip* priorClip(const Scene& scene, const std::string& name) {
  for (const Clip& clip : scene.clips) {
    if (clip.name == name) return &clip;
  }
  return scene.clips.size() == 1 ? &scene.clips.front() : nullptr;
}

// For every node of `scene` the index of the node with the same path in `other`, or -1.
std::vector<int> sameNodes(const Skeleton& skeleton, const Skeleton& other) {
  std::map<std::string, int> by_path;
  for (std::size_t i = 0; i < other.size(); ++i) {
    by_path.emplace(pathOf(other, static_cast<int>(i)), static_cast<int>(i));
  }
  std::vector<int> same;
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    const auto found = by_path.find(pathOf(skeleton, static_cast<int>(i)));
    same.push_back(found == by_path.end() ? -1 : found->second);
  }
  return same;
}

std::vector<Affine> worldsAt(const Scene& scene, const Clip& clip, double time_s) {
  Pose pose = restPose(scene.skeleton);
  if (clip.source) clip.source->cursor()->sample(time_s, pose.view());
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, pose.locals, scene.metric_from_file, worlds);
  return worlds;
}

// Ends of the rig's bones in the worlds of another scene.
std::vector<Vec3> endsIn(const Rig& rig, const std::vector<int>& same,
                         const std::vector<Affine>& worlds) {
  const Vec3 unknown(std::numeric_limits<double>::quiet_NaN());
  std::vector<Vec3> ends;
  for (const Bone& bone : rig.bones) {
    const int joint = rig.slots[toSize(rig.joints[toSize(bone.joint)].slot)].node;
    const int node = same[toSize(bone.tail_node < 0 ? joint : bone.tail_node)];
    ends.push_back(node < 0             ? unknown
                   : bone.tail_node < 0 ? transformPoint(worlds[toSize(node)], bone.tip_offset)
                                        : worlds[toSize(node)].translation);
  }
  return ends;
}

}  // namespace

PriorEnds endsOfPrior(const Rig& rig, const Scene& scene, const Motion& clip,
                      std::span<const AuxiliaryFile> files, double step_s) {
  if (files.empty()) return {};
  const Scene& other = files.front().scene;
  const Clip* prior = priorClip(other, clip.clip_name);
  if (!prior) return {};
  const std::vector<int> same = sameNodes(scene.skeleton, other.skeleton);
  const std::vector<Affine> last = worldsAt(other, *prior, prior->end_s);
  const std::vector<Affine> before = worldsAt(other, *prior, prior->end_s - step_s);
  std::vector<Affine> start;
  computeWorlds(scene.skeleton, clip.localsOf(0), scene.metric_from_file, start);

  // The character of the other clip is moved to where this one starts, by the attachment joint of
  // the first chain that both have.
  Carry carry;
  for (int slot : rig.attachment_slots) {
    const int node = slot < 0 ? -1 : rig.slots[toSize(slot)].node;
    if (node < 0 || same[toSize(node)] < 0) continue;
    carry = locomotion::groundCarry(start[toSize(node)], last[toSize(same[toSize(node)])]);
    break;
  }
  PriorEnds ends{endsIn(rig, same, last), endsIn(rig, same, before)};
  for (Vec3& end : ends.ends) end = carry.point(end);
  for (Vec3& end : ends.ends_before) end = carry.point(end);
  return ends;
}

Status checkPrior(const Motion& clip, std::span<const AuxiliaryFile> files) {
  if (files.empty() || priorClip(files.front().scene, clip.clip_name)) return {};
  return Error{ErrorCode::kNotFound, "continue_from: " + files.front().path,
               "has no clip '" + clip.clip_name + "', and not exactly one clip",
               "give a file with one clip, or with a clip of that name"};
}

}  // namespace clipmill::stages::dynamic_bones
