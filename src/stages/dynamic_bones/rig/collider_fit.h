// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "scene/humanoid.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::bones {

/// Solids around the skin of a figure in its rest pose: for trunk, neck, arms, hands, legs and feet
/// a tapered capsule, along the bone or along the main axis of its vertices, whichever lies closer
/// to the skin; for the head a sphere. Each holds 85 % of the vertices of which its bone, or a node
/// below it that has no solid of its own, is the strongest joint; vertices of nodes that swing
/// (`swings`, one a node) do not count. A bone with hardly any vertices gets the proportions of a
/// human figure of that size. Without a humanoid map every joint with enough vertices that does not
/// swing gets a capsule.
///
/// Metres along the axes of the nodes; names are "auto:" and the role or the node. In the order of
/// roles or nodes. Scene::meshes must have been loaded.
std::vector<ColliderSettings> fitColliders(const Scene& scene, const HumanoidMap& map,
                                           const std::vector<bool>& swings);

}  // namespace clipmill::bones
