// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/chains/auto_setup.h"

#include <algorithm>
#include <optional>

#include "core/text.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/chains/chain_patterns.h"
#include "stages/dynamic_bones/chains/chain_presets.h"
#include "stages/dynamic_bones/chains/chain_search.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Whether the same motions animate both.
bool movesAlike(const Strand& a, const Strand& b) {
  return std::equal(a.moved_members.begin(), a.moved_members.end(), b.moved_members.begin(),
                    b.moved_members.end(), [](int x, int y) { return (x >= 0) == (y >= 0); });
}

// Whether two strands fit into one chain setting.
bool belongTogether(const Strand& a, const Strand& b) {
  const bool same_hair = a.chain_class != ChainClass::kHair ||
                         (a.length_m < kShortHair_m) == (b.length_m < kShortHair_m);
  return a.chain_class == b.chain_class && a.attachment == b.attachment && a.by_name == b.by_name &&
         a.keeps_root == b.keeps_root && same_hair && movesAlike(a, b);
}

std::vector<std::vector<Strand>> grouped(const std::vector<Strand>& strands) {
  std::vector<std::vector<Strand>> groups;
  for (const Strand& strand : strands) {
    const auto group =
        std::find_if(groups.begin(), groups.end(), [&](const std::vector<Strand>& candidate) {
          return belongTogether(candidate.front(), strand);
        });
    if (group != groups.end()) {
      group->push_back(strand);
    } else {
      groups.push_back({strand});
    }
  }
  return groups;
}

// "hair: 6 chains below 'Head', 24 joints, by name"
std::string noteOf(const Skeleton& skeleton, const std::vector<Strand>& group) {
  std::size_t joints = 0;
  for (const Strand& strand : group) joints += strand.members.size();
  const int attachment = group.front().attachment;
  return std::string(chainClassName(group.front().chain_class)) + ": " +
         counted(group.size(), "chain") + " below '" +
         printable(skeleton.nodes[toSize(attachment)].name) + "', " + counted(joints, "joint") +
         (group.front().by_name ? ", by name" : ", by layout");
}

// "'Wag' (joint 'Tail3')": the first clip that animates the group; with their number.
std::string animatedBy(const Skeleton& skeleton, std::span<const Motion> motions,
                       const std::vector<Strand>& group) {
  const std::vector<int>& moved = group.front().moved_members;
  const auto first = std::find_if(moved.begin(), moved.end(), [](int node) { return node >= 0; });
  const auto count = moved.size() - toSize(std::count(moved.begin(), moved.end(), -1));
  const Motion& motion = motions[toSize(first - moved.begin())];
  return "animated by " + std::to_string(count) + " of " + counted(moved.size(), "clip") + ": '" +
         printable(motion.clip_name) + "' (joint '" +
         printable(skeleton.nodes[toSize(*first)].name) + "')" + (count > 1 ? ", .." : "");
}

ChainShape shapeOf(const std::vector<Strand>& group) {
  ChainShape shape;
  double bones_m = 0.0;
  std::size_t bones = 0;
  for (const Strand& strand : group) {
    shape.length_m = std::max(shape.length_m, strand.length_m);
    bones_m += strand.bones_m;
    bones += strand.members.size() - 1;
  }
  if (bones > 0) shape.bone_m = bones_m / static_cast<double>(bones);
  const bool is_fan = group.size() == 1 && group.front().keeps_root;
  shape.branches = is_fan ? kMinFanBranches : group.size();
  return shape;
}

