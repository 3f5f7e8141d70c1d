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

/// A joint that bends the skin of a region.
struct RegionJoint {
  int node = 0;  ///< Index in Skeleton::nodes.
  /// 4 b (1 - b), with b the share of the region's skin weights at or below the joint: 1 where it
  /// rotates half of the region against the other half, 0 where it carries all or nothing of it.
  double weight = 0.0;
};

/// The joints of a region, the largest weight first, at most three; none below a tenth. Joints
/// without skin weights count where `is_animated` (one per node).
std::vector<RegionJoint> jointsOfRegion(const SkinSurface& surface, const Skeleton& skeleton,
                                        const MorphRegion& region,
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
