// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "humanoid/by_topology.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "humanoid/check.h"
#include "humanoid/limb_pairs.h"

namespace clipmill::humanoid {
namespace {

// Proportions, as shares of the length of a leg, that characters from children's toys to giants
// keep.
constexpr double kShortestArm = 0.35, kMaxArm = 1.9;
constexpr double kShortestTrunk = 0.1, kMaxTrunk = 2.5;
// Where something rises between the arms, there is a head: so much more is such a candidate worth.
constexpr double kHeadBonus = 1.3;
constexpr double kHandBonus = 1.25;
// Feet that are moved by IK hang elsewhere and leave legs of one bone.
constexpr double kLegPerFootlessLeg = 1.6;
// Nodes looked at below one pair of hips; hips looked at.
constexpr std::size_t kMaxTrunkNodes = 400;
constexpr std::size_t kMaxHips = 64;
constexpr std::size_t kMaxTrunkPath = 12;

struct Candidate {
  int hips = -1;
  LimbPair legs;
  int chest = -1;
  LimbPair arms;
  double score = 0.0;
};

Vec3 middle(const JointLayout& character, int a, int b) {
  return 0.5 * (character.positionOf(a) + character.positionOf(b));
}

class CharacterSearch {
 public:
  explicit CharacterSearch(const JointLayout& character)
      : character_(character), pairs_(character) {}

  std::optional<Candidate> best() const {
    std::optional<Candidate> best;
    for (int hips : possibleHips()) {
      const std::vector<LimbPair> legs = pairs_.below(hips);
      constexpr std::size_t kMaxPairs = 3;  // the longest: skirts and tails are shorter than legs
      for (std::size_t i = 0; i < std::min(kMaxPairs, legs.size()); ++i) {
        for (int trunk : pairs_.branchesOf(hips)) {
          if (trunk == legs[i].a.front() || trunk == legs[i].b.front()) continue;
          tryTrunk(hips, legs[i], trunk, best);
        }
      }
    }
    return best;
  }

  // Where the branches of the hand leave, or -1.
  int fanOf(const std::vector<int>& chain) const {
    constexpr double kFingerPerBone = 0.8;
    double bone_m = 0.0;  // the longest so far: twist joints cut some into pieces
    for (std::size_t i = 1; i < chain.size(); ++i) {
      bone_m = std::max(bone_m, distanceBetween(character_, chain[i - 1], chain[i]));
      int fingers = 0;
      double max_length_m = 0.0;
      for (int child : pairs_.branchesOf(chain[i])) {
        if (pairs_.reachOf(child) == 0.0) continue;
        ++fingers;
        max_length_m = std::max(max_length_m, distanceBetween(character_, chain[i], child));
      }
      if (i >= 2 && fingers >= 2 && max_length_m < kFingerPerBone * bone_m) {
        return static_cast<int>(i);
      }
    }
    return -1;
  }

 private:
  // Nodes with three branches, those that reach farthest first.
  std::vector<int> possibleHips() const {
    std::vector<int> hips;
    for (std::size_t i = 0; i < character_.positions.size(); ++i) {
      if (character_.children[i].size() >= 3 &&
          pairs_.branchesOf(static_cast<int>(i)).size() >= 3) {
        hips.push_back(static_cast<int>(i));
      }
    }
    std::stable_sort(hips.begin(), hips.end(),
                     [&](int a, int b) { return pairs_.reachOf(a) > pairs_.reachOf(b); });
    if (hips.size() > kMaxHips) hips.resize(kMaxHips);
    return hips;
  }

  void tryTrunk(int hips, const LimbPair& legs, int trunk, std::optional<Candidate>& best) const {
    std::vector<int> open = {trunk};
    for (std::size_t i = 0; i < open.size() && i < kMaxTrunkNodes; ++i) {
      const int chest = open[i];
      if (pathDown(character_, hips, chest).size() > kMaxTrunkPath) continue;
      const std::vector<int> branches = pairs_.branchesOf(chest);
      open.insert(open.end(), branches.begin(), branches.end());
      if (branches.size() < 2) continue;
      const std::vector<LimbPair> arms = pairs_.below(chest);
      constexpr std::size_t kMaxPairs = 2;
      for (std::size_t k = 0; k < std::min(kMaxPairs, arms.size()); ++k) {
        Candidate candidate{hips, legs, chest, arms[k], 0.0};
        candidate.score = scoreOf(candidate);
        if (candidate.score > (best ? best->score : 0.0)) best = candidate;
      }
    }
  }

