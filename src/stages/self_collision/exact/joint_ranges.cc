// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/joint_ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/portable_math.h"
#include "core/to_size.h"
#include "scene/bind_pose.h"

namespace clipmill::stages::self_collision {
namespace {

// Degrees, by LimbAngle.
struct DegreeRange {
  double min, max;
};
constexpr DegreeRange kRanges[kLimbAngleCount] = {
    {0.0, 130.0},    // shoulder swing: extension 62, horizontal extension 45 and flexion 141
    {-79.0, 114.0},  // shoulder rotation: inward 69, outward 104
    {-10.0, 153.0},  // elbow flexion: 143
    {-15.0, 15.0},   // elbow sideways
    {-86.0, 92.0},   // forearm rotation: pronation 76, supination 82
    {0.0, 85.0},     // wrist bend: flexion 76, extension 75
    {-10.0, 153.0},  // knee flexion: 143
    {-15.0, 15.0},   // knee sideways
};
// Of the wrist in the plane of the palm, degrees: radial 22, ulnar 36.
constexpr double kRadial = 32.0, kUlnar = 46.0;

constexpr double kRangeSlack_rad = 0.5 * kDegree;  // of an angle that is beyond its range
constexpr double kUndetermined = std::numeric_limits<double>::quiet_NaN();

// An elbow or knee that is bent by less at bind is straight; one that is bent to the wrong side by
// less is too, since models are not exact.
constexpr double kBent_rad = 5.0 * kDegree, kBentBack_rad = 15.0 * kDegree;
constexpr double kMinFlexionSine = 0.2;  // of the angle from the limb to where it flexes

// The rotation about the upper arm is relative to an arm that points sideways by the shortest arc,
// which is undetermined across the chest.
constexpr double kMaxArc_rad = 135.0 * kDegree;

double wrapped(double angle_rad) {
  while (angle_rad > kPi) angle_rad -= 2.0 * kPi;
  while (angle_rad < -kPi) angle_rad += 2.0 * kPi;
  return angle_rad;
}

// Of a rotation about the unit vector `axis`.
double twist_rad(const Quat& twist, const Vec3& axis) {
  return wrapped(2.0 * portable::atan2(glm::dot(Vec3(twist.x, twist.y, twist.z), axis), twist.w));
}

// The rotation of a node since the bind pose.
Quat sinceBind(const Affine& world, const Mat3& bind_inverse) {
  return rotationOf({world.linear * bind_inverse, Vec3(0.0)});
}

Vec3 normalTo(const Vec3& axis, const Vec3& vector) {
  return vector - axis * glm::dot(axis, vector);
}

// Where a straight limb flexes: forearms to the front, lower legs to the back.
Vec3 straightFlexion(const MovableLimb& limb, const humanoid::BodyAxes& axes,
                     const Vec3& upper_axis) {
  const Vec3 towards = limb.is_leg ? -axes.forward : axes.forward;
  const Vec3 flexion = normalTo(upper_axis, towards);
  // An arm that points forward flexes upwards, a leg that does so downwards.
  if (lengthOf(flexion) > kMinFlexionSine) return unitOrZero(flexion);
  return unitOrZero(normalTo(upper_axis, limb.is_leg ? -axes.up : axes.up));
}

// As the flexion of the wrist that uses as much of its range. `swing`: of the hand, whose thumb is
// along `thumb` and fingers along `fingers`.
double wristBend_rad(const Quat& swing, const Vec3& fingers, const Vec3& thumb) {
  const Vec3 rotation = vectorOfRotation(swing);
  const double radial_rad = glm::dot(rotation, glm::cross(fingers, thumb));
  const double flexion_rad = glm::dot(rotation, thumb);
  const double wider =
      kRanges[toSize(LimbAngle::kWristBend)].max / (radial_rad > 0.0 ? kRadial : kUlnar);
  return std::min(kPi,
                  std::sqrt(flexion_rad * flexion_rad + wider * wider * radial_rad * radial_rad));
}

double outwards(const MovableLimb& limb) {
  return limb.side == locomotion::BodySide::kLeft ? 1.0 : -1.0;
}

double& angleOf(LimbAngles& angles, LimbAngle angle) { return angles[toSize(angle)]; }

}  // namespace

AngleRange anatomicalRange(LimbAngle angle) {
  const DegreeRange& range = kRanges[toSize(angle)];
  return {range.min * kDegree, range.max * kDegree};
}

RangeUse useOfRange(LimbAngle angle, const LimbAngles& source, const LimbAngles& changed) {
  const double from_rad = source[toSize(angle)];
  const double moved_rad = wrapped(changed[toSize(angle)] - from_rad);
  if (!std::isfinite(moved_rad)) return {0.0, 0.0, 0.0, angle};
  const AngleRange range = anatomicalRange(angle);
  const double left_rad = std::max(
      moved_rad > 0.0 ? range.max_rad - from_rad : from_rad - range.min_rad, kRangeSlack_rad);
  return {std::abs(moved_rad) / left_rad, left_rad, moved_rad, angle};
}

RangeUse largestUseOfRanges(const LimbAngles& source, const LimbAngles& changed) {
  RangeUse largest;
  for (std::size_t i = 0; i < kLimbAngleCount; ++i) {
    const RangeUse use = useOfRange(static_cast<LimbAngle>(i), source, changed);
    if (use.ratio > largest.ratio) largest = use;
  }
  return largest;
}

JointRanges::JointRanges(const Scene& scene, const humanoid::HumanoidMap& map,
                         const LimbPoser& poser)
    : poser_(poser), limbs_(poser.limbCount()) {
  const BindPose pose = findBindPose(scene);
  const auto axes = humanoid::bodyAxes(map, pose.world_from_node);
  if (!axes) return;
  axes_ = *axes;
  for (std::size_t i = 0; i < limbs_.size(); ++i) limbs_[i] = bind(i, pose.world_from_node);
}

std::optional<JointRanges::BoundLimb> JointRanges::bind(std::size_t index,
                                                        std::span<const Affine> bind_pose) const {
  const MovableLimb& limb = poser_.limb(index);
  const Affine &body = bind_pose[toSize(poser_.axesNodeOf(index))],
               &upper = bind_pose[toSize(limb.upper)], &lower = bind_pose[toSize(limb.lower)],
               &end = bind_pose[toSize(limb.end)];
  if (!limb.hasEnd()) return std::nullopt;  // it rotates as a whole
  for (const Affine* node : {&body, &upper, &lower, &end}) {
    if (!isInvertible(*node)) return std::nullopt;
  }
  BoundLimb bound{glm::inverse(body.linear), glm::inverse(upper.linear), glm::inverse(lower.linear),
                  glm::inverse(end.linear)};
  bound.upper_axis = unitOrZero(lower.translation - upper.translation);
  bound.lower_axis = unitOrZero(end.translation - lower.translation);
  if (bound.upper_axis == Vec3(0.0) || bound.lower_axis == Vec3(0.0)) return std::nullopt;
  bound.flexion = straightFlexion(limb, axes_, bound.upper_axis);
  const double bend_rad = angleBetween(bound.upper_axis, bound.lower_axis);
  const Vec3 bent = unitOrZero(normalTo(bound.upper_axis, bound.lower_axis));
  const bool is_forward = glm::dot(bent, bound.flexion) > 0.0;
  if (bend_rad > (is_forward ? kBent_rad : kBentBack_rad)) {
    bound.flexion = bent;
    bound.has_plane = true;
  }
  bound.hinge = glm::cross(bound.upper_axis, bound.flexion);
  return bound;
}

// Rotations of shoulder, forearm and wrist.
void JointRanges::addArm(std::size_t index, std::span<const Affine> worlds,
                         LimbAngles& angles) const {
  const BoundLimb& bound = *limbs_[index];
  const MovableLimb& limb = poser_.limb(index);
  const auto rotation = [&](int node, const Mat3& bind_inverse) {
    return sinceBind(worlds[toSize(node)], bind_inverse);
  };
  const Quat body = rotation(poser_.axesNodeOf(index), bound.body_inverse);
  const Quat upper = rotation(limb.upper, bound.upper_inverse),
             lower = rotation(limb.lower, bound.lower_inverse),
             end = rotation(limb.end, bound.end_inverse);
  const double side = outwards(limb);
  const Vec3 lateral = side * axes_.lateral;

  // In the axes of the body at bind.
  const Quat arm = glm::conjugate(body) * upper;
  const Vec3 direction = arm * bound.upper_axis;
  angleOf(angles, LimbAngle::kShoulderSwing) = angleBetween(direction, lateral + axes_.forward);
  const Quat from_lateral = rotationBetween(lateral, bound.upper_axis, axes_.forward);
  angleOf(angles, LimbAngle::kShoulderRotation) =
      angleBetween(direction, lateral) < kMaxArc_rad
          ? -side * twist_rad(swingTwist(arm * from_lateral, lateral).twist, lateral)
          : kUndetermined;
  // Pronation is a rotation of the forearm, of the hand, or shared by both.
  const Vec3 axis = bound.lower_axis;
  const Quat forearm = swingTwist(glm::conjugate(upper) * lower, axis).twist;
  const Quat hand = glm::conjugate(lower) * end;
  const Quat hand_twist = swingTwist(hand, axis).twist;
  angleOf(angles, LimbAngle::kForearmRotation) = -side * twist_rad(forearm * hand_twist, axis);
  const Vec3 thumb = unitOrZero(normalTo(axis, bound.flexion));
  angleOf(angles, LimbAngle::kWristBend) =
      wristBend_rad(glm::conjugate(hand_twist) * hand, axis, thumb);
}

LimbAngles JointRanges::anglesOf(std::size_t index, std::span<const Affine> worlds) const {
  LimbAngles angles{};
  const std::optional<BoundLimb>& bound = limbs_[index];
  if (!bound) return angles;
  const MovableLimb& limb = poser_.limb(index);
  const Quat upper = sinceBind(worlds[toSize(limb.upper)], bound->upper_inverse),
             lower = sinceBind(worlds[toSize(limb.lower)], bound->lower_inverse);
  const Vec3 direction = glm::conjugate(upper) * (lower * bound->lower_axis);
  angleOf(angles, limb.is_leg ? LimbAngle::kKneeFlexion : LimbAngle::kElbowFlexion) =
      portable::atan2(glm::dot(direction, bound->flexion), glm::dot(direction, bound->upper_axis));
  angleOf(angles, limb.is_leg ? LimbAngle::kKneeSideways : LimbAngle::kElbowSideways) =
      bound->has_plane ? portable::asin(glm::dot(direction, bound->hinge)) : kUndetermined;
  if (!limb.is_leg) addArm(index, worlds, angles);
  return angles;
}

int JointRanges::jointOf(std::size_t index, LimbAngle angle) const {
  const MovableLimb& limb = poser_.limb(index);
  switch (angle) {
    case LimbAngle::kShoulderSwing:
    case LimbAngle::kShoulderRotation:
      return limb.upper;
    case LimbAngle::kForearmRotation:
    case LimbAngle::kWristBend:
      return limb.end;
    default:
      return limb.lower;
  }
}

}  // namespace clipmill::stages::self_collision
