// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/joints/twist_turns.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "anim/pose.h"
#include "core/portable_math.h"
#include "stages/tet_bake/joints/bones_fit.h"

namespace clipmill::tet_bake {
namespace {

// From here on a blend counts as near to flat.
constexpr double kLeastTurn_rad = 120.0 * kDegree;
// Two neighbours may turn against each other by so much: what is left at equal weights is 71 %.
constexpr double kMostStep_rad = 90.0 * kDegree;
constexpr double kWholeTurn_rad = 2.0 * kPi;
// Skin that has been turned farther is wound up: the shorter way round is meant.
constexpr double kMostTurn_rad = 270.0 * kDegree;
// A turn that is only rounding.
constexpr double kNoTurn_rad = 1e-9;
// A swing by half a turn leaves the twist open. The cosine of half the swing tells how far it is to
// be believed: from a swing of 120 degrees on less and less, from 160 on not at all.
constexpr double kNotBelieved = 0.173648;
constexpr double kBelieved = 0.5;
// Skin is shared by two bones where both have at least this weight.
constexpr double kLeastShared = 0.05;
// The bone above continues in the joint's own where they differ by less.
constexpr double kSameLimb_rad = 45.0 * kDegree;

Vec3 directionOf(const Vec3& way) {
  const double length = glm::length(way);
  return length > 0.0 && std::isfinite(length) ? way / length : Vec3(0.0);
}

// A turn about an axis, told but for whole turns, within half a turn of the last one.
double nearestTurn(double turn_rad, double last_rad) {
  return turn_rad - kWholeTurn_rad * std::floor((turn_rad - last_rad) / kWholeTurn_rad + 0.5);
}

// Turns of one clip about an axis.
struct Turns {
  std::vector<double> turns_rad;
  double most_rad = 0.0;   // of a turn
  double swing_rad = 0.0;  // where it turns most
};

double beliefIn(double cosine_of_half_swing) {
  const double x =
      std::clamp((cosine_of_half_swing - kNotBelieved) / (kBelieved - kNotBelieved), 0.0, 1.0);
  return x * x * (3.0 - 2.0 * x);
}

Turns turnsAbout(const Vec3& axis, std::span<const Quat> relative) {
  Turns result;
  double last_rad = 0.0;
  for (const Quat& q : relative) {
    const double along = q.x * axis.x + q.y * axis.y + q.z * axis.z;
    const double cosine = std::sqrt(q.w * q.w + along * along);
    const double belief = beliefIn(cosine);
    // Where nothing is believed, turns are counted anew.
    last_rad = belief > 0.0 ? nearestTurn(2.0 * portable::atan2(along, q.w), last_rad) : 0.0;
    result.turns_rad.push_back(belief * last_rad);
    if (std::abs(result.turns_rad.back()) <= result.most_rad) continue;
    result.most_rad = std::abs(result.turns_rad.back());
    result.swing_rad = 2.0 * portable::acos(std::min(cosine, 1.0));
  }
  return result;
}

double mostOf(std::span<const double> turns_rad) {
  double most = 0.0;
  for (const double turn_rad : turns_rad) most = std::max(most, std::abs(turn_rad));
  return most;
}

class TwistFinder {
 public:
  TwistFinder(const Scene& scene, const BakeSurface& surface, const std::vector<BakeBone>& bones,
              std::span<const Motion> motions, Warnings& warnings)
      : scene_(scene), surface_(surface), bones_(bones), motions_(motions), warnings_(warnings) {
    for (const Motion& motion : motions) addRotations(motion);
  }

  std::vector<TwistedJoint> find() const {
    std::vector<TwistedJoint> twisted;
    for (const auto& [above, joint] : pairsThatShare()) {
      if (auto found = twistOf(above, joint)) twisted.push_back(std::move(*found));
    }
    return twisted;
  }

 private:
  void addRotations(const Motion& motion) {
    for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
      std::vector<Affine> worlds;
      computeWorlds(scene_.skeleton, motion.localsOf(f), scene_.metric_from_file, worlds);
      std::vector<Quat> rotations;
      for (const Affine& map : worldsFromBind(surface_.bind_world_from_node, worlds)) {
        rotations.push_back(normalizedOrIdentity(rotationOf(map)));
      }
      rotations_.push_back(std::move(rotations));
    }
  }

  // (above, joint), ascending by joint.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairsThatShare() const {
    std::vector<char> shares(scene_.skeleton.size(), 0);
    std::vector<int> above;
    for (std::size_t n = 0; n < shares.size(); ++n) {
      above.push_back(skinnedAbove(scene_.skeleton, bones_, n));
    }
    for (std::size_t p = 0; p < surface_.pointCount(); ++p) {
      const auto influences = surface_.influencesOf(p);
      for (const Influence& influence : influences) {
        const int node = above[influence.joint];
        if (node < 0 || influence.weight < kLeastShared) continue;
        if (weightOf(influences, static_cast<std::uint32_t>(node)) < kLeastShared) continue;
        shares[influence.joint] = 1;
      }
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (std::size_t n = 0; n < shares.size(); ++n) {
      if (!shares[n]) continue;
      pairs.emplace_back(static_cast<std::uint32_t>(above[n]), static_cast<std::uint32_t>(n));
    }
    return pairs;
  }

