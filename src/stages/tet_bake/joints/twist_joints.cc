// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/joints/twist_joints.h"

#include <algorithm>
#include <cmath>

#include "core/to_size.h"

namespace clipmill::stages::tet_bake {
namespace {

// A rotation and a weight below these are rounding.
constexpr double kNoRotation_rad = 1e-9;
constexpr double kNoTwistWeight = 1e-9;

// Twist joints of one twisted joint: levels 1 to steps on the bone above, then as many on it.
std::size_t helperOf(std::size_t first, std::size_t steps, bool is_below, std::size_t level) {
  return first + (is_below ? steps : 0) + level - 1;
}

void addTo(std::vector<Influence>& influences, std::size_t joint, double weight) {
  if (!(weight > kNoTwistWeight)) return;
  influences.push_back({static_cast<std::uint32_t>(joint), weight});
}

// Of what a point has of one bone: a part `upper` at `level` + 1, the rest at `level`.
struct Levels {
  std::size_t level = 0;
  double upper = 0.0;

  bool isOne() const { return upper <= kNoTwistWeight || upper >= 1.0 - kNoTwistWeight; }
  void takeNearer() { upper = upper < 0.5 ? 0.0 : 1.0; }
};

// A share of the joint is a position between levels 0, the bone above, and steps + 1, the joint.
// Near to either end only the other bone needs twist joints, of which it takes the first.
struct Split {
  Levels above, joint;

  Split(double share, std::size_t steps) {
    const double position = share * static_cast<double>(steps + 1);
    const std::size_t level = std::min(toSize(position), steps);
    const double upper = std::clamp(position - static_cast<double>(level), 0.0, 1.0);
    above = joint = {level, upper};
    if (level == 0) joint = {1, 0.0};
    if (level == steps) above = {steps, 0.0};
  }
};

class TwistMaker {
 public:
  TwistMaker(const SkinSurface& surface, std::span<const TwistedJoint> twisted)
      : surface_(surface), twisted_(twisted) {
    for (const TwistedJoint& joint : twisted) addHelpers(joint);
  }

  TwistJoints make(std::span<const char> is_kept) {
    const std::size_t node_count = surface_.bind_world_from_node.size();
    BonesFit& fit = result_.fit;
    fit.influence_start = {0};
    for (std::size_t p = 0; p < surface_.pointCount(); ++p) {
      const auto own = surface_.influencesOf(p);
      if (!is_kept.empty() && is_kept[p] != 0) {
        fit.influences.insert(fit.influences.end(), own.begin(), own.end());
      } else {
        const auto split = twistedInfluences(own, twisted_, node_count, kMaxInfluences);
        fit.influences.insert(fit.influences.end(), split.begin(), split.end());
      }
      fit.influence_start.push_back(fit.influences.size());
    }
    if (!positionPivots()) return {};
    result_.surface = surface_;
    result_.surface.influence_start = fit.influence_start;
    result_.surface.influences = fit.influences;
    return std::move(result_);
  }

 private:
  void addHelpers(const TwistedJoint& joint) {
    const Vec3 position = positionOf(joint);
    for (const bool is_below : {false, true}) {
      for (std::size_t level = 1; level <= joint.steps; ++level) {
        const double part = static_cast<double>(level) / static_cast<double>(joint.steps + 1);
        HelperBone bone;
        bone.region = static_cast<int>(joint.joint);
        bone.owner = is_below ? joint.joint : joint.above;
        bone.pivot = position;
        for (const double rotation_rad : joint.rotations_rad) {
          bone.moved.push_back(rotationAboutAxis(position, joint.axis,
                                                 rotation_rad * (is_below ? part - 1.0 : part)));
        }
        result_.fit.bones.push_back(std::move(bone));
      }
    }
  }

  Vec3 positionOf(const TwistedJoint& joint) const {
    return surface_.bind_world_from_node[joint.joint].translation;
  }

  static Affine rotationAboutAxis(const Vec3& position, const Vec3& axis, double angle_rad) {
    if (std::abs(angle_rad) < kNoRotation_rad) return {};
    const Mat3 rotation = glm::mat3_cast(rotationAbout(axis, angle_rad));
    return {rotation, position - rotation * position};
  }

