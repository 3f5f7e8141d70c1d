// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "humanoid/humanoid.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/chains/chain_names.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::stages::dynamic_bones {

/// Chains of one class below one joint of the body, as one chain setting.
struct FoundChain {
  ChainClass chain_class = ChainClass::kHair;
  ChainSettings settings;
  std::size_t chain_count = 0;
  std::size_t joint_count = 0;  ///< With the ends.
  bool by_name = true;          ///< Else by layout.
};

struct AutoSetup {
  std::vector<FoundChain> chains;
  std::vector<std::string> notes;  ///< For users: what was found, what was left out and why.
};

/// Finds chains for secondary motion: nodes whose names have a chain class (chain_names.h), and
/// rows of three joints or more without such a name on the trunk or head of `map` that are not part
/// of a human skeleton. Chains that all motions animate are left out with AnimatedChains::kSkip;
/// those that some motions animate get `skip_animated`. A row without a name that any motion
/// animates is left out. Left out: nodes that no skin uses (in files
/// with skins), nodes of the body, nodes of the chains in `given`; and breasts, which a note lists.
/// Every setting matches exactly the nodes that were found. Values come from presets
/// (chain_presets.h). The scene needs its meshes, which hold the skins: without skins, a mesh
/// called "Cape" looks like a joint.
AutoSetup findChainsToSwing(const Scene& scene, const humanoid::HumanoidMap& map,
                            std::span<const Motion> motions,
                            const std::vector<ChainSettings>& given = {},
                            AnimatedChains animated = AnimatedChains::kSkip);

/// Appends the chains of findChainsToSwing() to `settings`. Returns its notes.
std::vector<std::string> addFoundChains(const Scene& scene, std::span<const Motion> motions,
                                        DynamicBonesSettings& settings);

}  // namespace clipmill::stages::dynamic_bones
