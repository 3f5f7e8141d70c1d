// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/humanoid_topology.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "scene/humanoid_check.h"
#include "scene/limb_pairs.h"

namespace clipmill::humanoid {
namespace {

// Proportions, as shares of the length of a leg, that figures from children's toys to giants keep.
constexpr double kShortestArm = 0.35, kLongestArm = 1.9;
constexpr double kShortestTrunk = 0.1, kLongestTrunk = 2.5;
// Where something rises between the arms, there is a head: so much more is such a candidate worth.
constexpr double kHeadBonus = 1.3;
constexpr double kHandBonus = 1.25;
// Feet that are moved by IK hang elsewhere and leave legs of one bone.
constexpr double kLegPerFootlessLeg = 1.6;
// Nodes looked at below one pair of hips; hips looked at.
constexpr std::size_t kMostTrunkNodes = 400;
constexpr std::size_t kMostHips = 64;
constexpr std::size_t kLongestTrunkPath = 12;

struct Candidate {
  int hips = -1;
  LimbPair legs;
  int chest = -1;
  LimbPair arms;
  double score = 0.0;
};

Vec3 middle(const Figure& figure, int a, int b) {
  return 0.5 * (figure.placeOf(a) + figure.placeOf(b));
}

class FigureSearch {
 public:
  explicit FigureSearch(const Figure& figure) : figure_(figure), pairs_(figure) {}

