// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/pose_limits.h"

#include <algorithm>
#include <utility>

#include "anim/pose.h"
#include "core/to_size.h"
#include "stages/self_collision/exact/relative_hands.h"

namespace clipmill::stages::self_collision {
namespace {

// Of the displacement of knee and ankle: times the depth, and shares of the character's height. A
// leg that crosses the other one by half its thickness has to pass the whole of it, with a part
// that is nearer to the hip than the foot is.
constexpr double kPerDepth = 6.0, kFreeHeights = 0.01;
constexpr double kPlantedHeights = 0.005;

constexpr int kMaxHalvings = 12;

double& ratioOf(LimitUse& use, PoseLimit limit) {
  return use.ratio[static_cast<std::size_t>(limit)];
}

double rotation_rad(const Transform& from, const Transform& to) {
  if (from.rotation == to.rotation) return 0.0;
  return angleBetween(normalizedOrIdentity(from.rotation), normalizedOrIdentity(to.rotation));
}

}  // namespace

double LimitUse::largest() const { return *std::max_element(ratio.begin(), ratio.end()); }

PoseLimit LimitUse::nearest() const {
  return static_cast<PoseLimit>(std::max_element(ratio.begin(), ratio.end()) - ratio.begin());
}

PoseLimits::PoseLimits(const Scene& scene, const LimbPoser& poser, const Motion& motion,
                       PoseLimitInputs inputs)
    : scene_(scene), poser_(poser), inputs_(std::move(inputs)), samples_(scene, motion) {}

void PoseLimits::setSample(std::size_t sample) {
  if (sample == sample_) return;
  const std::span<const Transform> locals = samples_.at(sample).locals;
  base_.assign(locals.begin(), locals.end());
  changed_ = base_;
  computeWorlds(scene_.skeleton, base_, scene_.metric_from_file, worlds_);
  changed_worlds_ = worlds_;
  base_angles_.assign(poser_.limbCount(), std::nullopt);
  sample_ = sample;
}

// Of a node below `below`, whose parent is unchanged.
Affine PoseLimits::worldOf(int node, int below, std::span<const Transform> locals) const {
  Affine world;
  for (int at = node; at >= 0; at = scene_.skeleton.nodes[toSize(at)].parent) {
    world = toAffine(locals[toSize(at)]) * world;
    if (at != below) continue;
    const int parent = scene_.skeleton.nodes[toSize(at)].parent;
    return (parent < 0 ? scene_.metric_from_file : worlds_[toSize(parent)]) * world;
  }
  return world;
}

// Of the change in `changed_`.
double PoseLimits::gripRatio(std::size_t index, const LimbChange& change) const {
  const MovableLimb& limb = poser_.limb(index);
  const std::optional<Mat3> axes = poser_.axesOf(index, worlds_);
  if (!axes || !poser_.hands()) return 0.0;
  const Affine& unmoved = held_.empty() ? worlds_[toSize(limb.end)]
                                        : held_[sample_][index == (*poser_.hands())[0] ? 0 : 1];
  const Affine moved = poser_.gripMotion(change, *axes, worlds_) * unmoved;
  const Affine hand = worldOf(limb.end, limb.joints().front(), changed_);
  // Each hand may have half of the error.
  return 2.0 * std::max(lengthOf(hand.translation - moved.translation) /
                            (kMaxGripHeights * inputs_.height_m),
                        angleBetween(rotationOf(hand), rotationOf(moved)) / kMaxGrip_rad);
}

// Of a pose that differs from the unchanged one in the joints of the limb.
LimbAngles PoseLimits::anglesOf(std::size_t index, std::span<const Transform> locals) {
  const std::vector<int> joints = poser_.limb(index).joints();
  for (const int joint : joints) {
    changed_worlds_[toSize(joint)] = worldOf(joint, joints.front(), locals);
  }
  const LimbAngles angles = inputs_.ranges->anglesOf(index, changed_worlds_);
  for (const int joint : joints) changed_worlds_[toSize(joint)] = worlds_[toSize(joint)];
  return angles;
}

const LimbAngles& PoseLimits::baseAngles(std::size_t limb) {
  std::optional<LimbAngles>& base = base_angles_[limb];
  if (!base) base = inputs_.ranges->anglesOf(limb, worlds_);
  return *base;
}

LimbAngles PoseLimits::anglesOf(std::size_t limb, std::size_t sample, const LimbChange& change) {
  if (!inputs_.ranges) return {};
  setSample(sample);
  if (change == kNoChange) return baseAngles(limb);
  poser_.apply(limb, change, worlds_, changed_);
  const LimbAngles angles = anglesOf(limb, std::span<const Transform>(changed_));
  restore(limb);
  return angles;
}

void PoseLimits::restore(std::size_t limb) {
  for (const int joint : poser_.limb(limb).joints()) changed_[toSize(joint)] = base_[toSize(joint)];
}

double PoseLimits::gripUse(std::size_t sample, std::span<const Transform> locals) {
  if (!isGripped(sample)) return 0.0;
  setSample(sample);
  std::vector<Affine> worlds;
  computeWorlds(scene_.skeleton, locals, scene_.metric_from_file, worlds);
  const RelativeHands unmoved = held_.empty() ? relativeHands(poser_, worlds_)
                                              : relativeHands(held_[sample][0], held_[sample][1]);
  const GripError error = gripError(unmoved, relativeHands(poser_, worlds));
  return std::max(error.distance_m / (kMaxGripHeights * inputs_.height_m),
                  error.rotation_rad / kMaxGrip_rad);
}

LimitUse PoseLimits::use(std::size_t index, std::size_t sample, std::span<const Transform> locals) {
  setSample(sample);
  const MovableLimb& limb = poser_.limb(index);
  LimitUse use;
  for (const int joint : limb.joints()) {
    const double angle_rad = rotation_rad(base_[toSize(joint)], locals[toSize(joint)]);
    if (use.joint >= 0 && !(angle_rad > use.rotation_rad)) continue;
    use.joint = joint;
    use.rotation_rad = angle_rad;
  }
  ratioOf(use, PoseLimit::kRotation) = use.rotation_rad / inputs_.max_rotation_rad;
  if (!(use.rotation_rad > 0.0)) return use;
  if (inputs_.ranges) {
    const RangeUse range = largestUseOfRanges(baseAngles(index), anglesOf(index, locals));
    ratioOf(use, PoseLimit::kRange) = range.ratio;
    use.range_joint = inputs_.ranges->jointOf(index, range.angle);
  }
  if (!limb.is_leg) return use;
  const auto moved_m = [&](int node) {
    return lengthOf(worldOf(node, limb.upper, locals).translation -
                    worlds_[toSize(node)].translation);
  };
  const double ankle_m = moved_m(limb.end);
  if (!inputs_.depth_m[index].empty()) {
    const double allowed_m =
        kPerDepth * inputs_.depth_m[index][sample] + kFreeHeights * inputs_.height_m;
    const Vec3 knee = worlds_[toSize(limb.lower)].translation;
    const double length_m = lengthOf(knee - worlds_[toSize(limb.upper)].translation) +
                            lengthOf(worlds_[toSize(limb.end)].translation - knee);
    const double hip_m =
        length_m * rotation_rad(base_[toSize(limb.upper)], locals[toSize(limb.upper)]);
    ratioOf(use, PoseLimit::kDepth) = std::max({ankle_m, moved_m(limb.lower), hip_m}) / allowed_m;
  }
  if (inputs_.is_planted[index][sample]) {
    ratioOf(use, PoseLimit::kPlantedFoot) = ankle_m / (kPlantedHeights * inputs_.height_m);
  }
  return use;
}

LimitUse PoseLimits::use(std::size_t limb, std::size_t sample, const LimbChange& change) {
  setSample(sample);
  if (change == kNoChange) return {};
  poser_.apply(limb, change, worlds_, changed_);
  LimitUse found = use(limb, sample, std::span<const Transform>(changed_));
  if (!poser_.limb(limb).is_leg && isGripped(sample)) {
    ratioOf(found, PoseLimit::kGrip) = gripRatio(limb, change);
  }
  restore(limb);
  return found;
}

double PoseLimits::maxAmount(std::size_t limb, std::size_t sample, const LimbChange& present,
                             const LimbChange& unit, double max_amount) {
  const auto isWithin = [&](double amount) {
    LimbChange change = present;
    change += unit * amount;
    return use(limb, sample, change).largest() <= 1.0;
  };
  if (isWithin(max_amount)) return max_amount;
  double low = 0.0, high = max_amount;
  for (int i = 0; i < kMaxHalvings; ++i) {
    const double middle = 0.5 * (low + high);
    (isWithin(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace clipmill::stages::self_collision
