// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/result.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::stages::dynamic_bones {

/// The simulated part of the skeleton, node by node.
struct SwingingNodes {
  std::vector<std::vector<Bone>> bones;  ///< Of each node; only joints have any.
  std::vector<bool> swings;              ///< Joints and all below them.
};

/// Finds the bones of all chains; depths, lengths and virtual tips come from the file's rest pose.
/// makeRig sets `parent`, `branch` and `joint` of the bones. Errors: those of findChains,
/// and kRecipe for a chain without bones.
Result<SwingingNodes> findBones(const Scene& scene, const DynamicBonesSettings& settings);

}  // namespace clipmill::stages::dynamic_bones
