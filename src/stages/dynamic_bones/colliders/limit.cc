// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/colliders/limit.h"

#include <algorithm>
#include <cmath>

#include "core/portable_math.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Components of a unit vector below this are treated as 0. There the direction is singular, and the
// draft specifies which one to use.
constexpr double kSingular = 1e-12;

double hypotenuse(double a, double b) { return std::sqrt(a * a + b * b); }

// An angle of 0 or more under a limit; bit-identical within the limit.
double limitedAngle(double angle, double limit, double softness) {
  const double soft = limit * std::clamp(softness, 0.0, 1.0);
  const double knee = limit - soft;
  if (angle <= knee) return angle;
  if (!(soft > 0.0)) return limit;
  const double past = (angle - knee) / soft;
  return knee + soft * (past / (1.0 + past));
}

// The same for an angle of either sign.
double limitedSignedAngle(double angle, double limit, double softness) {
  return std::copysign(limitedAngle(std::abs(angle), limit, softness), angle);
}

double clampedTo(double largest, double angle) { return std::clamp(angle, 0.0, largest); }

Vec3 inCone(const Vec3& v, double limit, double softness) {
  if (limit >= kPi) return v;
  const double across = hypotenuse(v.x, v.z);
  const double angle = portable::atan2(across, v.y);
  const double wanted = limitedAngle(angle, limit, softness);
  if (wanted == angle) return v;
  const auto [sine, cosine] = portable::sinCos(wanted);
  if (across < kSingular) return Vec3(0, cosine, sine);
  return Vec3(v.x * (sine / across), cosine, v.z * (sine / across));
}

Vec3 inPlane(const Vec3& v) {
  const double length = hypotenuse(v.y, v.z);
  if (length < kSingular) return Vec3(0, 1, 0);
  return Vec3(0, v.y / length, v.z / length);
}

Vec3 onHinge(const Vec3& v, double limit, double softness) {
  const Vec3 flat = v.x == 0.0 ? v : inPlane(v);
  if (limit >= kPi) return flat;
  // -Y itself is on the side of +Z, whatever the sign of its zero.
  const double rotation =
      std::abs(flat.z) < kSingular && flat.y < 0.0 ? kPi : portable::atan2(flat.z, flat.y);
  const double wanted = limitedSignedAngle(rotation, limit, softness);
  if (wanted == rotation) return flat;
  const auto [sine, cosine] = portable::sinCos(wanted);
  return Vec3(0, cosine, sine);
}

double pitchOf(const Vec3& v) {
  if (hypotenuse(v.y, v.z) < kSingular) return 0.0;
  if (hypotenuse(v.x, v.z) < kSingular && v.y < 0.0) return kPi;
  return portable::atan2(v.z, v.y);
}

Vec3 inSphere(const Vec3& v, double pitch_limit, double yaw_limit, double softness) {
  const double pitch = pitchOf(v);
  const double yaw = portable::atan2(v.x, hypotenuse(v.y, v.z));
  const double wanted_pitch =
      pitch_limit >= kPi ? pitch : limitedSignedAngle(pitch, pitch_limit, softness);
  const double wanted_yaw =
      yaw_limit >= kPi / 2.0 ? yaw : limitedSignedAngle(yaw, yaw_limit, softness);
  if (wanted_pitch == pitch && wanted_yaw == yaw) return v;
  const auto [sine, cosine] = portable::sinCos(wanted_yaw);
  const auto [pitch_sine, pitch_cosine] = portable::sinCos(wanted_pitch);
  return Vec3(sine, cosine * pitch_cosine, cosine * pitch_sine);
}

// In the limit's own axes.
Vec3 limited(const AngleLimit& limit, double softness, const Vec3& v) {
  switch (limit.kind) {
    case AngleLimit::Kind::kNone:
      return v;
    case AngleLimit::Kind::kCone:
      return inCone(v, clampedTo(kPi, limit.angle_rad), softness);
    case AngleLimit::Kind::kHinge:
      return onHinge(v, clampedTo(kPi, limit.angle_rad), softness);
    case AngleLimit::Kind::kSpherical:
      return inSphere(v, clampedTo(kPi, limit.angle_rad), clampedTo(kPi / 2.0, limit.yaw_rad),
                      softness);
    case AngleLimit::Kind::kPlanar:
      return v.x == 0.0 ? v : inPlane(v);
  }
  return v;
}

}  // namespace

Quat jointFromLimit(const AngleLimit& limit, const Vec3& bone_axis) {
  const Quat default_axes = rotationBetween(Vec3(0, 1, 0), bone_axis, Vec3(1, 0, 0));
  return default_axes * normalizedOrIdentity(limit.rotation);
}

Vec3 limitedDirection(const PosedLimit& limit, const Vec3& direction) {
  if (!limit.limit || limit.limit->kind == AngleLimit::Kind::kNone) return direction;
  const Vec3 v = glm::conjugate(limit.metric_from_limit) * direction;
  const Vec3 allowed = limited(*limit.limit, limit.softness, v);
  return allowed == v ? direction : limit.metric_from_limit * allowed;
}

double limitExcess(const PosedLimit& limit, const Vec3& direction) {
  const PosedLimit hard{limit.limit, limit.metric_from_limit, 0.0};
  return angleBetween(direction, limitedDirection(hard, direction));
}

}  // namespace clipmill::stages::dynamic_bones
