// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/limb_pose.h"

#include <cmath>

#include "anim/pose.h"
#include "anim/two_bone_ik.h"
#include "core/math.h"
#include "core/portable_math.h"
#include "core/to_size.h"

namespace clipmill::stages::self_collision {
namespace {

// A reach closer to the full length than this share of it is limited smoothly.
constexpr double kSoftShare = 0.02;

const Affine& at(std::span<const Affine> worlds, int node) { return worlds[toSize(node)]; }

struct LimbRoles {
  const char* name;
  bool is_leg;
  locomotion::BodySide side;
  humanoid::HumanoidRole clavicle, upper, lower, end;
  std::array<humanoid::BodyPart, 2> parts;
};

const LimbRoles kLimbs[] = {
    {"left arm",
     false,
     locomotion::BodySide::kLeft,
     humanoid::HumanoidRole::kLeftShoulder,
     humanoid::HumanoidRole::kLeftUpperArm,
     humanoid::HumanoidRole::kLeftLowerArm,
     humanoid::HumanoidRole::kLeftHand,
     {humanoid::BodyPart::kLeftUpperArm, humanoid::BodyPart::kLeftForearm}},
    {"right arm",
     false,
     locomotion::BodySide::kRight,
     humanoid::HumanoidRole::kRightShoulder,
     humanoid::HumanoidRole::kRightUpperArm,
     humanoid::HumanoidRole::kRightLowerArm,
     humanoid::HumanoidRole::kRightHand,
     {humanoid::BodyPart::kRightUpperArm, humanoid::BodyPart::kRightForearm}},
    {"left leg",
     true,
     locomotion::BodySide::kLeft,
     humanoid::HumanoidRole::kCount,
     humanoid::HumanoidRole::kLeftUpperLeg,
     humanoid::HumanoidRole::kLeftLowerLeg,
     humanoid::HumanoidRole::kLeftFoot,
     {humanoid::BodyPart::kLeftThigh, humanoid::BodyPart::kLeftShin}},
    {"right leg",
     true,
     locomotion::BodySide::kRight,
     humanoid::HumanoidRole::kCount,
     humanoid::HumanoidRole::kRightUpperLeg,
     humanoid::HumanoidRole::kRightLowerLeg,
     humanoid::HumanoidRole::kRightFoot,
     {humanoid::BodyPart::kRightThigh, humanoid::BodyPart::kRightShin}},
};

// World rotations of a limb's joints.
struct LimbRotations {
  Quat clavicle = kIdentityRotation;
  Quat upper = kIdentityRotation;
  Quat lower = kIdentityRotation;
  Quat end = kIdentityRotation;
};

// The direction in which a straight limb bends: elbows to the back, knees to the front.
Vec3 bendDirection(const MovableLimb& limb, const Mat3& axes) {
  return limb.is_leg ? axes[2] : -axes[2];
}

// The rotation of a lower limb by a flexion.
Quat flexionOf(const MovableLimb& limb, double flexion, const Vec3& upper, const Vec3& lower,
               const Mat3& axes) {
  if (flexion == 0.0) return kIdentityRotation;
  Vec3 hinge = unitOrZero(glm::cross(upper, lower));
  if (hinge == Vec3(0.0)) hinge = unitOrZero(glm::cross(upper, -bendDirection(limb, axes)));
  return hinge == Vec3(0.0) ? kIdentityRotation : rotationAbout(hinge, flexion);
}

double lengthOfLimb(const MovableLimb& limb, std::span<const Affine> worlds) {
  const Vec3 middle = at(worlds, limb.lower).translation;
  return lengthOf(middle - at(worlds, limb.upper).translation) +
         lengthOf(at(worlds, limb.end).translation - middle);
}

// The rigid motions of both arms and of both hands in a change.
struct CommonMotions {
  Quat pitch = kIdentityRotation;
  Affine grip;  // after the pitch
};

LimbRotations rotationsOf(const MovableLimb& limb, const LimbChange& change, const Mat3& axes,
                          const CommonMotions& common, std::span<const Affine> worlds) {
  LimbRotations rotations;
  rotations.clavicle = rotationOfVector(axes * change.clavicle_rotation);
  const Quat rigid = common.pitch * rotationOfVector(axes * change.rotation) * rotations.clavicle;
  Vec3 root = at(worlds, limb.upper).translation;
  const Vec3 bound_upper = at(worlds, limb.lower).translation - root;
  const Vec3 bound_lower = at(worlds, limb.end).translation - at(worlds, limb.lower).translation;
  const Quat rigid_lower =
      change.flexion == 0.0
          ? rigid
          : rigid * flexionOf(limb, change.flexion, bound_upper, bound_lower, axes);
  const Vec3 upper = rigid * bound_upper, lower = rigid_lower * bound_lower;
  if (limb.clavicle >= 0) {
    const Vec3 clavicle = at(worlds, limb.clavicle).translation;
    root = clavicle + rotations.clavicle * (root - clavicle);
  }
  rotations.upper = rigid;
  rotations.lower = rigid_lower;
  Vec3 end = root + upper + lower;
  if ((change.shift != Vec3(0.0) || change.movesGrip()) && limb.hasEnd()) {
    const double length = lengthOf(upper) + lengthOf(lower);
    const TwoBoneReach reach = reachWithTwoBones(
        {root, root + upper, end, bendDirection(limb, axes)},
        transformPoint(common.grip, end + axes * change.shift * length), kSoftShare * length);
    rotations.upper = reach.upper_rotation * rigid;
    rotations.lower = reach.lower_rotation * rigid_lower;
    end = reach.end;
  }
  const double distance = lengthOf(end - root);
  if (change.swivel != 0.0 && distance > 0.0) {
    const Quat swivel = rotationAbout((end - root) / distance, change.swivel);
    rotations.upper = swivel * rotations.upper;
    rotations.lower = swivel * rotations.lower;
  }
  rotations.end = limb.is_leg ? kIdentityRotation
                              : rotationOfVector(axes * change.grip_rotation) *
                                    rotationOfVector(axes * change.end_rotation) * rigid_lower;
  return rotations;
}

}  // namespace

std::vector<int> MovableLimb::joints() const {
  std::vector<int> joints;
  if (clavicle >= 0) joints.push_back(clavicle);
  joints.insert(joints.end(), {upper, lower});
  if (hasEnd()) joints.push_back(end);
  return joints;
}

std::vector<MovableLimb> movableLimbs(const Skeleton& skeleton, const humanoid::HumanoidMap& map) {
  std::vector<MovableLimb> limbs;
  const auto isBelow = [&](int node, int above) {
    return node >= 0 && above >= 0 && node != above && isAtOrBelow(skeleton, node, above);
  };
  for (const LimbRoles& roles : kLimbs) {
    MovableLimb limb{roles.name,       roles.is_leg,     roles.side,     -1,
                     map[roles.upper], map[roles.lower], map[roles.end], roles.parts};
    if (limb.end < 0) limb.end = limb.lower;
    if (!isBelow(limb.lower, limb.upper)) continue;
    if (limb.hasEnd() && !isBelow(limb.end, limb.lower)) continue;
    const int clavicle =
        roles.clavicle == humanoid::HumanoidRole::kCount ? -1 : map[roles.clavicle];
    if (isBelow(limb.upper, clavicle)) limb.clavicle = clavicle;
    limbs.push_back(std::move(limb));
  }
  return limbs;
}

LimbChange& LimbChange::operator+=(const LimbChange& other) {
  clavicle_rotation += other.clavicle_rotation;
  rotation += other.rotation;
  pitch += other.pitch;
  shift += other.shift;
  grip_rotation += other.grip_rotation;
  grip_shift += other.grip_shift;
  swivel += other.swivel;
  end_rotation += other.end_rotation;
  flexion += other.flexion;
  return *this;
}

LimbChange LimbChange::operator*(double amount) const {
  return {clavicle_rotation * amount,
          rotation * amount,
          pitch * amount,
          shift * amount,
          grip_rotation * amount,
          grip_shift * amount,
          swivel * amount,
          end_rotation * amount,
          flexion * amount};
}

LimbPoser::LimbPoser(const Scene& scene, const humanoid::HumanoidMap& map,
                     std::span<const MovableLimb> limbs)
    : scene_(scene) {
  std::vector<Affine> rest;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file, rest);
  const std::optional<humanoid::BodyAxes> axes = humanoid::bodyAxes(map, rest);
  const int chest = chestOf(map), hips = map[humanoid::HumanoidRole::kHips] >= 0
                                             ? map[humanoid::HumanoidRole::kHips]
                                             : chestOf(map);
  if (!axes || chest < 0) return;
  axes_nodes_ = {chest, hips};
  axes_ = {AttachedAxes(*axes, chest, rest), AttachedAxes(*axes, hips, rest)};
  limbs_.assign(limbs.begin(), limbs.end());
  std::vector<std::size_t> arms;
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    if (limbs_[i].is_leg || !limbs_[i].hasEnd()) continue;
    arms.push_back(i);
    arm_length_m_ += 0.5 * lengthOfLimb(limbs_[i], rest);
  }
  if (arms.size() == 2) hands_ = {arms[0], arms[1]};
}

