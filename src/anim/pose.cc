// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/pose.h"

#include <cassert>

namespace clipmill {

Pose restPose(const Skeleton& skeleton) {
  Pose pose;
  pose.locals.reserve(skeleton.size());
  for (const Node& node : skeleton.nodes) pose.locals.push_back(node.rest);
  pose.weights = skeleton.rest_weights;
  return pose;
}

void computeWorlds(const Skeleton& skeleton, std::span<const Transform> locals,
                   const Affine& world_from_file, std::vector<Affine>& worlds) {
  worlds.resize(skeleton.size());
  updateWorlds(skeleton, locals, world_from_file, 0, worlds);
}

void updateWorlds(const Skeleton& skeleton, std::span<const Transform> locals,
                  const Affine& world_from_file, std::size_t first, std::vector<Affine>& worlds) {
  assert(locals.size() == skeleton.size() && worlds.size() == skeleton.size());
  for (std::size_t i = first; i < skeleton.size(); ++i) {
    const int parent = skeleton.nodes[i].parent;
    const Affine& above = parent < 0 ? world_from_file : worlds[static_cast<std::size_t>(parent)];
    worlds[i] = above * toAffine(locals[i]);
  }
}

}  // namespace clipmill