  std::optional<Candidate> best() const {
    std::optional<Candidate> best;
    for (int hips : possibleHips()) {
      const std::vector<LimbPair> legs = pairs_.below(hips);
      constexpr std::size_t kMostPairs = 3;  // the longest: skirts and tails are shorter than legs
      for (std::size_t i = 0; i < std::min(kMostPairs, legs.size()); ++i) {
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
      bone_m = std::max(bone_m, distanceBetween(figure_, chain[i - 1], chain[i]));
      int fingers = 0;
      double longest_m = 0.0;
      for (int child : pairs_.branchesOf(chain[i])) {
        if (pairs_.reachOf(child) == 0.0) continue;
        ++fingers;
        longest_m = std::max(longest_m, distanceBetween(figure_, chain[i], child));
      }
      if (i >= 2 && fingers >= 2 && longest_m < kFingerPerBone * bone_m) {
        return static_cast<int>(i);
      }
    }
    return -1;
  }

 private:
  // Nodes with three branches, those that reach farthest first.
  std::vector<int> possibleHips() const {
    std::vector<int> hips;
    for (std::size_t i = 0; i < figure_.places.size(); ++i) {
      if (figure_.children[i].size() >= 3 && pairs_.branchesOf(static_cast<int>(i)).size() >= 3) {
        hips.push_back(static_cast<int>(i));
      }
    }
    std::stable_sort(hips.begin(), hips.end(),
                     [&](int a, int b) { return pairs_.reachOf(a) > pairs_.reachOf(b); });
    if (hips.size() > kMostHips) hips.resize(kMostHips);
    return hips;
  }

  void tryTrunk(int hips, const LimbPair& legs, int trunk, std::optional<Candidate>& best) const {
    std::vector<int> open = {trunk};
    for (std::size_t i = 0; i < open.size() && i < kMostTrunkNodes; ++i) {
      const int chest = open[i];
      if (pathDown(figure_, hips, chest).size() > kLongestTrunkPath) continue;
      const std::vector<int> branches = pairs_.branchesOf(chest);
      open.insert(open.end(), branches.begin(), branches.end());
      if (branches.size() < 2) continue;
      const std::vector<LimbPair> arms = pairs_.below(chest);
      constexpr std::size_t kMostPairs = 2;
      for (std::size_t k = 0; k < std::min(kMostPairs, arms.size()); ++k) {
        Candidate candidate{hips, legs, chest, arms[k], 0.0};
        candidate.score = scoreOf(candidate);
        if (candidate.score > (best ? best->score : 0.0)) best = candidate;
      }
    }
  }

  // Length of the limbs, 0 where the parts do not fit together.
  double scoreOf(const Candidate& candidate) const {
    const LimbPair &legs = candidate.legs, &arms = candidate.arms;
    const Vec3 hips = middle(figure_, legs.a.front(), legs.b.front());
    const Vec3 rising = middle(figure_, arms.a.front(), arms.b.front()) - hips;
    const Vec3 falling = middle(figure_, legs.a.back(), legs.b.back()) - hips;
    const double trunk_m = std::sqrt(glm::dot(rising, rising));
    const double leg_m = legs.a.size() > 2 ? legs.length_m : kLegPerFootlessLeg * legs.length_m;
    const double arm_m = arms.length_m;
    const bool in_proportion = arm_m > kShortestArm * leg_m && arm_m < kLongestArm * leg_m &&
                               trunk_m > kShortestTrunk * leg_m && trunk_m < kLongestTrunk * leg_m;
    if (!in_proportion || !isOpposite(rising, falling)) return 0.0;
    const double head = hasHead(candidate, rising) ? kHeadBonus : 1.0;
    const double hand = arms.a.size() > 2 ? kHandBonus : 1.0;
    return head * hand * (leg_m + arm_m) * (1.0 + lateralAgreement(legs, arms));
  }

  // 1 where arms lie to the same sides as legs, 0 where they lie before and behind.
  double lateralAgreement(const LimbPair& legs, const LimbPair& arms) const {
    const auto across = [&](const LimbPair& pair) {
      const std::size_t half = pair.a.size() / 2;
      return figure_.placeOf(pair.a[half]) - figure_.placeOf(pair.b[half]);
    };
    const Vec3 a = across(legs), b = across(arms);
    const double lengths = std::sqrt(glm::dot(a, a) * glm::dot(b, b));
    return lengths > 0.0 ? std::abs(glm::dot(a, b)) / lengths : 0.0;
  }

  bool hasHead(const Candidate& candidate, const Vec3& rising) const {
    for (int branch : pairs_.branchesOf(candidate.chest)) {
      if (branch == candidate.arms.a.front() || branch == candidate.arms.b.front()) continue;
      const Vec3 offset = figure_.placeOf(branch) - figure_.placeOf(candidate.chest);
      if (glm::dot(offset, rising) > 0.0) return true;
    }
    return false;
  }

  const Figure& figure_;
  LimbPairs pairs_;
};

// The node that carries both legs, or the first of the trunk where that stands far from them, as
// roots of files do.
int hipsOf(const Figure& figure, const Candidate& candidate, std::vector<int>& trunk) {
  constexpr double kFar = 0.4;
  const Vec3 legs = middle(figure, candidate.legs.a.front(), candidate.legs.b.front());
  const auto distance_m = [&](int node) {
    const Vec3 d = figure.placeOf(node) - legs;
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
void pairUp(const Figure& figure, Limbs& limbs) {
  const Vec3 arms = figure.placeOf(limbs.left_arm.upper) - figure.placeOf(limbs.right_arm.upper);
  const Vec3 legs = figure.placeOf(limbs.left_leg.upper) - figure.placeOf(limbs.right_leg.upper);
  if (glm::dot(arms, legs) < 0.0) std::swap(limbs.left_arm, limbs.right_arm);
}

HumanoidMap mapOf(const Figure& figure, const Candidate& candidate, const Limbs& limbs) {
  HumanoidMap map;
  setLimbs(limbs, map);
  std::vector<int> trunk = pathDown(figure, candidate.hips, candidate.chest);
  const int hips = hipsOf(figure, candidate, trunk);
  roleOf(map, HumanoidRole::kHips) = hips;
  setSpine(trunk, map);
  const Vec3 rising = figure.placeOf(candidate.chest) - figure.placeOf(hips);
  setNeckAndHead(figure, candidate.chest, limbs, rising, map);
  map.origin = HumanoidMap::Origin::kTopology;
  return map;
}

}  // namespace

HumanoidMap mapByTopology(const Figure& figure, bool* sides_assumed) {
  if (sides_assumed) *sides_assumed = false;
  const FigureSearch search(figure);
  const std::optional<Candidate> found = search.best();
  if (!found) return {};
  const int fan_a = search.fanOf(found->arms.a), fan_b = search.fanOf(found->arms.b);
  Limbs limbs = {armFromChain(figure, found->arms.a, fan_a),
                 armFromChain(figure, found->arms.b, fan_b), legFromChain(figure, found->legs.a),
                 legFromChain(figure, found->legs.b)};
  pairUp(figure, limbs);
  HumanoidMap map = mapOf(figure, *found, limbs);
  const double agreement = sideAgreement(figure, map);
  if (agreement == 0.0 && sides_assumed) *sides_assumed = true;
  const bool is_swapped = agreement != 0.0 ? agreement < 0.0 : !facesPlusZ(figure, map);
  if (is_swapped) {
    swapSides(limbs);
    map = mapOf(figure, *found, limbs);
  }
  return map;
}

}  // namespace clipmill::humanoid
