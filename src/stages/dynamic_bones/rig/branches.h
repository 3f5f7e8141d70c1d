// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "scene/scene.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::bones {

/// Rest pose of a rig's bones in metric world space, and which bone begins where another one ends.
struct RestBones {
  std::vector<Vec3> heads, ends;                   ///< Metres, one a bone.
  std::vector<int> parents;                        ///< Bone of the same chain, or -1.
  std::vector<std::vector<std::size_t>> children;  ///< Ascending.
};
RestBones restBonesOf(const Scene& scene, const Rig& rig);

/// The branches of one chain setting, side by side.
struct BranchRow {
  std::vector<std::vector<std::size_t>> branches;  ///< Bones from the first to the tip.
  bool is_ring = false;                            ///< The last one is the first one's neighbour.
};

/// Branches begin at the chain's first joints, or at its first fork where it has one first joint
/// only; at a later fork they go on along the longest way. They are ordered by the angle of their
/// first bones' ends in the rest pose about an axis through the node that carries all of them: the
/// mean direction of the branches (skirts, capes, hair), or the normal of the plane in which they
/// spread (fans), whichever tells them apart better. A sheet begins after the widest gap;
/// CrossShape::kAuto takes a widest gap below 100 degrees for a ring. Fewer than three branches are
/// no ring.
BranchRow findBranches(const Scene& scene, const Rig& rig, const RestBones& rest, int chain,
                       CrossShape shape);

}  // namespace clipmill::bones
