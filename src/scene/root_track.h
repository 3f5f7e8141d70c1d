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
#include "scene/scene.h"

namespace clipmill {

/// Metres from the lowest to the highest joint in the rest pose; 1 where that says nothing.
double figureHeight(const Scene& scene);

/// The node that carries the way of a figure: of all nodes that bear at least half of the joints of
/// a skin, the topmost whose own translation takes it along the ground at least half as far from
/// where it begins as any other's. Files without skins: half of all animated nodes. -1 where no
/// such node gets farther than `still_m`.
int findMovingNode(const Scene& scene, const Motion& motion, double still_m);

/// The lowest node that bears all joints of the largest skin: the node to move where none moves.
/// The first root where there is no skin; -1 for a scene without nodes.
int nodeAboveFigure(const Scene& scene);

/// The node that is named `root` (as in findOneNode), or where that is empty the one that carries
/// the way, or the one to move where none does. Errors: those of findOneNode; kRecipe for a scene
/// without nodes.
Result<int> findCarrier(const Scene& scene, const Motion& motion, const std::string& root,
                        double still_m);

/// The node from `from` downwards at which the figure branches: its hips, as a rule.
int bodyNode(const Scene& scene, int from);

/// Nodes that match one of `patterns` and have none of `moved` and no other match above them.
/// Error: kNotFound for a pattern without a node.
Result<std::vector<int>> findFollowers(const Scene& scene, int moved,
                                       const std::vector<std::string>& patterns);

/// Names of nodes near the figure whose translation is animated and which no node of `moved`
/// carries: they stay where they are when the figure goes elsewhere.
std::vector<std::string> findLeftBehind(const Scene& scene, const Motion& motion,
                                        std::span<const int> moved);

/// How a node is moved at one frame: turned about the vertical through `from_m`, then carried so
/// that `from_m` comes to be at `to_m`. Metric world.
struct RootMove {
  Vec3 from_m{0.0};
  Vec3 to_m{0.0};
  double turn_rad = 0.0;
};

/// Moves `nodes`, none of which is above another, and all below them: one move a frame of `motion`.
/// Written through the inverse of what is above each node; translations and rotations that do not
/// change stay as they are, bit for bit, and are not marked as touched. Warnings:
/// parent_without_inverse, turn_under_uneven_scale.
void writeMoves(const Scene& scene, std::span<const int> nodes, std::span<const RootMove> moves,
                Motion& motion, Warnings& warnings);

}  // namespace clipmill