std::optional<FoundChain> chainOf(const Skeleton& skeleton, const std::vector<Strand>& group) {
  FoundChain found;
  found.chain_class = group.front().chain_class;
  found.by_name = group.front().by_name;
  found.chain_count = group.size();
  ChainNodes nodes;
  for (const Strand& strand : group) {
    nodes.roots.push_back(strand.root);
    nodes.members.insert(nodes.members.end(), strand.members.begin(), strand.members.end());
    nodes.ends.insert(nodes.ends.end(), strand.ends.begin(), strand.ends.end());
    nodes.skipped.insert(nodes.skipped.end(), strand.skipped.begin(), strand.skipped.end());
  }
  std::sort(nodes.members.begin(), nodes.members.end());
  std::sort(nodes.ends.begin(), nodes.ends.end());
  found.joint_count = nodes.members.size();
  found.settings.keep_root = group.front().keeps_root;
  if (!nameChainNodes(skeleton, nodes, found.settings)) return std::nullopt;
  applyPreset(found.chain_class, shapeOf(group), found.settings);
  return found;
}

// One setting for the group, or one per strand where no pattern matches all of them.
void addGroup(const Skeleton& skeleton, const std::vector<Strand>& group, AutoSetup& setup) {
  if (const auto found = chainOf(skeleton, group)) {
    setup.chains.push_back(*found);
    const ChainSettings& settings = found->settings;
    const std::string& first = settings.joints.empty() ? settings.root : settings.joints.front();
    setup.notes.push_back(noteOf(skeleton, group) + ": '" + printable(first) + "'");
    return;
  }
  std::size_t unnamed = 0;
  for (const Strand& strand : group) {
    if (const auto found = chainOf(skeleton, {strand})) {
      setup.chains.push_back(*found);
    } else {
      ++unnamed;
    }
  }
  const std::string outcome = unnamed == 0 ? ", one setting per chain"
                                           : ", " + std::to_string(unnamed) +
                                                 " left out: no pattern matches their nodes only";
  setup.notes.push_back(noteOf(skeleton, group) + outcome);
}

}  // namespace

AutoSetup findChainsToSwing(const Scene& scene, const humanoid::HumanoidMap& map,
                            std::span<const Motion> motions,
                            const std::vector<ChainSettings>& given, AnimatedChains animated) {
  const bool skips = animated == AnimatedChains::kSkip;
  std::vector<Strand> simulated, left_out, off;
  for (const Strand& strand : findStrands(scene, map, motions, given)) {
    const bool is_off = strand.chain_class == ChainClass::kBreast;
    const bool is_left_out = skips && isMovedInAll(strand);
    (is_off ? off : is_left_out ? left_out : simulated).push_back(strand);
  }
  AutoSetup setup;
  for (const auto& group : grouped(simulated)) {
    const std::size_t first_new = setup.chains.size();
    addGroup(scene.skeleton, group, setup);
    if (!isMovedInAny(group.front())) continue;
    for (std::size_t i = first_new; i < setup.chains.size(); ++i) {
      setup.chains[i].settings.skip_animated = skips;
    }
    setup.notes.back() += ", " + animatedBy(scene.skeleton, motions, group) +
                          (skips ? ", left out there" : ", simulated about the animated pose");
  }
  for (const auto& group : grouped(left_out)) {
    setup.notes.push_back(noteOf(scene.skeleton, group) +
                          ", left out: " + animatedBy(scene.skeleton, motions, group));
  }
  for (const auto& group : grouped(off)) {
    setup.notes.push_back(noteOf(scene.skeleton, group) + ", left out: add a chain that names it");
  }
  return setup;
}

std::vector<std::string> addFoundChains(const Scene& scene, std::span<const Motion> motions,
                                        DynamicBonesSettings& settings) {
  const humanoid::HumanoidMap map = humanoid::findHumanoid(scene);
  dynamic_bones::AutoSetup setup =
      dynamic_bones::findChainsToSwing(scene, map, motions, settings.chain, settings.animated);
  for (dynamic_bones::FoundChain& found : setup.chains) {
    settings.chain.push_back(std::move(found.settings));
  }
  if (setup.notes.empty()) setup.notes.emplace_back("no chains were found");
  return setup.notes;
}

}  // namespace clipmill::stages::dynamic_bones
