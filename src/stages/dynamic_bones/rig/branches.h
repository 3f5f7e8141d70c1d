// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "scene/scene.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::stages::dynamic_bones {

/// Rest pose of a rig's bones in metric world space, and which bone starts where another one ends.
struct RestBones {
  std::vector<Vec3> heads, ends;                   ///< Metres, one per bone.
  std::vector<int> parents;                        ///< Bone of the same chain, or -1.
  std::vector<std::vector<std::size_t>> children;  ///< Ascending.
};
RestBones restBonesOf(const Scene& scene, const Rig& rig);

/// The branches of one chain setting in their order.
struct BranchRow {
  std::vector<std::vector<std::size_t>> branches;  ///< Bones from the first to the tip.
  bool is_ring = false;                            ///< The last one is the first one's neighbor.
};

/// Branches start at the chain's first joints, or at its first fork where it has one first joint
/// only; at a later fork they continue along the longest path. They are ordered by the angle of
/// their first bones' ends in the rest pose about an axis through the joint that all of them hang
/// on: the mean direction of the branches (skirts, capes, hair), or the normal of the plane in
/// which they spread (fans), whichever separates them better. A sheet starts after the widest gap;
/// CrossShape::kAuto makes a ring where the widest gap is below 100 degrees. Fewer than three
/// branches are no ring.
BranchRow findBranches(const Scene& scene, const Rig& rig, const RestBones& rest, int chain,
                       CrossShape shape);

}  // namespace clipmill::stages::dynamic_bones
