// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/clip_cycle.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/to_size.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Joints that chains do not move: of the skins, else all nodes. The first joint of a chain is where
// the body has it.
std::vector<std::size_t> bodyNodes(const Rig& rig, const Scene& scene) {
  const std::size_t count = scene.skeleton.size();
  std::vector<bool> is_joint(count, scene.skins.empty()), rotates(count, false);
  for (const Skin& skin : scene.skins) {
    for (int joint : skin.joints) is_joint[toSize(joint)] = true;
  }
  for (const Joint& joint : rig.joints) {
    const std::size_t node = toSize(rig.slots[toSize(joint.slot)].node);
    rotates[node] = is_joint[node] = true;
  }
  std::vector<std::size_t> nodes;
  std::vector<bool> is_moved(count, false);
  for (std::size_t i = 0; i < count; ++i) {
    const int parent = scene.skeleton.nodes[i].parent;
    is_moved[i] = parent >= 0 && (is_moved[toSize(parent)] || rotates[toSize(parent)]);
    if (is_joint[i] && !is_moved[i]) nodes.push_back(i);
  }
  return nodes;
}

locomotion::CycleBody bodyOf(const Rig& rig, const Scene& scene) {
  locomotion::CycleBody body;
  body.nodes = bodyNodes(rig, scene);
  int slot = -1;
  for (int attachment : rig.attachment_slots) slot = std::max(slot, attachment);
  if (slot >= 0) body.lowest_root = rig.slots[toSize(slot)].node;
  body.has_following = rig.following_count > 0;
  return body;
}

}  // namespace

CycleDecision judgeCycle(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene,
                         const Motion& clip) {
  return locomotion::judgeCycle(bodyOf(rig, scene), settings.loop, scene, clip);
}

std::optional<Carry> findCycle(const Rig& rig, const DynamicBonesSettings& settings,
                               const Scene& scene, const Motion& clip) {
  return locomotion::findCycle(bodyOf(rig, scene), settings.loop, scene, clip);
}

}  // namespace clipmill::stages::dynamic_bones
