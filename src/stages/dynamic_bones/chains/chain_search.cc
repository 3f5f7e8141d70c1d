// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/chains/chain_search.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "anim/pose.h"
#include "core/math.h"
#include "core/to_size.h"
#include "humanoid/joint_names.h"
#include "stages/dynamic_bones/chains/chain.h"
#include "stages/dynamic_bones/chains/moving_nodes.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Rows of fewer joints without a known name are ambiguous.
constexpr std::size_t kMinUnnamedJoints = 3;
// This many unnamed rows around the hips make a skirt.
constexpr std::size_t kMinSkirtRows = 5;
constexpr double kTrustedMap = 0.8;

// The nodes that are not candidates for secondary motion.
struct Bodies {
  std::vector<bool> is_body;    // has a humanoid role, or the name of a body part
  std::vector<bool> has_body;   // is part of the body, or has such a node below
  std::vector<bool> has_joint;  // is a joint of a skin, or has one below; all without skins
  std::vector<bool> is_joint;
};

Bodies bodiesOf(const Scene& scene, const humanoid::HumanoidMap& map,
                const std::vector<ChainName>& names) {
  using humanoid::NamedPart;
  const std::size_t count = scene.skeleton.size();
  Bodies bodies;
  bodies.is_body.assign(count, false);
  bodies.is_joint.assign(count, scene.skins.empty());
  for (const Skin& skin : scene.skins) {
    for (int joint : skin.joints) bodies.is_joint[toSize(joint)] = true;
  }
  const auto parts = humanoid::bodyNamesOf(scene.skeleton);
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_part = parts[i].part != humanoid::NamedPart::kNone &&
                         parts[i].part != humanoid::NamedPart::kHelper;
    bodies.is_body[i] = is_part && bodies.is_joint[i] && !names[i].chain_class;
  }
  for (int node : map.nodes) {
    if (node >= 0) bodies.is_body[toSize(node)] = true;
  }
  bodies.has_body = bodies.is_body;
  bodies.has_joint = bodies.is_joint;
  for (std::size_t i = count; i-- > 0;) {
    const int parent = scene.skeleton.nodes[i].parent;
    if (parent < 0) continue;
    const std::size_t p = toSize(parent);
    if (bodies.has_body[i]) bodies.has_body[p] = true;
    if (bodies.has_joint[i]) bodies.has_joint[p] = true;
  }
  return bodies;
}

class ChainSearch {
 public:
  ChainSearch(const Scene& scene, const humanoid::HumanoidMap& map, std::span<const Motion> motions,
              const std::vector<ChainSettings>& given)
      : scene_(scene), skeleton_(scene.skeleton), map_(map), children_(childrenOf(scene.skeleton)) {
    for (const Motion& motion : motions) moves_.push_back(movingNodes(motion));
    for (const Node& node : skeleton_.nodes) names_.push_back(chainNameOf(node.name));
    bodies_ = bodiesOf(scene, map, names_);
    covered_.assign(skeleton_.size(), false);
    if (const auto chains = findChains(skeleton_, given); chains.ok()) {
      for (std::size_t i = 0; i < chains->size(); ++i) covered_[i] = (*chains)[i].chain >= 0;
    }
    std::vector<Affine> worlds;
    computeWorlds(skeleton_, restPose(skeleton_).locals, scene.metric_from_file, worlds);
    for (const Affine& world : worlds) positions_.push_back(world.translation);
  }

  std::vector<Strand> strands() const {
    std::vector<Strand> strands;
    std::vector<bool> taken(skeleton_.size(), false);
    for (std::size_t i = 0; i < skeleton_.size(); ++i) {
      const int node = static_cast<int>(i), parent = skeleton_.nodes[i].parent;
      if (parent >= 0 && taken[toSize(parent)]) {
        taken[i] = true;
        continue;
      }
      std::optional<Strand> strand = namedStrand(node);
      if (!strand) strand = unnamedStrand(node);
      if (!strand) continue;
      taken[i] = true;
      strands.push_back(*strand);
    }
    nameUnnamed(strands);
    return strands;
  }

 private:
  // The first member that each motion moves, or -1.
  std::vector<int> movedMembers(const Strand& strand) const {
    std::vector<int> moved;
    for (const std::vector<bool>& moves : moves_) {
      const auto first = std::find_if(strand.members.begin(), strand.members.end(),
                                      [&](int node) { return moves[toSize(node)]; });
      moved.push_back(first == strand.members.end() ? -1 : *first);
    }
    return moved;
  }

  bool isEnd(int node) const {
    const std::size_t i = toSize(node);
    return names_[i].is_end && children_[i].empty();
  }

  // Whether a node below a chain's root is simulated with it.
  bool swings(int node) const {
    const std::size_t i = toSize(node);
    return !names_[i].is_excluded && !covered_[i] && (bodies_.has_joint[i] || isEnd(node));
  }

  bool mayBeRoot(int node) const {
    const std::size_t i = toSize(node);
    return !bodies_.has_body[i] && bodies_.has_joint[i] && !names_[i].is_end && swings(node) &&
           skeleton_.nodes[i].parent >= 0;
  }

