// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "humanoid/by_names.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "core/to_size.h"
#include "humanoid/joint_names.h"

namespace clipmill::humanoid {
namespace {

enum class LimbKind { kArm, kLeg };

// The hips are nearer to the legs than this share of a leg.
constexpr double kHipsReach = 0.4;
// Named nodes of one limb that are looked at; more are no limb.
constexpr std::size_t kMaxChain = 16;

bool belongsTo(LimbKind kind, NamedPart part) {
  return kind == LimbKind::kArm ? part >= NamedPart::kCollar && part <= NamedPart::kHand
                                : part >= NamedPart::kSideHip && part <= NamedPart::kToes;
}

// Nodes of one limb from the body outwards, as their names have them.
struct NamedChain {
  std::vector<int> nodes;
  std::vector<NamedPart> parts;

  // The first node of that part behind position `from`, and its position.
  int take(NamedPart part, std::size_t& from) const {
    for (std::size_t i = from; i < parts.size(); ++i) {
      if (parts[i] != part) continue;
      from = i + 1;
      return nodes[i];
    }
    return -1;
  }
  bool has(NamedPart part) const {
    return std::find(parts.begin(), parts.end(), part) != parts.end();
  }
};

// The part that is clear where the chain has it, else the one that it may denote.
int takeEither(const NamedChain& chain, NamedPart clear, NamedPart vague, std::size_t& from) {
  return chain.take(chain.has(clear) ? clear : vague, from);
}

Limb armOf(const NamedChain& chain) {
  Limb arm;
  std::size_t from = 0;
  const bool shoulder_is_arm = !chain.has(NamedPart::kUpperArm) && !chain.has(NamedPart::kArm);
  arm.first = chain.take(NamedPart::kCollar, from);
  if (arm.first < 0 && !shoulder_is_arm) arm.first = chain.take(NamedPart::kShoulder, from);
  arm.upper = shoulder_is_arm ? chain.take(NamedPart::kShoulder, from)
                              : takeEither(chain, NamedPart::kUpperArm, NamedPart::kArm, from);
  arm.lower = takeEither(chain, NamedPart::kLowerArm, NamedPart::kArm, from);
  arm.end = takeEither(chain, NamedPart::kHand, NamedPart::kArm, from);
  return arm;
}

// A hip joint between pelvis and thigh is no thigh: of several the last is, and none where a leg
// precedes the lower leg.
int thighOf(const NamedChain& chain, std::size_t& from) {
  const auto& parts = chain.parts;
  const auto lower = std::find(parts.begin(), parts.end(), NamedPart::kLowerLeg);
  const bool leg_is_thigh =
      lower != parts.end() && std::find(parts.begin(), lower, NamedPart::kLeg) != lower;
  if (chain.has(NamedPart::kUpperLeg) || !chain.has(NamedPart::kSideHip) || leg_is_thigh) {
    return takeEither(chain, NamedPart::kUpperLeg, NamedPart::kLeg, from);
  }
  int thigh = chain.take(NamedPart::kSideHip, from);
  for (int next = thigh; next >= 0; next = chain.take(NamedPart::kSideHip, from)) thigh = next;
  return thigh;
}

Limb legOf(const NamedChain& chain) {
  Limb leg;
  std::size_t from = 0;
  leg.upper = thighOf(chain, from);
  leg.lower = takeEither(chain, NamedPart::kLowerLeg, NamedPart::kLeg, from);
  leg.end = takeEither(chain, NamedPart::kFoot, NamedPart::kLeg, from);
  leg.toes = takeEither(chain, NamedPart::kToes, NamedPart::kLeg, from);
  return leg;
}

std::size_t rolesIn(const Limb& limb) {
  const std::array<int, 5> roles = {limb.first, limb.upper, limb.lower, limb.end, limb.toes};
  return toSize(std::count_if(roles.begin(), roles.end(), [](int node) { return node >= 0; }));
}

class NameReader {
 public:
  explicit NameReader(const JointLayout& character)
      : character_(character), names_(bodyNamesOf(character.scene->skeleton)) {}

