// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "humanoid/humanoid.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::stages::dynamic_bones {

/// Solids around the skin of a character in its rest pose: for trunk, neck, arms, hands, legs and
/// feet a tapered capsule, along the bone or along the main axis of its vertices, whichever lies
/// closer to the skin; for the head a sphere. Each holds 85 % of the vertices of which its bone, or
/// a node below it that has no solid of its own, is the strongest joint; vertices of simulated
/// nodes
/// (`swings`, one per node) do not count. A bone with hardly any vertices gets the proportions of a
/// human character of that size. Without a humanoid map every joint with enough vertices that is
/// not simulated gets a capsule.
///
/// Lengths are metres along the axes of the nodes; names are "auto:" and the role or the node. In
/// the order of roles or nodes. Scene::meshes must have been loaded.
std::vector<ColliderSettings> fitColliders(const Scene& scene, const humanoid::HumanoidMap& map,
                                           const std::vector<bool>& swings);

}  // namespace clipmill::stages::dynamic_bones