Affine LimbPoser::pitchMotion(const LimbChange& change,
                              std::span<const Affine> metric_worlds) const {
  if (!hands_ || change.pitch == 0.0) return {};
  const Vec3 left = at(metric_worlds, limbs_[(*hands_)[0]].upper).translation,
             right = at(metric_worlds, limbs_[(*hands_)[1]].upper).translation;
  const double width = lengthOf(left - right);
  if (!(width > 0.0)) return {};
  const Mat3 rotation = glm::mat3_cast(rotationAbout((left - right) / width, -change.pitch));
  return {rotation, left - rotation * left};
}

Affine LimbPoser::handsMotion(const LimbChange& change, const Mat3& axes, const Affine& pitch,
                              std::span<const Affine> metric_worlds) const {
  if (!hands_ || !change.movesGrip()) return {};
  const Vec3 middle = 0.5 * (at(metric_worlds, limbs_[(*hands_)[0]].end).translation +
                             at(metric_worlds, limbs_[(*hands_)[1]].end).translation);
  const Vec3 pivot = transformPoint(pitch, middle);
  const Mat3 rotation = glm::mat3_cast(rotationOfVector(axes * change.grip_rotation));
  return {rotation, pivot - rotation * pivot + axes * change.grip_shift * arm_length_m_};
}

