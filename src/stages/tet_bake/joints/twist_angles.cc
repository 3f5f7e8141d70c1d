// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/joints/twist_angles.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "anim/pose.h"
#include "core/portable_math.h"
#include "core/smooth_step.h"
#include "core/to_size.h"
#include "stages/tet_bake/joints/bones_fit.h"

namespace clipmill::stages::tet_bake {
namespace {

// From this twist on the blend of two bones is nearly flat.
constexpr double kMinRotation_rad = 120.0 * kDegree;
// Largest twist between two neighbours: at equal weights 71 % of the radius remains.
constexpr double kMaxStep_rad = 90.0 * kDegree;
constexpr double kFullRotation_rad = 2.0 * kPi;
// A larger twist winds the skin up; the shorter rotation is assumed instead.
constexpr double kMaxRotation_rad = 270.0 * kDegree;
// A rotation below this is rounding.
constexpr double kStill_rad = 1e-9;
// At a swing of 180 degrees the twist is undetermined. Its confidence follows from the cosine of
// half the swing: 1 up to a swing of 120 degrees, 0 from 160 degrees on.
constexpr double kCosineOfNoConfidence = 0.173648;
constexpr double kCosineOfFullConfidence = 0.5;
// Skin is shared by two bones where both have at least this weight.
constexpr double kMinShared = 0.05;
// The bone above and the joint's own are one limb where they differ by less.
constexpr double kSameLimb_rad = 45.0 * kDegree;

Vec3 directionOf(const Vec3& path) {
  const double length = glm::length(path);
  return length > 0.0 && std::isfinite(length) ? path / length : Vec3(0.0);
}

// The rotation plus the multiple of 360 degrees that is nearest to the last rotation.
double nearestRotation(double rotation_rad, double last_rad) {
  return rotation_rad -
         kFullRotation_rad * std::floor((rotation_rad - last_rad) / kFullRotation_rad + 0.5);
}

// Rotations of one clip about an axis.
struct Rotations {
  std::vector<double> rotations_rad;
  double max_rad = 0.0;    // largest rotation
  double swing_rad = 0.0;  // at the largest rotation
};

double confidenceOf(double cosine_of_half_swing) {
  return smoothStep(kCosineOfNoConfidence, kCosineOfFullConfidence, cosine_of_half_swing);
}

Rotations rotationsAbout(const Vec3& axis, std::span<const Quat> relative) {
  Rotations result;
  double last_rad = 0.0;
  for (const Quat& q : relative) {
    const double along = q.x * axis.x + q.y * axis.y + q.z * axis.z;
    const double cosine = std::sqrt(q.w * q.w + along * along);
    const double confidence = confidenceOf(cosine);
    // Where the confidence is 0, counting of full rotations restarts.
    last_rad =
        confidence > 0.0 ? nearestRotation(2.0 * portable::atan2(along, q.w), last_rad) : 0.0;
    result.rotations_rad.push_back(confidence * last_rad);
    if (std::abs(result.rotations_rad.back()) <= result.max_rad) continue;
    result.max_rad = std::abs(result.rotations_rad.back());
    result.swing_rad = 2.0 * portable::acos(std::min(cosine, 1.0));
  }
  return result;
}

double mostOf(std::span<const double> rotations_rad) {
  double most = 0.0;
  for (const double rotation_rad : rotations_rad) most = std::max(most, std::abs(rotation_rad));
  return most;
}

class TwistFinder {
 public:
  TwistFinder(const Scene& scene, const SkinSurface& surface, const std::vector<BakeBone>& bones,
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
        if (node < 0 || influence.weight < kMinShared) continue;
        if (weightOf(influences, static_cast<std::uint32_t>(node)) < kMinShared) continue;
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
    Vec3 path(0.0);
    for (const auto& [head, tail] : bones_[joint].segments) path += tail - head;
    const Vec3 own = directionOf(path);
    const Vec3 before = directionOf(surface_.bind_world_from_node[joint].translation -
                                    surface_.bind_world_from_node[above].translation);
    std::vector<Vec3> axes;
    if (own != Vec3(0.0)) axes.push_back(own);
    const bool goes_on = own == Vec3(0.0) || angleBetween(own, before) < kSameLimb_rad;
    if (before != Vec3(0.0) && goes_on) axes.push_back(before);
    return axes;
  }

