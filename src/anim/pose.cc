// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/pose.h"

#include <cassert>

#include "core/cancel.h"
#include "core/to_size.h"

namespace clipmill {

Pose restPose(const Skeleton& skeleton) {
  Pose pose;
  pose.locals.reserve(skeleton.size());
  for (const Node& node : skeleton.nodes) pose.locals.push_back(node.rest);
  pose.weights = skeleton.rest_weights;
  return pose;
}

namespace {

// What a node hands down to children that do not take its whole map.
struct Inheritance {
  Mat3 unscaled;        // world from node, without the scales in `inherited` and its own
  Vec3 inherited{1.0};  // scales from above that act along the node's axes
};

// kSkipParent is what Maya does for segmentScaleCompensate: it undoes the parent's own scale
// between parent and child. kComponentwise multiplies scales along the chain, axis by axis.
void computeInherited(const Skeleton& skeleton, std::span<const Transform> locals,
                      const Affine& world_from_file, std::vector<Affine>& worlds) {
  std::vector<Inheritance> below(skeleton.size());
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    const auto p = toSize(node.parent);
    const Affine& above = node.parent < 0 ? world_from_file : worlds[p];
    const Mat3 rotation = glm::mat3_cast(normalizedOrIdentity(locals[i].rotation));
    if (node.parent < 0 || node.inherit == InheritScale::kAll) {
      below[i].unscaled = above.linear * rotation;
    } else {
      below[i].unscaled = below[p].unscaled * rotation;
      below[i].inherited = below[p].inherited;
      if (node.inherit == InheritScale::kComponentwise) below[i].inherited *= locals[p].scale;
    }
    const Vec3 scale = below[i].inherited * locals[i].scale;
    const Mat3& unscaled = below[i].unscaled;
    worlds[i] = {Mat3(unscaled[0] * scale.x, unscaled[1] * scale.y, unscaled[2] * scale.z),
                 transformPoint(above, locals[i].translation)};
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
  pollCancel();  // long work computes one pose after the other
  worlds.resize(skeleton.size());
  if (!inheritsAll(skeleton)) {
    computeInherited(skeleton, locals, world_from_file, worlds);
    return;
  }
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    const int parent = skeleton.nodes[i].parent;
    const Affine& above = parent < 0 ? world_from_file : worlds[toSize(parent)];
    worlds[i] = above * toAffine(locals[i]);
  }
}

}  // namespace clipmill