  Strand strandFrom(int root) const {
    Strand strand;
    strand.root = root;
    strand.attachment = attachmentOf(root);
    std::vector<std::pair<int, double>> open = {{root, 0.0}};
    while (!open.empty()) {
      const auto [node, path_m] = open.back();
      open.pop_back();
      strand.members.push_back(node);
      strand.length_m = std::max(strand.length_m, path_m);
      if (isEnd(node) && node != root) strand.ends.push_back(node);
      for (int child : children_[toSize(node)]) {
        if (!swings(child)) {
          strand.skipped.push_back(child);
          continue;
        }
        const double bone_m = lengthOf(positions_[toSize(child)] - positions_[toSize(node)]);
        strand.bones_m += bone_m;
        open.emplace_back(child, path_m + bone_m);
      }
    }
    for (auto* nodes : {&strand.members, &strand.ends, &strand.skipped}) {
      std::sort(nodes->begin(), nodes->end());
    }
    strand.moved_members = movedMembers(strand);
    strand.keeps_root = fannedOut(root) >= kMinFanBranches;
    return strand;
  }

  // A bone to another joint, or a virtual tip behind a joint of a skin.
  bool hasBone(const Strand& strand) const {
    if (strand.bones_m > 0.0) return true;
    const std::size_t root = toSize(strand.root);
    const std::size_t parent = toSize(skeleton_.nodes[root].parent);
    return !scene_.skins.empty() && bodies_.is_joint[root] &&
           positions_[root] != positions_[parent];
  }

  std::size_t fannedOut(int node) const {
    const std::vector<int>& children = children_[toSize(node)];
    return toSize(
        std::count_if(children.begin(), children.end(), [&](int child) { return swings(child); }));
  }

  int attachmentOf(int root) const {
    const int parent = skeleton_.nodes[toSize(root)].parent;
    for (int node = parent; node >= 0; node = skeleton_.nodes[toSize(node)].parent) {
      if (bodies_.is_body[toSize(node)]) return node;
    }
    return parent;
  }

  bool isHeldInHand(const Strand& strand) const {
    return strand.attachment >= 0 &&
           (strand.attachment == map_[humanoid::HumanoidRole::kLeftHand] ||
            strand.attachment == map_[humanoid::HumanoidRole::kRightHand]);
  }

  std::optional<Strand> namedStrand(int node) const {
    const auto& chain_class = names_[toSize(node)].chain_class;
    if (!chain_class || !mayBeRoot(node)) return std::nullopt;
    Strand strand = strandFrom(node);
    if (!hasBone(strand)) return std::nullopt;
    strand.chain_class = *chain_class;
    // A bow in a hand is a weapon.
    if (isHeldInHand(strand) && strand.chain_class == ChainClass::kRibbon) return std::nullopt;
    return strand;
  }

  bool isTrunkOrHead(int node) const {
    using enum humanoid::HumanoidRole;
    const auto roles = {kHips, kSpine, kChest, kUpperChest, kNeck, kHead};
    return std::any_of(roles.begin(), roles.end(),
                       [&](humanoid::HumanoidRole role) { return map_[role] == node; });
  }

  // A row of joints on the trunk or head without a known name. An animated row is left out without
  // a note, because it may be anything.
  std::optional<Strand> unnamedStrand(int node) const {
    if (map_.confidence < kTrustedMap || !mayBeRoot(node)) return std::nullopt;
    if (!isTrunkOrHead(skeleton_.nodes[toSize(node)].parent)) return std::nullopt;
    if (!bodies_.is_joint[toSize(node)]) return std::nullopt;
    Strand strand = strandFrom(node);
    const std::size_t joints = strand.members.size() - strand.ends.size();
    if (joints < kMinUnnamedJoints || !(strand.length_m > 0.0) || isMovedInAny(strand))
      return std::nullopt;
    strand.by_name = false;
    return strand;
  }

  // Gives unnamed strands the class that their attachment suggests.
  void nameUnnamed(std::vector<Strand>& strands) const {
    const int hips = map_[humanoid::HumanoidRole::kHips];
    const auto hangsOnHips = [&](const Strand& strand) {
      return !strand.by_name && strand.attachment == hips;
    };
    const auto around_hips = toSize(std::count_if(strands.begin(), strands.end(), hangsOnHips));
    for (Strand& strand : strands) {
      if (strand.by_name) continue;
      const bool on_head = strand.attachment == map_[humanoid::HumanoidRole::kHead] ||
                           strand.attachment == map_[humanoid::HumanoidRole::kNeck];
      if (on_head) {
        strand.chain_class = ChainClass::kHair;
      } else if (strand.attachment == hips && around_hips >= kMinSkirtRows) {
        strand.chain_class = ChainClass::kSkirt;
      } else if (strand.attachment == hips && around_hips == 1) {
        strand.chain_class = ChainClass::kTail;
      }
    }
  }

  const Scene& scene_;
  const Skeleton& skeleton_;
  const humanoid::HumanoidMap& map_;
  std::vector<std::vector<int>> children_;
  std::vector<std::vector<bool>> moves_;  // of each motion
  std::vector<bool> covered_;
  std::vector<ChainName> names_;
  Bodies bodies_;
  std::vector<Vec3> positions_;  // at rest, metres
};

}  // namespace

bool isMovedInAny(const Strand& strand) {
  return std::any_of(strand.moved_members.begin(), strand.moved_members.end(),
                     [](int node) { return node >= 0; });
}

bool isMovedInAll(const Strand& strand) {
  return !strand.moved_members.empty() &&
         std::all_of(strand.moved_members.begin(), strand.moved_members.end(),
                     [](int node) { return node >= 0; });
}

std::vector<Strand> findStrands(const Scene& scene, const humanoid::HumanoidMap& map,
                                std::span<const Motion> motions,
                                const std::vector<ChainSettings>& given) {
  return ChainSearch(scene, map, motions, given).strands();
}

}  // namespace clipmill::stages::dynamic_bones
