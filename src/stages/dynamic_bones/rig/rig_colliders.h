// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/result.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::bones {

/// A collider and the node that carries it; RigCollider::slot is not set yet.
struct FoundCollider {
  int node = 0;
  RigCollider collider;
};

/// The solids that the settings name. Errors: kNotFound, kRecipe for a node that is not there or is
/// not the only one of its name.
Result<std::vector<FoundCollider>> findColliders(const Skeleton& skeleton,
                                                 const DynamicBonesSettings& settings);

/// Adds a solid for every bone of the chains that others avoid, carried by the bone's joint.
void addBoneSolids(const Scene& scene, const DynamicBonesSettings& settings, Rig& rig);

/// Indices of the colliders that each chain avoids, ascending. Error: kNotFound for a pattern that
/// matches none.
Result<std::vector<std::vector<int>>> collidersOfChains(const DynamicBonesSettings& settings,
                                                        const Rig& rig);

/// Rig::colliders_of_bone, from colliders_of_chain and the file's rest pose.
std::vector<std::vector<int>> collidersOfBones(const Scene& scene,
                                               const DynamicBonesSettings& settings,
                                               const Rig& rig);

}  // namespace clipmill::bones
