// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "anim/motion.h"
#include "anim/skeleton.h"
#include "core/math.h"
#include "scene/scene.h"
#include "scene/skin_surface.h"
#include "stages/tet_bake/morphs/morph_regions.h"
#include "stages/tet_bake/surface/bones.h"

/// The joint rotations on which the skin of a region depends.
namespace clipmill::stages::tet_bake {

/// For each region the joints on which its skin may depend (indices in Skeleton::nodes), at most
/// eight: its own, then those whose rotation moves parts of it against each other and those of the
/// regions that share points with it, the largest 4 b (1 - b) first, with b the share of the
/// region's skin weights at or below the joint: 1 where the joint rotates half of the region
/// against the other half, 0 where it carries all or nothing of it. Joints that no region has count
/// from 0.1 on, where they move skin or `is_animated` (one per node).
std::vector<std::vector<int>> jointsOfRegions(const SkinSurface& surface, const Skeleton& skeleton,
                                              std::span<const MorphRegion> regions,
                                              std::span<const char> is_animated);

/// The bind pose of a character, for rotations relative to it.
struct BindRotations {
  BindRotations(const Scene& scene, std::span<const BakeBone> bones);

  /// Of a node in a pose, relative to the bind pose, in the axes of the node.
  Quat relative(int node, std::span<const Transform> locals) const;
  /// The local rotation of a node that is relative to the bind pose by `rotation`.
  Quat local(int node, const Quat& rotation) const;

  std::vector<Transform> locals;
  std::vector<Mat3> axes;       ///< One per node: metric world at bind, orthonormal.
  std::vector<Vec3> bone_axes;  ///< One per node, unit, in its axes at bind: along its bone.
};

/// One per node: whether its rotation changes by more than half a degree in any motion.
std::vector<char> animatedNodes(const Skeleton& skeleton, std::span<const Motion> motions);

}  // namespace clipmill::stages::tet_bake
