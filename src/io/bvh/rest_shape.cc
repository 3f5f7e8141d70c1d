// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/bvh/rest_shape.h"

#include <optional>

#include "core/portable_math.h"
#include "core/to_size.h"
#include "humanoid/rest_pose.h"

namespace clipmill::io::bvh {
namespace {

using Role = humanoid::HumanoidRole;

const Vec3 kUp(0, 1, 0), kFront(0, 0, 1);

struct Leg {
  Role upper, lower, foot, toes;
};
struct Arm {
  Role upper, lower, hand;
};
constexpr std::array<Leg, 2> kLegs = {
    {{Role::kLeftUpperLeg, Role::kLeftLowerLeg, Role::kLeftFoot, Role::kLeftToes},
     {Role::kRightUpperLeg, Role::kRightLowerLeg, Role::kRightFoot, Role::kRightToes}}};
constexpr std::array<Arm, 2> kArms = {
    {{Role::kLeftUpperArm, Role::kLeftLowerArm, Role::kLeftHand},
     {Role::kRightUpperArm, Role::kRightLowerArm, Role::kRightHand}}};

// The rotation about the vertical that brings a unit vector above z; none for one that is nearly
// vertical.
Quat headingToFront(const Vec3& direction) {
  constexpr double kLevelShare = 0.3;
  const double level = lengthOf(Vec3(direction.x, 0.0, direction.z));
  if (level < kLevelShare) return kIdentityRotation;
  return rotationAbout(kUp, -portable::atan2(direction.x, direction.z));
}

// The rotation about a limb that brings the bend of its hinge next to a direction; none for a
// straight limb, or one along that direction. `below` is the bone behind the hinge, and `sense` -1
// where it bends away from the direction. All are unit vectors.
std::optional<Quat> hingeTo(const Vec3& direction, const Vec3& limb, const Vec3& below,
                            double sense) {
  constexpr double kBent = 0.15, kAcross = 0.3;  // sines of angles
  const auto across = [&](const Vec3& v) { return v - limb * glm::dot(v, limb); };
  const Vec3 bend = sense * across(below), wanted = across(direction);
  if (lengthOf(bend) < kBent || lengthOf(wanted) < kAcross) return std::nullopt;
  return rotationBetween(bend, wanted, limb);
}

}  // namespace

void RestShape::show(std::span<const Transform> locals) {
  pose(locals);
  const Quat to_front = rotationAbout(kUp, -humanoid::headingOf_rad(map_, worlds_));
  for (std::size_t side = 0; side < 2; ++side) {
    showFoot(side, locals);
    const int hand = map_[kArms[side].hand];
    if (hand >= 0) hands_[side].add(locals[toSize(hand)].rotation);
  }
  const int head = map_[Role::kHead];
  if (head >= 0) head_.add(to_front * worldRotation(head));
}

void RestShape::applyTo(std::span<Transform> locals) {
  pose(locals);
  setWorldRotation(map_[Role::kHead], head_.mean(), locals);
  for (std::size_t side = 0; side < 2; ++side) {
    rotateArm(side, locals);
    rotateLeg(side, locals);
    const int hand = map_[kArms[side].hand];
    if (hand >= 0) locals[toSize(hand)].rotation = hands_[side].mean();
  }
}

// Where foot and toes are lowest, the sole is on the ground.
void RestShape::showFoot(std::size_t side, std::span<const Transform> locals) {
  const Leg& leg = kLegs[side];
  const int foot = map_[leg.foot], toes = map_[leg.toes];
  if (foot < 0 || toes < 0) return;
  const double height_m = worlds_[toSize(foot)].translation.y + worlds_[toSize(toes)].translation.y;
  if (!(height_m < feet_[side].height_m)) return;
  const Quat to_front = headingToFront(bone(leg.foot, leg.toes));
  feet_[side] = {height_m, to_front * worldRotation(foot), locals[toSize(toes)].rotation};
}

void RestShape::rotateArm(std::size_t side, std::span<Transform> locals) {
  const Arm& arm = kArms[side];
  const int upper = map_[arm.upper];
  if (upper < 0 || map_[arm.lower] < 0 || map_[arm.hand] < 0) return;
  pose(locals);
  const auto rotation = hingeTo(kFront, bone(arm.upper, arm.lower), bone(arm.lower, arm.hand), 1.0);
  if (rotation) setWorldRotation(upper, *rotation * worldRotation(upper), locals);
}

void RestShape::rotateLeg(std::size_t side, std::span<Transform> locals) {
  constexpr double kUpright = 0.8;  // cosine of the angle to the vertical
  const Leg& leg = kLegs[side];
  const int upper = map_[leg.upper], foot = map_[leg.foot], toes = map_[leg.toes];
  if (upper < 0 || map_[leg.lower] < 0 || foot < 0 || toes < 0) return;
  pose(locals);
  const Vec3 thigh = bone(leg.upper, leg.lower);
  // The knee of a raised thigh is above it.
  const Vec3 knee = rotationBetween(-kUp, thigh, Vec3(1, 0, 0)) * kFront;
  auto rotation = hingeTo(knee, thigh, bone(leg.lower, leg.foot), -1.0);
  // The foot of a straight leg shows where its knee is.
  if (!rotation && -thigh.y > kUpright) rotation = headingToFront(bone(leg.foot, leg.toes));
  if (rotation) setWorldRotation(upper, *rotation * worldRotation(upper), locals);
  pose(locals);
  setWorldRotation(foot, feet_[side].foot, locals);
  locals[toSize(toes)].rotation = feet_[side].toes;
}

void RestShape::pose(std::span<const Transform> locals) {
  computeWorlds(scene_.skeleton, locals, scene_.metric_from_file, worlds_);
}

Vec3 RestShape::bone(Role from, Role to) const {
  const Vec3 along =
      worlds_[toSize(map_[to])].translation - worlds_[toSize(map_[from])].translation;
  const double length_m = lengthOf(along);
  return length_m > 0.0 ? along / length_m : Vec3(0.0);
}

Quat RestShape::worldRotation(int node) const { return rotationOf(worlds_[toSize(node)]); }

// Needs the worlds of `locals`.
void RestShape::setWorldRotation(int node, const Quat& rotation, std::span<Transform> locals) {
  if (node < 0) return;
  const int parent = scene_.skeleton.nodes[toSize(node)].parent;
  const Quat above = parent < 0 ? rotationOf(scene_.metric_from_file) : worldRotation(parent);
  locals[toSize(node)].rotation = normalizedOrIdentity(glm::conjugate(above) * rotation);
}

}  // namespace clipmill::io::bvh