  // Puts each joint on the axis beside the skin that it moves. False if none moves any.
  bool positionPivots() {
    const std::size_t node_count = surface_.bind_world_from_node.size();
    std::vector<double> weights(result_.fit.bones.size(), 0.0);
    std::vector<Vec3> sums(weights.size(), Vec3(0.0));
    for (std::size_t p = 0; p < surface_.pointCount(); ++p) {
      for (const Influence& influence : result_.fit.influencesOf(p)) {
        if (influence.joint < node_count) continue;
        weights[influence.joint - node_count] += influence.weight;
        sums[influence.joint - node_count] += surface_.positions[p] * influence.weight;
      }
    }
    std::size_t first = 0;
    bool moves = false;
    for (const TwistedJoint& joint : twisted_) {
      const Vec3 position = positionOf(joint);
      for (std::size_t b = first; b < first + 2 * joint.steps; ++b) {
        if (!(weights[b] > 0.0)) continue;
        moves = true;
        result_.fit.bones[b].pivot =
            position + joint.axis * glm::dot(sums[b] / weights[b] - position, joint.axis);
      }
      first += 2 * joint.steps;
    }
    return moves;
  }

  const SkinSurface& surface_;
  std::span<const TwistedJoint> twisted_;
  TwistJoints result_;
};

// The twisted joint that a point blends most with the bone above it, and its first helper.
struct Chosen {
  const TwistedJoint* joint = nullptr;
  std::size_t first = 0;
};

Chosen chosenFor(std::span<const Influence> influences, std::span<const TwistedJoint> twisted,
                 std::size_t twist_node) {
  Chosen chosen;
  double most = kNoTwistWeight;
  std::size_t first = twist_node;
  for (const TwistedJoint& joint : twisted) {
    const double both =
        std::min(weightOf(influences, joint.above), weightOf(influences, joint.joint));
    if (both > most) {
      most = both;
      chosen = {&joint, first};
    }
    first += 2 * joint.steps;
  }
  return chosen;
}

void addLevels(const Levels& levels, double weight, const TwistedJoint& joint, bool is_below,
               std::size_t first, std::vector<Influence>& influences) {
  const auto nodeAt = [&](std::size_t level) -> std::size_t {
    if (level == 0 && !is_below) return joint.above;
    if (level == joint.steps + 1 && is_below) return joint.joint;
    return helperOf(first, joint.steps, is_below, level);
  };
  if (levels.upper < 1.0) {
    addTo(influences, nodeAt(levels.level), weight * (1.0 - levels.upper));
  }
  if (levels.upper > 0.0) addTo(influences, nodeAt(levels.level + 1), weight * levels.upper);
}

}  // namespace

std::vector<Influence> twistedInfluences(std::span<const Influence> influences,
                                         std::span<const TwistedJoint> twisted,
                                         std::size_t twist_node, std::size_t most) {
  std::vector<Influence> result(influences.begin(), influences.end());
  const Chosen chosen = chosenFor(influences, twisted, twist_node);
  if (!chosen.joint) return result;
  const TwistedJoint& joint = *chosen.joint;
  std::erase_if(result, [&](const Influence& influence) {
    return influence.joint == joint.above || influence.joint == joint.joint;
  });
  const double above = weightOf(influences, joint.above);
  const double below = weightOf(influences, joint.joint);
  Split split(below / (above + below), joint.steps);
  const auto count = [&] {
    return result.size() + (split.above.isOne() ? 1 : 2) + (split.joint.isOne() ? 1 : 2);
  };
  if (count() > most) (above < below ? split.above : split.joint).takeNearer();
  if (count() > most) (above < below ? split.joint : split.above).takeNearer();
  addLevels(split.above, above, joint, false, chosen.first, result);
  addLevels(split.joint, below, joint, true, chosen.first, result);
  return result;
}

TwistJoints makeTwistJoints(const SkinSurface& surface, std::span<const TwistedJoint> twisted,
                            std::span<const char> is_kept) {
  if (twisted.empty()) return {};
  return TwistMaker(surface, twisted).make(is_kept);
}

}  // namespace clipmill::stages::tet_bake