  std::vector<Quat> relativeIn(std::size_t start, std::size_t count, std::uint32_t above,
                               std::uint32_t joint) const {
    std::vector<Quat> relative;
    for (std::size_t f = start; f < start + count; ++f) {
      relative.push_back(glm::conjugate(rotations_[f][above]) * rotations_[f][joint]);
    }
    return relative;
  }

  std::optional<TwistedJoint> twistOf(std::uint32_t above, std::uint32_t joint) const {
    if (!mayOwnHelpers(surface_.bind_world_from_node[above]) ||
        !mayOwnHelpers(surface_.bind_world_from_node[joint])) {
      return std::nullopt;
    }
    std::optional<Rotations> best;
    Vec3 axis(0.0);
    for (const Vec3& other : axesOf(above, joint)) {
      Rotations rotations = allRotations(other, above, joint);
      // Of two axes that differ, the one with the smaller swing.
      if (best && !(rotations.swing_rad < best->swing_rad - kStill_rad)) continue;
      best = std::move(rotations);
      axis = other;
    }
    if (!best || best->max_rad < kMinRotation_rad) return std::nullopt;
    TwistedJoint twisted{above, joint, axis, 1, std::move(best->rotations_rad)};
    resetExceeded(twisted);
    const double max_rad = mostOf(twisted.rotations_rad);
    if (max_rad < kMinRotation_rad) return std::nullopt;
    const double joints = std::ceil((max_rad - kStill_rad) / kMaxStep_rad) - 1.0;
    twisted.steps = toSize(std::max(joints, 1.0));
    return twisted;
  }

  Rotations allRotations(const Vec3& axis, std::uint32_t above, std::uint32_t joint) const {
    Rotations all;
    std::size_t start = 0;
    for (const Motion& motion : motions_) {
      const std::size_t count = motion.grid.frame_count;
      Rotations rotations = rotationsAbout(axis, relativeIn(start, count, above, joint));
      if (rotations.max_rad > all.max_rad) {
        all.max_rad = rotations.max_rad;
        all.swing_rad = rotations.swing_rad;
      }
      all.rotations_rad.insert(all.rotations_rad.end(), rotations.rotations_rad.begin(),
                               rotations.rotations_rad.end());
      start += count;
    }
    return all;
  }

  // Clips that exceed the limit keep the blend of the two bones.
  void resetExceeded(TwistedJoint& twisted) const {
    auto first = twisted.rotations_rad.begin();
    for (const Motion& motion : motions_) {
      const auto last = first + static_cast<std::ptrdiff_t>(motion.grid.frame_count);
      if (mostOf({std::to_address(first), motion.grid.frame_count}) > kMaxRotation_rad) {
        std::fill(first, last, 0.0);
        warnings_.add("twist_limit_exceeded",
                      "a joint twists about its bone by more than 270 degrees in a clip, and its "
                      "twist joints are not animated in it",
                      motion.clip_name + ", " + scene_.skeleton.nodes[twisted.joint].name);
      }
      first = last;
    }
  }

  const Scene& scene_;
  const SkinSurface& surface_;
  const std::vector<BakeBone>& bones_;
  std::span<const Motion> motions_;
  Warnings& warnings_;
  std::vector<std::vector<Quat>> rotations_;  // from bind, by frame of all clips and node
};

}  // namespace

std::vector<TwistedJoint> findTwistedJoints(const Scene& scene, const SkinSurface& surface,
                                            const std::vector<BakeBone>& bones,
                                            std::span<const Motion> motions, Warnings& warnings) {
  return TwistFinder(scene, surface, bones, motions, warnings).find();
}

}  // namespace clipmill::stages::tet_bake