  // The joint's own bone, and that above where the limb goes on in it.
  std::vector<Vec3> axesOf(std::uint32_t above, std::uint32_t joint) const {
    Vec3 way(0.0);
    for (const auto& [head, tail] : bones_[joint].segments) way += tail - head;
    const Vec3 own = directionOf(way);
    const Vec3 before = directionOf(surface_.bind_world_from_node[joint].translation -
                                    surface_.bind_world_from_node[above].translation);
    std::vector<Vec3> axes;
    if (own != Vec3(0.0)) axes.push_back(own);
    const bool goes_on = own == Vec3(0.0) || angleBetween(own, before) < kSameLimb_rad;
    if (before != Vec3(0.0) && goes_on) axes.push_back(before);
    return axes;
  }

  std::vector<Quat> relativeIn(std::size_t begin, std::size_t count, std::uint32_t above,
                               std::uint32_t joint) const {
    std::vector<Quat> relative;
    for (std::size_t f = begin; f < begin + count; ++f) {
      relative.push_back(glm::conjugate(rotations_[f][above]) * rotations_[f][joint]);
    }
    return relative;
  }

  std::optional<TwistedJoint> twistOf(std::uint32_t above, std::uint32_t joint) const {
    if (!mayOwnHelpers(surface_.bind_world_from_node[above]) ||
        !mayOwnHelpers(surface_.bind_world_from_node[joint])) {
      return std::nullopt;
    }
    std::optional<Turns> best;
    Vec3 axis(0.0);
    for (const Vec3& other : axesOf(above, joint)) {
      Turns turns = allTurns(other, above, joint);
      // The axis about which it only turns, where two are told apart at all.
      if (best && !(turns.swing_rad < best->swing_rad - kNoTurn_rad)) continue;
      best = std::move(turns);
      axis = other;
    }
    if (!best || best->most_rad < kLeastTurn_rad) return std::nullopt;
    TwistedJoint twisted{above, joint, axis, 1, std::move(best->turns_rad)};
    stopWinding(twisted);
    const double most_rad = mostOf(twisted.turns_rad);
    if (most_rad < kLeastTurn_rad) return std::nullopt;
    const double joints = std::ceil((most_rad - kNoTurn_rad) / kMostStep_rad) - 1.0;
    twisted.steps = static_cast<std::size_t>(std::max(joints, 1.0));
    return twisted;
  }

  Turns allTurns(const Vec3& axis, std::uint32_t above, std::uint32_t joint) const {
    Turns all;
    std::size_t begin = 0;
    for (const Motion& motion : motions_) {
      const std::size_t count = motion.grid.frame_count;
      Turns turns = turnsAbout(axis, relativeIn(begin, count, above, joint));
      if (turns.most_rad > all.most_rad) {
        all.most_rad = turns.most_rad;
        all.swing_rad = turns.swing_rad;
      }
      all.turns_rad.insert(all.turns_rad.end(), turns.turns_rad.begin(), turns.turns_rad.end());
      begin += count;
    }
    return all;
  }

  // Skin that goes round with a joint would be wound up: it stays with the blend of the two bones.
  void stopWinding(TwistedJoint& twisted) const {
    auto first = twisted.turns_rad.begin();
    for (const Motion& motion : motions_) {
      const auto last = first + static_cast<std::ptrdiff_t>(motion.grid.frame_count);
      if (mostOf({first, last}) > kMostTurn_rad) {
        std::fill(first, last, 0.0);
        warnings_.add("twist_winds",
                      "a joint turns about its bone by more than 270 degrees in a clip, and its "
                      "twist joints rest in it",
                      motion.clip_name + ", " + scene_.skeleton.nodes[twisted.joint].name);
      }
      first = last;
    }
  }

  const Scene& scene_;
  const BakeSurface& surface_;
  const std::vector<BakeBone>& bones_;
  std::span<const Motion> motions_;
  Warnings& warnings_;
  std::vector<std::vector<Quat>> rotations_;  // from bind, by frame of all clips and node
};

}  // namespace

std::vector<TwistedJoint> findTwistedJoints(const Scene& scene, const BakeSurface& surface,
                                            const std::vector<BakeBone>& bones,
                                            std::span<const Motion> motions, Warnings& warnings) {
  return TwistFinder(scene, surface, bones, motions, warnings).find();
}

}  // namespace clipmill::tet_bake
