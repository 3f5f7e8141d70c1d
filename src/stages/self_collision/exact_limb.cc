// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact_limb.h"

#include <cmath>

#include "anim/pose.h"
#include "anim/two_bone_ik.h"
#include "core/portable_math.h"

namespace clipmill::collision {
namespace {

// The last of a limb's length, as a share, that is approached and never used up.
constexpr double kSoftShare = 0.02;

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

const Affine& at(std::span<const Affine> worlds, int node) {
  return worlds[static_cast<std::size_t>(node)];
}

struct LimbRoles {
  const char* name;
  bool is_leg;
  BodySide side;
  HumanoidRole collar, upper, lower, end;
  std::array<BodyPart, 2> parts;
};

const LimbRoles kLimbs[] = {
    {"left arm",
     false,
     BodySide::kLeft,
     HumanoidRole::kLeftShoulder,
     HumanoidRole::kLeftUpperArm,
     HumanoidRole::kLeftLowerArm,
     HumanoidRole::kLeftHand,
     {BodyPart::kLeftUpperArm, BodyPart::kLeftForearm}},
    {"right arm",
     false,
     BodySide::kRight,
     HumanoidRole::kRightShoulder,
     HumanoidRole::kRightUpperArm,
     HumanoidRole::kRightLowerArm,
     HumanoidRole::kRightHand,
     {BodyPart::kRightUpperArm, BodyPart::kRightForearm}},
    {"left leg",
     true,
     BodySide::kLeft,
     HumanoidRole::kCount,
     HumanoidRole::kLeftUpperLeg,
     HumanoidRole::kLeftLowerLeg,
     HumanoidRole::kLeftFoot,
     {BodyPart::kLeftThigh, BodyPart::kLeftShin}},
    {"right leg",
     true,
     BodySide::kRight,
     HumanoidRole::kCount,
     HumanoidRole::kRightUpperLeg,
     HumanoidRole::kRightLowerLeg,
     HumanoidRole::kRightFoot,
     {BodyPart::kRightThigh, BodyPart::kRightShin}},
};

// The turns of a limb's joints in the world.
struct LimbTurns {
  Quat collar = kIdentityRotation;
  Quat upper = kIdentityRotation;
  Quat lower = kIdentityRotation;
  Quat end = kIdentityRotation;
};

// Which way the elbow or knee goes when a straight limb bends: back for arms, forward for legs.
Vec3 bendSide(const MovableLimb& limb, const Mat3& axes) {
  return limb.is_leg ? axes[2] : -axes[2];
}

LimbTurns turnsOf(const MovableLimb& limb, const LimbChange& change, const Mat3& axes,
                  std::span<const Affine> worlds) {
  LimbTurns turns;
  turns.collar = rotationOfVector(axes * change.collar_turn);
  const Quat stiff = rotationOfVector(axes * change.turn) * turns.collar;
  Vec3 root = at(worlds, limb.upper).translation;
  const Vec3 upper = stiff * (at(worlds, limb.lower).translation - root);
  const Vec3 lower =
      stiff * (at(worlds, limb.end).translation - at(worlds, limb.lower).translation);
  if (limb.collar >= 0) {
    const Vec3 collar = at(worlds, limb.collar).translation;
    root = collar + turns.collar * (root - collar);
  }
  turns.upper = turns.lower = stiff;
  Vec3 end = root + upper + lower;
  if (change.shift != Vec3(0.0)) {
    const double length = lengthOf(upper) + lengthOf(lower);
    const TwoBoneReach reach =
        reachWithTwoBones({root, root + upper, end, bendSide(limb, axes)},
                          end + axes * change.shift * length, kSoftShare * length);
    turns.upper = reach.upper_turn * stiff;
    turns.lower = reach.lower_turn * stiff;
    end = reach.end;
  }
  const double distance = lengthOf(end - root);
  if (change.swivel != 0.0 && distance > 0.0) {
    const Quat swivel = rotationAbout((end - root) / distance, change.swivel);
    turns.upper = swivel * turns.upper;
    turns.lower = swivel * turns.lower;
  }
  turns.end = limb.is_leg ? kIdentityRotation : rotationOfVector(axes * change.end_turn) * stiff;
  return turns;
}

}  // namespace

std::vector<int> MovableLimb::joints() const {
  std::vector<int> joints;
  if (collar >= 0) joints.push_back(collar);
  joints.insert(joints.end(), {upper, lower, end});
  return joints;
}

std::vector<MovableLimb> movableLimbs(const Skeleton& skeleton, const HumanoidMap& map) {
  std::vector<MovableLimb> limbs;
  const auto hangs = [&](int node, int above) {
    return node >= 0 && above >= 0 && node != above && isAtOrBelow(skeleton, node, above);
  };
  for (const LimbRoles& roles : kLimbs) {
    MovableLimb limb{roles.name,       roles.is_leg,     roles.side,     -1,
                     map[roles.upper], map[roles.lower], map[roles.end], roles.parts};
    if (!hangs(limb.lower, limb.upper) || !hangs(limb.end, limb.lower)) continue;
    const int collar = roles.collar == HumanoidRole::kCount ? -1 : map[roles.collar];
    if (hangs(limb.upper, collar)) limb.collar = collar;
    limbs.push_back(std::move(limb));
  }
  return limbs;
}

LimbChange& LimbChange::operator+=(const LimbChange& other) {
  collar_turn += other.collar_turn;
  turn += other.turn;
  shift += other.shift;
  swivel += other.swivel;
  end_turn += other.end_turn;
  return *this;
}

LimbChange LimbChange::operator*(double amount) const {
  return {collar_turn * amount, turn * amount, shift * amount, swivel * amount, end_turn * amount};
}

LimbPoser::LimbPoser(const Scene& scene, const HumanoidMap& map, std::span<const MovableLimb> limbs)
    : scene_(scene) {
  std::vector<Affine> rest;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file, rest);
  const std::optional<BodyAxes> axes = bodyAxes(map, rest);
  const int chest = chestOf(map),
            hips = map[HumanoidRole::kHips] >= 0 ? map[HumanoidRole::kHips] : chestOf(map);
  if (!axes || chest < 0) return;
  carriers_ = {chest, hips};
  carried_ = {CarriedAxes(*axes, chest, rest), CarriedAxes(*axes, hips, rest)};
  limbs_.assign(limbs.begin(), limbs.end());
}

