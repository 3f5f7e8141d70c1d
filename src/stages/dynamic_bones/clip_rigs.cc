// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/clip_rigs.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/text.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/chains/chain.h"
#include "stages/dynamic_bones/chains/moving_nodes.h"
#include "stages/dynamic_bones/springs/grid_step.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// The nodes whose rotation each chain sets.
std::vector<std::vector<std::size_t>> jointsOfChains(const Rig& rig, std::size_t chain_count) {
  std::vector<std::vector<std::size_t>> nodes(chain_count);
  for (const Joint& joint : rig.joints) {
    const std::size_t chain = toSize(rig.bones[joint.bones_start].chain);
    nodes[chain].push_back(toSize(rig.slots[toSize(joint.slot)].node));
  }
  return nodes;
}

DynamicBonesSettings without(const DynamicBonesSettings& settings,
                             const std::vector<bool>& is_left_out) {
  DynamicBonesSettings rest = settings;
  rest.chain.clear();
  for (std::size_t i = 0; i < settings.chain.size(); ++i) {
    if (!is_left_out[i]) rest.chain.push_back(settings.chain[i]);
  }
  return rest;
}

// The chains with that step.
Result<RigPart> partOf(const Scene& scene, const DynamicBonesSettings& settings,
                       const std::vector<double>& steps_s, double step_s) {
  std::vector<bool> is_left_out;
  for (const double own_s : steps_s) is_left_out.push_back(own_s != step_s);
  DynamicBonesSettings chosen = without(settings, is_left_out);
  chosen.measures_skin = false;  // the whole is measured
  CLIPMILL_TRY(Rig rig, makeRig(scene, chosen));
  return RigPart{std::make_shared<const DynamicBonesSettings>(std::move(chosen)),
                 std::make_shared<const Rig>(std::move(rig)), step_s};
}

Status addParts(const Scene& scene, ClipRig& whole) {
  if (whole.settings->method == DynamicBonesMethod::kReference) return {};
  const std::vector<double> steps_s = gridSteps_s(*whole.rig, *whole.settings, scene);
  const std::set<double> different_s(steps_s.begin(), steps_s.end());
  if (different_s.size() == 1) {
    whole.parts = {{whole.settings, whole.rig, steps_s.front()}};
    return {};
  }
  for (const double step_s : different_s) {
    CLIPMILL_TRY(RigPart part, partOf(scene, *whole.settings, steps_s, step_s));
    whole.parts.push_back(std::move(part));
  }
  return {};
}

}  // namespace

Result<std::vector<ClipRig>> makeClipRigs(const StageInput& input,
                                          const DynamicBonesSettings& settings) {
  CLIPMILL_TRY(Rig whole, makeRig(input.scene, settings));
  const auto joints = jointsOfChains(whole, settings.chain.size());
  const std::vector<bool> none(settings.chain.size(), false);
  std::map<std::vector<bool>, ClipRig> known;
  known[none].settings = std::make_shared<const DynamicBonesSettings>(settings);
  known[none].rig = std::make_shared<const Rig>(std::move(whole));
  CLIPMILL_CHECK(addParts(input.scene, known[none]));
  const bool may_skip = std::any_of(settings.chain.begin(), settings.chain.end(),
                                    [](const ChainSettings& chain) { return chain.skip_animated; });
  std::vector<ClipRig> rigs;
  for (const Motion& motion : input.motions) {
    std::vector<bool> is_left_out = none;
    std::vector<std::string> notes;
    const std::vector<bool> moves = may_skip ? movingNodes(motion) : std::vector<bool>();
    for (std::size_t i = 0; may_skip && i < settings.chain.size(); ++i) {
      if (!settings.chain[i].skip_animated) continue;
      const auto moved = std::find_if(joints[i].begin(), joints[i].end(),
                                      [&](std::size_t node) { return moves[node]; });
      if (moved == joints[i].end()) continue;
      is_left_out[i] = true;
      notes.push_back(chainLabel(settings.chain[i]) + " is left out: the clip animates joint '" +
                      printable(input.scene.skeleton.nodes[*moved].name) + "'");
    }
    const auto [found, is_new] = known.try_emplace(is_left_out);
    if (is_new) {
      found->second.settings =
          std::make_shared<const DynamicBonesSettings>(without(settings, is_left_out));
      if (!found->second.settings->chain.empty()) {
        CLIPMILL_TRY(Rig rig, makeRig(input.scene, *found->second.settings));
        found->second.rig = std::make_shared<const Rig>(std::move(rig));
        CLIPMILL_CHECK(addParts(input.scene, found->second));
      }
    }
    rigs.push_back(found->second);
    rigs.back().notes = std::move(notes);
  }
  return rigs;
}

}  // namespace clipmill::stages::dynamic_bones
