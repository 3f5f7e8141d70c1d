// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "core/result.h"
#include "core/warnings.h"
#include "humanoid/humanoid.h"
#include "scene/scene.h"

namespace clipmill::locomotion {

/// Metres from the lowest to the highest joint in the rest pose; 1 where that is 0.
double characterHeight(const Scene& scene);

/// The root-motion joint: of all nodes with at least half of the joints of a skin at or below them,
/// the topmost whose own translation moves it along the ground at least half as far from where it
/// starts as any other's. Files without skins: half of all animated nodes. -1 where no such node
/// gets farther than `still_m`.
int findMovingJoint(const Scene& scene, const Motion& motion, double still_m);

/// The lowest node that bears all joints of the largest skin: the node to move where none moves.
/// The first root where there is no skin; -1 for a scene without nodes.
int nodeAboveCharacter(const Scene& scene);

/// The node that is named `root` (as in findOneNode); where that is empty findMovingJoint(), or
/// where none moves nodeAboveCharacter(). Errors: those of findOneNode; kRecipe for a scene without
/// nodes.
Result<int> findRootMotionJoint(const Scene& scene, const Motion& motion, const std::string& root,
                                double still_m);

/// The node from `from` downwards at which the character branches: its hips, as a rule.
int bodyNode(const Scene& scene, int from);

/// Nodes that match one of `patterns` and have none of `moved` and no other match above them.
/// Error: kNotFound for a pattern without a node.
Result<std::vector<int>> findFollowers(const Scene& scene, int moved,
                                       const std::vector<std::string>& patterns);

/// Joints of the character that are not below `moved`, which carries its hips: feet or hands of a
/// rig whose joints for inverse kinematics are beside the body. Topmost ones, ascending; none of
/// `followers` or below them. Empty where `moved` does not carry the hips.
std::vector<int> findDetachedJoints(const Scene& scene, const humanoid::HumanoidMap& map, int moved,
                                    std::span<const int> followers);

/// Names of nodes near the character whose translation is animated and which no node of `moved`
/// carries: they do not move with the character.
std::vector<std::string> findLeftBehind(const Scene& scene, const Motion& motion,
                                        std::span<const int> moved);

/// How a node is moved at one frame: rotated about the vertical through `from_m`, then shifted so
/// that `from_m` is at `to_m`. Metric world.
struct RootMove {
  Vec3 from_m{0.0};
  Vec3 to_m{0.0};
  double rotation_rad = 0.0;
};

/// Moves `nodes`, none of which is above another, and all below them: one move a frame of `motion`.
/// Written through the inverse of the parent transform; translations and rotations that do not
/// change stay as they are, bit for bit, and are not marked as modified. Warnings:
/// parent_without_inverse, rotation_under_nonuniform_scale.
void writeMoves(const Scene& scene, std::span<const int> nodes, std::span<const RootMove> moves,
                Motion& motion, Warnings& warnings);

}  // namespace clipmill::locomotion