  HumanoidMap read() const {
    HumanoidMap map;
    Limbs limbs = {limbOf(LimbKind::kArm, Side::kLeft), limbOf(LimbKind::kArm, Side::kRight),
                   limbOf(LimbKind::kLeg, Side::kLeft), limbOf(LimbKind::kLeg, Side::kRight)};
    setLimbs(limbs, map);
    const int legs = meeting(limbs.left_leg.upper, limbs.right_leg.upper);
    const int arms = meeting(limbs.left_arm.root(), limbs.right_arm.root());
    const int hips = hipsOf(legs, arms, limbs);
    roleOf(map, HumanoidRole::kHips) = hips;
    if (hips < 0 || arms < 0) return map;
    setNamedSpine(hips, arms, map);
    setHead(hips, arms, limbs, map);
    return map;
  }

 private:
  const BodyName& nameOf(int node) const { return names_[toSize(node)]; }

  int meeting(int left, int right) const {
    return left >= 0 && right >= 0 ? commonAncestor(character_, left, right) : -1;
  }

  // above[node] = the nearest ancestor with a name of that limb, or -1; is_end where none is below.
  struct LimbTree {
    std::vector<int> above;
    std::vector<bool> is_end;
  };

  bool isIn(LimbKind kind, Side side, int node) const {
    return nameOf(node).side == side && belongsTo(kind, nameOf(node).part);
  }

  LimbTree treeOf(LimbKind kind, Side side) const {
    LimbTree tree{std::vector<int>(names_.size(), -1), std::vector<bool>(names_.size(), false)};
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const int parent = character_.parentOf(static_cast<int>(i));
      if (parent >= 0) {
        tree.above[i] = isIn(kind, side, parent) ? parent : tree.above[toSize(parent)];
      }
      if (!isIn(kind, side, static_cast<int>(i))) continue;
      tree.is_end[i] = true;
      if (tree.above[i] >= 0) tree.is_end[toSize(tree.above[i])] = false;
    }
    return tree;
  }

  NamedChain chainTo(int end, const LimbTree& tree) const {
    NamedChain chain;
    for (int node = end; node >= 0 && chain.nodes.size() < kMaxChain;
         node = tree.above[toSize(node)]) {
      chain.nodes.push_back(node);
    }
    std::reverse(chain.nodes.begin(), chain.nodes.end());
    for (int node : chain.nodes) chain.parts.push_back(nameOf(node).part);
    return chain;
  }

  // The chain with most roles, of those the one whose nodes move a skin, of those the first.
  Limb limbOf(LimbKind kind, Side side) const {
    const LimbTree tree = treeOf(kind, side);
    Limb best;
    std::size_t best_score = 0;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (!tree.is_end[i]) continue;
      const NamedChain chain = chainTo(static_cast<int>(i), tree);
      const Limb limb = kind == LimbKind::kArm ? armOf(chain) : legOf(chain);
      const bool moves_skin = limb.upper >= 0 && character_.isJoint(limb.upper);
      const std::size_t score = 2 * rolesIn(limb) + (moves_skin ? 1 : 0);
      if (score <= best_score) continue;
      best = limb;
      best_score = score;
    }
    if (best.hasBones()) addLooseEnds(kind, side, best);
    return best;
  }

  // Rigs moved by IK have hands and feet that hang elsewhere.
  void addLooseEnds(LimbKind kind, Side side, Limb& limb) const {
    if (limb.end < 0) {
      limb.end = firstJoint(kind == LimbKind::kArm ? NamedPart::kHand : NamedPart::kFoot, side);
    }
    if (kind == LimbKind::kLeg && limb.toes < 0) limb.toes = firstJoint(NamedPart::kToes, side);
  }

