// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "core/result.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::stages::dynamic_bones {

/// A collider and the node that it moves with; RigCollider::slot is not set yet.
struct FoundCollider {
  std::optional<int> node;  ///< Without one, it is fixed in the world.
  RigCollider collider;
};

/// The colliders of the settings. Errors: kNotFound for a missing node, kRecipe for an ambiguous
/// name.
Result<std::vector<FoundCollider>> findColliders(const Skeleton& skeleton,
                                                 const DynamicBonesSettings& settings);

/// Adds a solid for every bone of the chains that others avoid. It moves with the bone's joint.
void addBoneSolids(const Scene& scene, const DynamicBonesSettings& settings, Rig& rig);

/// Indices of the colliders that each chain avoids, ascending. Error: kNotFound for a pattern that
/// matches none.
Result<std::vector<std::vector<int>>> collidersOfChains(const DynamicBonesSettings& settings,
                                                        const Rig& rig);

/// Rig::skin_uses: the patterns of a chain's colliders know the skin as "skin" and "skin:arms".
std::vector<SkinUse> skinOfChains(const DynamicBonesSettings& settings);

/// Rig::colliders_of_bone, from colliders_of_chain and the file's rest pose.
std::vector<std::vector<int>> collidersOfBones(const Scene& scene,
                                               const DynamicBonesSettings& settings,
                                               const Rig& rig);

}  // namespace clipmill::stages::dynamic_bones
