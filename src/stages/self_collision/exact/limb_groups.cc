// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/limb_groups.h"

#include <algorithm>
#include <optional>

namespace clipmill::stages::self_collision {
namespace {

bool contains(std::span<const humanoid::BodyPart> parts, humanoid::BodyPart part) {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

// The limbs that resolve a pair: the one whose vertices it tests, and its counterpart on the other
// side if the pair tests the two against each other.
std::vector<std::size_t> limbsMovedBy(const penetration::PartPair& pair, const LimbPoser& poser) {
  std::vector<std::size_t> limbs;
  bool is_leg = false;
  for (std::size_t i = 0; i < poser.limbCount(); ++i) {
    if (isLimbOf(poser.limb(i), pair)) is_leg = poser.limb(i).is_leg;
  }
  for (std::size_t i = 0; i < poser.limbCount(); ++i) {
    const MovableLimb& limb = poser.limb(i);
    if (limb.is_leg == is_leg && takesPart(limb, pair)) limbs.push_back(i);
  }
  return limbs;
}

int rankOf(const PairGroup& group, const LimbPoser& poser) {
  if (poser.limb(group.limbs[0]).is_leg) return 0;
  if (group.yields) return 4;
  return group.limbs.size() == 1 ? 2 : 3;
}

bool isUpperArm(const MovableLimb& limb, const penetration::PartPair& pair) {
  return !limb.is_leg && limb.parts[0] == pair.limb;
}

// Both arms as one unit, tested against everything except each other.
std::optional<PairGroup> jointArms(std::span<const PairGroup> groups, const LimbPoser& poser) {
  PairGroup joint;
  joint.rank = 1;
  for (const PairGroup& group : groups) {
    if (poser.limb(group.limbs[0]).is_leg || group.yields) continue;
    if (group.limbs.size() == 1) {
      joint.pairs.insert(joint.pairs.end(), group.pairs.begin(), group.pairs.end());
    } else {
      joint.limbs = group.limbs;
      joint.links = group.pairs;
      joint.name = group.name;
    }
  }
  if (joint.links.empty() || joint.pairs.empty()) return std::nullopt;
  std::sort(joint.pairs.begin(), joint.pairs.end());
  return joint;
}

}  // namespace

bool isLimbOf(const MovableLimb& limb, const penetration::PartPair& pair) {
  return contains(limb.parts, pair.limb);
}

bool takesPart(const MovableLimb& limb, const penetration::PartPair& pair) {
  return contains(limb.parts, pair.limb) ||
         std::any_of(pair.others.begin(), pair.others.end(),
                     [&](humanoid::BodyPart other) { return contains(limb.parts, other); });
}

std::vector<std::size_t> pairsOf(std::span<const std::size_t> limbs, const LimbPoser& poser,
                                 std::span<const penetration::PartPair> pairs) {
  std::vector<std::size_t> found;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    if (std::any_of(limbs.begin(), limbs.end(),
                    [&](std::size_t limb) { return takesPart(poser.limb(limb), pairs[p]); })) {
      found.push_back(p);
    }
  }
  return found;
}

std::vector<PairGroup> groupPairs(std::span<const penetration::PartPair> pairs,
                                  const LimbPoser& poser) {
  std::vector<PairGroup> groups;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const std::vector<std::size_t> limbs = limbsMovedBy(pairs[p], poser);
    if (limbs.empty()) continue;
    const bool yields = isUpperArm(poser.limb(limbs[0]), pairs[p]);
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const PairGroup& group) {
      return group.limbs == limbs && group.yields == yields;
    });
    if (same != groups.end()) {
      same->pairs.push_back(p);
      continue;
    }
    PairGroup group;
    group.pairs = {p};
    group.limbs = limbs;
    group.yields = yields;
    group.rank = rankOf(group, poser);
    for (const std::size_t limb : limbs) {
      group.name += (group.name.empty() ? "" : " and ") + poser.limb(limb).name;
    }
    groups.push_back(std::move(group));
  }
  if (std::optional<PairGroup> joint = jointArms(groups, poser)) groups.push_back(*joint);
  std::stable_sort(groups.begin(), groups.end(),
                   [](const PairGroup& a, const PairGroup& b) { return a.rank < b.rank; });
  return groups;
}

}  // namespace clipmill::stages::self_collision