std::optional<Mat3> LimbPoser::axesOf(std::size_t limb,
                                      std::span<const Affine> metric_worlds) const {
  const auto axes = carried_[limbs_[limb].is_leg ? 1 : 0].at(metric_worlds);
  if (!axes) return std::nullopt;
  return Mat3(axes->lateral, axes->up, axes->forward);
}

void LimbPoser::apply(std::size_t index, const LimbChange& change,
                      std::span<const Affine> metric_worlds, std::span<Transform> locals) const {
  if (change == kNoChange) return;
  const MovableLimb& limb = limbs_[index];
  const std::optional<Mat3> axes = axesOf(index, metric_worlds);
  if (!axes) return;
  const LimbTurns turns = turnsOf(limb, change, *axes, metric_worlds);
  const auto turnNode = [&](int node, const Quat& carried_by, const Quat& world_turn) {
    const int parent = scene_.skeleton.nodes[static_cast<std::size_t>(node)].parent;
    const Affine& above = parent < 0 ? scene_.metric_from_file : at(metric_worlds, parent);
    Quat& rotation = locals[static_cast<std::size_t>(node)].rotation;
    rotation = turnedInWorld(above, carried_by, world_turn, rotation);
  };
  if (limb.collar >= 0 && change.collar_turn != Vec3(0.0)) {
    turnNode(limb.collar, kIdentityRotation, turns.collar);
  }
  turnNode(limb.upper, turns.collar, turns.upper * glm::conjugate(turns.collar));
  turnNode(limb.lower, turns.upper, turns.lower * glm::conjugate(turns.upper));
  turnNode(limb.end, turns.lower, turns.end * glm::conjugate(turns.lower));
}

Quat rotationOfVector(const Vec3& turn_rad) {
  const double angle_rad = lengthOf(turn_rad);
  if (!(angle_rad > 0.0)) return kIdentityRotation;
  return rotationAbout(turn_rad / angle_rad, angle_rad);
}

Vec3 vectorOfRotation(const Quat& rotation) {
  const Quat near = rotation.w < 0.0 ? -rotation : rotation;
  const Vec3 axis(near.x, near.y, near.z);
  const double sine = lengthOf(axis);
  if (!(sine > 0.0)) return Vec3(0.0);
  return axis * (2.0 * portable::atan2(sine, near.w) / sine);
}

}  // namespace clipmill::collision