  // Length of the limbs, 0 where the parts do not fit together.
  double scoreOf(const Candidate& candidate) const {
    const LimbPair &legs = candidate.legs, &arms = candidate.arms;
    const Vec3 hips = middle(character_, legs.a.front(), legs.b.front());
    const Vec3 rising = middle(character_, arms.a.front(), arms.b.front()) - hips;
    const Vec3 falling = middle(character_, legs.a.back(), legs.b.back()) - hips;
    const double trunk_m = std::sqrt(glm::dot(rising, rising));
    const double leg_m = legs.a.size() > 2 ? legs.length_m : kLegPerFootlessLeg * legs.length_m;
    const double arm_m = arms.length_m;
    const bool in_proportion = arm_m > kShortestArm * leg_m && arm_m < kMaxArm * leg_m &&
                               trunk_m > kShortestTrunk * leg_m && trunk_m < kMaxTrunk * leg_m;
    if (!in_proportion || !isOpposite(rising, falling)) return 0.0;
    const double head = hasHead(candidate, rising) ? kHeadBonus : 1.0;
    const double hand = arms.a.size() > 2 ? kHandBonus : 1.0;
    return head * hand * (leg_m + arm_m) * (1.0 + lateralAgreement(legs, arms));
  }

  // 1 where arms lie to the same sides as legs, 0 where they lie before and behind.
  double lateralAgreement(const LimbPair& legs, const LimbPair& arms) const {
    const auto across = [&](const LimbPair& pair) {
      const std::size_t half = pair.a.size() / 2;
      return character_.positionOf(pair.a[half]) - character_.positionOf(pair.b[half]);
    };
    const Vec3 a = across(legs), b = across(arms);
    const double lengths = std::sqrt(glm::dot(a, a) * glm::dot(b, b));
    return lengths > 0.0 ? std::abs(glm::dot(a, b)) / lengths : 0.0;
  }

  bool hasHead(const Candidate& candidate, const Vec3& rising) const {
    for (int branch : pairs_.branchesOf(candidate.chest)) {
      if (branch == candidate.arms.a.front() || branch == candidate.arms.b.front()) continue;
      const Vec3 offset = character_.positionOf(branch) - character_.positionOf(candidate.chest);
      if (glm::dot(offset, rising) > 0.0) return true;
    }
    return false;
  }

  const JointLayout& character_;
  LimbPairs pairs_;
};

// The node that carries both legs, or the first of the trunk where that is far from them, as
// roots of files do.
int hipsOf(const JointLayout& character, const Candidate& candidate, std::vector<int>& trunk) {
  constexpr double kFar = 0.4;
  const Vec3 legs = middle(character, candidate.legs.a.front(), candidate.legs.b.front());
  const auto distance_m = [&](int node) {
    const Vec3 d = character.positionOf(node) - legs;
    return std::sqrt(glm::dot(d, d));
  };
  const bool is_root = distance_m(candidate.hips) > kFar * candidate.legs.length_m;
  if (!is_root || trunk.size() < 2 || distance_m(trunk.front()) > distance_m(candidate.hips)) {
    return candidate.hips;
  }
  const int hips = trunk.front();
  trunk.erase(trunk.begin());
  return hips;
}

void swapSides(Limbs& limbs) {
  std::swap(limbs.left_arm, limbs.right_arm);
  std::swap(limbs.left_leg, limbs.right_leg);
}

// Arms and legs may come in different orders: those that lie to one side belong together.
void pairUp(const JointLayout& character, Limbs& limbs) {
  const Vec3 arms =
      character.positionOf(limbs.left_arm.upper) - character.positionOf(limbs.right_arm.upper);
  const Vec3 legs =
      character.positionOf(limbs.left_leg.upper) - character.positionOf(limbs.right_leg.upper);
  if (glm::dot(arms, legs) < 0.0) std::swap(limbs.left_arm, limbs.right_arm);
}

HumanoidMap mapOf(const JointLayout& character, const Candidate& candidate, const Limbs& limbs) {
  HumanoidMap map;
  setLimbs(limbs, map);
  std::vector<int> trunk = pathDown(character, candidate.hips, candidate.chest);
  const int hips = hipsOf(character, candidate, trunk);
  roleOf(map, HumanoidRole::kHips) = hips;
  setSpine(trunk, map);
  const Vec3 rising = character.positionOf(candidate.chest) - character.positionOf(hips);
  setNeckAndHead(character, candidate.chest, limbs, rising, map);
  map.origin = HumanoidMap::Origin::kTopology;
  return map;
}

}  // namespace

HumanoidMap mapByTopology(const JointLayout& character, bool* sides_assumed) {
  if (sides_assumed) *sides_assumed = false;
  const CharacterSearch search(character);
  const std::optional<Candidate> found = search.best();
  if (!found) return {};
  const int fan_a = search.fanOf(found->arms.a), fan_b = search.fanOf(found->arms.b);
  Limbs limbs = {armFromChain(character, found->arms.a, fan_a),
                 armFromChain(character, found->arms.b, fan_b),
                 legFromChain(character, found->legs.a), legFromChain(character, found->legs.b)};
  pairUp(character, limbs);
  HumanoidMap map = mapOf(character, *found, limbs);
  const double agreement = sideAgreement(character, map);
  if (agreement == 0.0 && sides_assumed) *sides_assumed = true;
  const bool is_swapped = agreement != 0.0 ? agreement < 0.0 : !facesPlusZ(character, map);
  if (is_swapped) {
    swapSides(limbs);
    map = mapOf(character, *found, limbs);
  }
  return map;
}

}  // namespace clipmill::humanoid
