// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "core/warnings.h"
#include "scene/scene.h"

/// The springs of a VRM file, checked and put in an order in which they can be simulated.
namespace clipmill::stages::dynamic_bones {

/// A joint that rotates, and the bone from it to the next joint of its chain or to a virtual tip.
struct VrmBone {
  SpringJoint joint;
  std::vector<int> between;  ///< Nodes from below the joint before down to above this one.
  Vec3 axis{0.0};         ///< To the bone's end at rest, joint's axes; unit, zero without a bone.
  double length_m = 0.0;  ///< At rest, in metric world space.
  Vec3 tip{0.0};          ///< The end of the bone at rest, in the joint's own space.
};

/// A chain that is simulated.
struct VrmChain {
  int parent = -1;  ///< Node above the first joint, or -1.
  int center = -1;  ///< Node in whose space tails are kept, or -1 for the world.
  std::vector<VrmBone> bones;
  std::vector<int> colliders;  ///< In the order in which they are avoided; may repeat.
};

/// A node whose world transform is needed at every step.
struct VrmNode {
  int node = 0;
  int parent = -1;  ///< Index in VrmRig::nodes; -1 for roots of the file.
  int chain = -1;   ///< Chain that rotates it, or -1.
  int bone = -1;    ///< Its bone of that chain.
};

/// Chains of one wave do not depend on each other: the nodes above them and, where possible, the
/// nodes of their colliders and centers belong to earlier waves.
struct VrmWave {
  std::size_t chains_start = 0, chains_end = 0;  ///< In VrmRig::chains.
  std::size_t nodes_end = 0;  ///< In VrmRig::nodes: those up to here are known after the wave.
};

struct VrmRig {
  std::vector<SpringCollider> colliders;
  std::vector<VrmChain> chains;
  std::vector<VrmWave> waves;
  std::vector<VrmNode> nodes;       ///< Parents first; in the order in which they become known.
  std::size_t following_count = 0;  ///< Nodes before this one follow the clip.
  std::size_t bone_count = 0;
  Warnings warnings;

  /// Index in `nodes`, or -1; of every collider, center and parent of a chain.
  std::vector<int> slot_of_node;
};

/// Makes the rig from the springs and the rest pose of a scene. All indices are checked. Warnings:
/// spring_dropped for a chain whose joints do not lie one below the other, are not there or are in
/// another chain already; spring_collider_dropped for invalid indices; spring_cycle for a chain
/// that depends on itself through its colliders or its center: those are taken from the step
/// before.
VrmRig makeVrmRig(const SpringSetup& springs, const Scene& scene);

}  // namespace clipmill::stages::dynamic_bones
