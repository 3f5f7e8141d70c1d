// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "scene/humanoid.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/chains/chain_names.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::bones {

/// Chains of one class below one node of the body, as one setting.
struct FoundChain {
  ChainClass chain_class = ChainClass::kHair;
  ChainSettings settings;
  std::size_t chain_count = 0;
  std::size_t joint_count = 0;  ///< With the ends.
  bool by_name = true;          ///< Else by where it hangs.
};

struct AutoSetup {
  std::vector<FoundChain> chains;
  std::vector<std::string> notes;  ///< For people: what was found, what was left out and why.
};

/// Looks for what should swing: nodes with the name of a thing that does (chain_names.h), and rows
/// of three joints or more without such a name that hang on the trunk or head of `map` and that no
/// skeleton of a human has. Left out are nodes that a motion moves by itself, that no skin follows
/// (in files with skins), that belong to the body, and those of chains that `given` has already;
/// and breasts, which are named in a note only. Every setting names exactly the nodes that were
/// found. Settings follow presets (chain_presets.h). The scene needs its skins, so its meshes: an
/// FBX file without them has no skins, and a mesh called "Cape" looks like a joint.
AutoSetup findChainsToSwing(const Scene& scene, const HumanoidMap& map,
                            std::span<const Motion> motions,
                            const std::vector<ChainSettings>& given = {});

}  // namespace clipmill::bones

namespace clipmill {

/// Appends the chains of findChainsToSwing() to `settings`. Returns its notes.
std::vector<std::string> addFoundChains(const Scene& scene, std::span<const Motion> motions,
                                        DynamicBonesSettings& settings);

}  // namespace clipmill
