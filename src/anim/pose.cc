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

namespace {

// The scales that `node` inherits, as a map along axes turned by its parent's rotation: all that
// the parent's map has beyond that rotation, less the parent's own scale where that is skipped.
Mat3 inheritedScale(const Node& node, const Affine& above, const Mat3& parent_rotation,
                    const Vec3& parent_scale) {
  Mat3 scale = glm::transpose(parent_rotation) * above.linear;
  if (node.inherit == InheritScale::kSkipParent) {
    for (int axis = 0; axis < 3; ++axis) {
      if (parent_scale[axis] != 0.0) scale[axis] /= parent_scale[axis];
    }
  }
  return scale;
}

// The order of factors is that of the FBX SDK documentation for eInheritRrSs and eInheritRrs.
void computeInherited(const Skeleton& skeleton, std::span<const Transform> locals,
                      const Affine& world_from_file, std::vector<Affine>& worlds) {
  std::vector<Mat3> rotations(skeleton.size());  // world from node, without scales
  const Mat3 root_rotation = glm::mat3_cast(rotationOf(world_from_file));
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    const bool is_root = node.parent < 0;
    const auto p = static_cast<std::size_t>(node.parent);
    const Affine& above = is_root ? world_from_file : worlds[p];
    const Mat3& above_rotation = is_root ? root_rotation : rotations[p];
    const Mat3 local_rotation = glm::mat3_cast(normalizedOrIdentity(locals[i].rotation));
    rotations[i] = above_rotation * local_rotation;
    worlds[i] = above * toAffine(locals[i]);
    if (is_root || node.inherit == InheritScale::kAll) continue;
    const Vec3& s = locals[i].scale;
    const Mat3 own_scale(Vec3(s.x, 0, 0), Vec3(0, s.y, 0), Vec3(0, 0, s.z));
    worlds[i].linear = rotations[i] *
                       inheritedScale(node, above, above_rotation, locals[p].scale) * own_scale;
  }
}

}  // namespace

bool inheritsAll(const Skeleton& skeleton) {
  for (const Node& node : skeleton.nodes) {
    if (node.inherit != InheritScale::kAll) return false;
  }
  return true;
}

void computeWorlds(const Skeleton& skeleton, std::span<const Transform> locals,
                   const Affine& world_from_file, std::vector<Affine>& worlds) {
  assert(locals.size() == skeleton.size());
  worlds.resize(skeleton.size());
  if (!inheritsAll(skeleton)) {
    computeInherited(skeleton, locals, world_from_file, worlds);
    return;
  }
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    const int parent = skeleton.nodes[i].parent;
    const Affine& above = parent < 0 ? world_from_file : worlds[static_cast<std::size_t>(parent)];
    worlds[i] = above * toAffine(locals[i]);
  }
}

}  // namespace clipmill