Affine LimbPoser::gripMotion(const LimbChange& change, const Mat3& axes,
                             std::span<const Affine> metric_worlds) const {
  const Affine pitch = pitchMotion(change, metric_worlds);
  return handsMotion(change, axes, pitch, metric_worlds) * pitch;
}

std::optional<Mat3> LimbPoser::axesOf(std::size_t limb,
                                      std::span<const Affine> metric_worlds) const {
  const auto axes = axes_[limbs_[limb].is_leg ? 1 : 0].at(metric_worlds);
  if (!axes) return std::nullopt;
  return Mat3(axes->lateral, axes->up, axes->forward);
}

void LimbPoser::apply(std::size_t index, const LimbChange& change,
                      std::span<const Affine> metric_worlds, std::span<Transform> locals) const {
  if (change == kNoChange) return;
  const MovableLimb& limb = limbs_[index];
  const std::optional<Mat3> axes = axesOf(index, metric_worlds);
  if (!axes) return;
  const Affine pitch = limb.is_leg ? Affine() : pitchMotion(change, metric_worlds);
  const LimbRotations rotations = rotationsOf(
      limb, change, *axes, {rotationOf(pitch), handsMotion(change, *axes, pitch, metric_worlds)},
      metric_worlds);
  const auto rotateNode = [&](int node, const Quat& parent_rotation, const Quat& world_rotation) {
    const int parent = scene_.skeleton.nodes[toSize(node)].parent;
    const Affine& above = parent < 0 ? scene_.metric_from_file : at(metric_worlds, parent);
    Quat& rotation = locals[toSize(node)].rotation;
    rotation = rotatedInWorld(above, parent_rotation, world_rotation, rotation);
  };
  if (limb.clavicle >= 0 && change.clavicle_rotation != Vec3(0.0)) {
    rotateNode(limb.clavicle, kIdentityRotation, rotations.clavicle);
  }
  rotateNode(limb.upper, rotations.clavicle, rotations.upper * glm::conjugate(rotations.clavicle));
  rotateNode(limb.lower, rotations.upper, rotations.lower * glm::conjugate(rotations.upper));
  if (!limb.hasEnd()) return;
  rotateNode(limb.end, rotations.lower, rotations.end * glm::conjugate(rotations.lower));
}

Quat rotationOfVector(const Vec3& vector_rad) {
  const double angle_rad = lengthOf(vector_rad);
  if (!(angle_rad > 0.0)) return kIdentityRotation;
  return rotationAbout(vector_rad / angle_rad, angle_rad);
}

Vec3 vectorOfRotation(const Quat& rotation) {
  const Quat near = rotation.w < 0.0 ? -rotation : rotation;
  const Vec3 axis(near.x, near.y, near.z);
  const double sine = lengthOf(axis);
  if (!(sine > 0.0)) return Vec3(0.0);
  return axis * (2.0 * portable::atan2(sine, near.w) / sine);
}

}  // namespace clipmill::stages::self_collision