  int firstJoint(NamedPart part, Side side) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const bool may_be_bone = character_.is_joint[i] || !character_.has_joints;
      if (names_[i].part == part && names_[i].side == side && may_be_bone) {
        return static_cast<int>(i);
      }
    }
    return -1;
  }

  // The lowest node of that part for which `accepts`, or the topmost one.
  int findPart(NamedPart part, bool lowest, const std::function<bool(int)>& accepts) const {
    int found = -1;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i].part != part || !accepts(static_cast<int>(i))) continue;
      found = static_cast<int>(i);
      if (!lowest) break;
    }
    return found;
  }

  // Legs and arms are below the hips. A joint of that name above only one of the two yields to
  // the one above both, if that is where hips are and not where the file has its origin.
  int hipsOf(int legs, int arms, const Limbs& limbs) const {
    const auto carries = [&](int node, int what) {
      return what >= 0 && isAtOrAbove(character_, node, what);
    };
    if (legs < 0 && arms < 0) return -1;
    const int both = findPart(NamedPart::kHips, true, [&](int node) {
      return (legs < 0 || carries(node, legs)) && (arms < 0 || carries(node, arms));
    });
    if (both >= 0 || legs < 0 || arms < 0) return both;
    const int meeting_point = commonAncestor(character_, legs, arms);
    if (meeting_point >= 0 && isNearLegs(meeting_point, limbs)) return meeting_point;
    const int named = findPart(NamedPart::kHips, true, [&](int node) {
      return carries(node, arms) || carries(node, legs);
    });
    return named;
  }

  bool isNearLegs(int node, const Limbs& limbs) const {
    const Limb &left = limbs.left_leg, &right = limbs.right_leg;
    const Vec3 middle =
        0.5 * (character_.positionOf(left.upper) + character_.positionOf(right.upper));
    const int low = left.end >= 0 ? left.end : left.lower;
    const double leg_m = low >= 0 ? distanceBetween(character_, left.upper, low) : 0.0;
    const Vec3 d = character_.positionOf(node) - middle;
    return std::sqrt(glm::dot(d, d)) < kHipsReach * leg_m;
  }

  void setNamedSpine(int hips, int arms, HumanoidMap& map) const {
    std::vector<int> path;
    for (int node : pathDown(character_, hips, arms)) {
      const NamedPart part = nameOf(node).part;
      const bool is_spine = part != NamedPart::kHelper && part != NamedPart::kHips &&
                            part != NamedPart::kNeck && part != NamedPart::kHead;
      if (is_spine) path.push_back(node);
    }
    setSpine(path, map);
    int chest = -1, upper_chest = -1;
    for (int node : path) {
      if (nameOf(node).part == NamedPart::kChest && chest < 0) chest = node;
      if (nameOf(node).part == NamedPart::kUpperChest && upper_chest < 0) upper_chest = node;
    }
    if (path.size() < 2 || chest < 0 || chest == path.front()) return;
    roleOf(map, HumanoidRole::kChest) = chest;
    if (upper_chest < 0 && path.back() != chest) upper_chest = path.back();
    roleOf(map, HumanoidRole::kUpperChest) = upper_chest;
  }

  void setHead(int hips, int arms, const Limbs& limbs, HumanoidMap& map) const {
    const auto is_above_arms = [&](int node) { return isAtOrAbove(character_, arms, node); };
    int& head = roleOf(map, HumanoidRole::kHead);
    int& neck = roleOf(map, HumanoidRole::kNeck);
    head = findPart(NamedPart::kHead, false, is_above_arms);
    if (head < 0) {
      const Vec3 rising = character_.positionOf(arms) - character_.positionOf(hips);
      setNeckAndHead(character_, arms, limbs, rising, map);
      return;
    }
    neck = findPart(NamedPart::kNeck, false,
                    [&](int node) { return isAtOrAbove(character_, node, head); });
    const std::vector<int> between = pathDown(character_, arms, head);
    if (neck < 0 && between.size() > 1) neck = between.front();
  }

  const JointLayout& character_;
  std::vector<BodyName> names_;
};

}  // namespace

HumanoidMap mapByNames(const JointLayout& character) {
  HumanoidMap map = NameReader(character).read();
  map.origin = HumanoidMap::Origin::kNames;
  return map;
}

}  // namespace clipmill::humanoid
