// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/colliders/touch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace clipmill::bones {
namespace {

// A box's nearest sphere is found when the bound on what is left to gain falls below this.
constexpr double kBoxGain_m = 1e-11;
constexpr int kMostBoxSteps = 60;
// Two axes whose angle has a sine below the root of this count as parallel.
constexpr double kParallel = 1e-12;

void keepNearer(const Touch& other, Touch& nearest) {
  if (other.distance_m < nearest.distance_m) nearest = other;
}

// Where on the lines of two tapers' axes the distance of the surfaces is stationary: there the unit
// vector n between the axes has n.u = growth along the bone and -n.v = growth along the capsule,
// which with |n| = 1 determines it.
struct Stationary {
  double bone_along = 0.0, capsule_along = 0.0;
  double axes_apart_m = 0.0;
  Vec3 away{0.0};  // n
};

std::optional<Stationary> stationaryOf(const Taper& bone, const Taper& capsule) {
  const Vec3 apart = bone.head - capsule.head;
  const Vec3& u = bone.axis;
  const Vec3& v = capsule.axis;
  const double uu = glm::dot(u, u), uv = glm::dot(u, v), vv = glm::dot(v, v);
  const double square = uu * vv - uv * uv;
  if (!(square > kParallel * uu * vv)) return std::nullopt;
  const double alpha = (bone.growth_m * vv + capsule.growth_m * uv) / square;
  const double beta = (-capsule.growth_m * uu - bone.growth_m * uv) / square;
  const double rest = 1.0 - (alpha * bone.growth_m - beta * capsule.growth_m);
  if (!(rest > 0.0)) return std::nullopt;
  const Vec3 across = glm::cross(u, v);
  const double triple = glm::dot(apart, across);
  const double axes_apart_m = std::abs(triple) / std::sqrt(rest * square);
  const double e1 = axes_apart_m * bone.growth_m - glm::dot(apart, u);
  const double e2 = -axes_apart_m * capsule.growth_m - glm::dot(apart, v);
  const double sign = triple < 0.0 ? -1.0 : 1.0;
  return Stationary{(e1 * vv - e2 * uv) / square, (e1 * uv - e2 * uu) / square, axes_apart_m,
                    u * alpha + v * beta + across * (sign * std::sqrt(rest / square))};
}

// The distance is convex over both axes: it is least where it is stationary, or at one of those
// ends beyond which that is, or at any end where it is nowhere.
Touch capsuleTouch(const Taper& capsule, const BoneShape& bone) {
  const Taper taper = bone.taper();
  const std::optional<Stationary> inner = stationaryOf(taper, capsule);
  const double s = inner ? inner->bone_along : 0.0, t = inner ? inner->capsule_along : 0.0;
  if (inner && s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0) {
    return {s, inner->axes_apart_m - bone.radiusAt(s) - capsule.radiusAt(t), inner->away};
  }
  Touch nearest;
  nearest.distance_m = std::numeric_limits<double>::infinity();
  if (!inner || s > 1.0) {
    const TaperPoint at_end = nearestOnTaper(capsule, bone.end);
    keepNearer({1.0, at_end.distance_m - bone.end_radius_m, at_end.away}, nearest);
  }
  if (!inner || s < 0.0) {
    const TaperPoint at_head = nearestOnTaper(capsule, bone.head);
    keepNearer({0.0, at_head.distance_m - bone.head_radius_m, at_head.away}, nearest);
  }
  for (const double end : {0.0, 1.0}) {
    if (inner && !(end == 0.0 ? t < 0.0 : t > 1.0)) continue;
    const TaperPoint other = nearestOnTaper(taper, capsule.at(end));
    keepNearer({other.along, other.distance_m - capsule.radiusAt(end), -other.away}, nearest);
  }
  return nearest;
}

// Bone and solid of one radius each: the nearest points of two segments (Ericson, Real-Time
// Collision Detection, 5.1.9). Nothing where the segments meet.
std::optional<Touch> evenTouch(const Taper& capsule, const BoneShape& bone) {
  const Vec3 u = bone.end - bone.head;
  const Vec3& v = capsule.axis;
  const Vec3 apart = bone.head - capsule.head;
  const double uu = glm::dot(u, u), vv = glm::dot(v, v), uv = glm::dot(u, v);
  const double u_apart = glm::dot(u, apart), v_apart = glm::dot(v, apart);
  const double square = uu * vv - uv * uv;
  double s = square > kParallel * uu * vv
                 ? std::clamp((uv * v_apart - u_apart * vv) / square, 0.0, 1.0)
                 : 1.0;
  double t = vv > 0.0 ? (uv * s + v_apart) / vv : 0.0;
  if (t < 0.0 || t > 1.0 || !(vv > 0.0)) {
    t = std::clamp(t, 0.0, 1.0);
    s = uu > 0.0 ? std::clamp((uv * t - u_apart) / uu, 0.0, 1.0) : 1.0;
  }
  const Vec3 between = apart + u * s - v * t;
  const double distance_m = glm::length(between);
  if (!(distance_m > 0.0)) return std::nullopt;
  const double radii_m = bone.head_radius_m + capsule.head_radius_m;
  return Touch{s, distance_m - radii_m, between / distance_m};
}

Touch sphereTouch(const Taper& sphere, const BoneShape& bone) {
  const TaperPoint nearest = nearestOnTaper(bone.taper(), sphere.head);
  return {nearest.along, nearest.distance_m - sphere.head_radius_m, -nearest.away};
}

// Distance of a bone's sphere from a box, and its slope along the bone.
struct BoxSample {
  double along = 0.0;
  double distance_m = 0.0;
  double slope_m = 0.0;
  Vec3 away{0.0};
};

class BoxLine {
 public:
  BoxLine(const PlacedSolid& box, const BoneShape& bone)
      : half_size_(box.half_size),
        head_((bone.head - box.middle) * box.axes),
        axis_((bone.end - bone.head) * box.axes),
        head_radius_m_(bone.head_radius_m),
        growth_m_(bone.end_radius_m - bone.head_radius_m) {}

  BoxSample at(double along) const {
    const SignedDistance here = boxDistance(half_size_, head_ + axis_ * along);
    return {along, here.distance_m - head_radius_m_ - growth_m_ * along,
            glm::dot(here.away, axis_) - growth_m_, here.away};
  }

 private:
  Vec3 half_size_, head_, axis_;
  double head_radius_m_, growth_m_;
};

// The least sample of a convex line whose slope is negative at `low` and positive at `high`: a
// secant on the slope, halved where that is slow.
BoxSample leastBetween(const BoxLine& line, BoxSample low, BoxSample high) {
  BoxSample best = low.distance_m < high.distance_m ? low : high;
  for (int step = 0; step < kMostBoxSteps; ++step) {
    // The line is nowhere below where the tangents at both ends meet.
    const double width = high.along - low.along;
    const double meets =
        (high.slope_m * width - (high.distance_m - low.distance_m)) / (high.slope_m - low.slope_m);
    if (best.distance_m - (low.distance_m + low.slope_m * meets) < kBoxGain_m) break;
    const double secant = -low.slope_m / (high.slope_m - low.slope_m);
    const double share = step % 3 == 2 ? 0.5 : std::clamp(secant, 0.01, 0.99);
    const BoxSample middle = line.at(low.along + width * share);
    if (middle.distance_m < best.distance_m) best = middle;
    if (middle.slope_m == 0.0) break;
    (middle.slope_m < 0.0 ? low : high) = middle;
  }
  return best;
}

Touch boxTouch(const PlacedSolid& box, const BoneShape& bone) {
  const BoxLine line(box, bone);
  const BoxSample at_head = line.at(0.0);
  const BoxSample at_end = line.at(1.0);
  BoxSample least = at_end;
  if (at_head.slope_m >= 0.0) {
    least = at_head;
  } else if (at_end.slope_m > 0.0) {
    least = leastBetween(line, at_head, at_end);
  }
  return {least.along, least.distance_m, box.axes * least.away};
}

Touch nearestTouch(const PlacedSolid& solid, const BoneShape& bone) {
  if (solid.shape == ColliderShape::kBox) return boxTouch(solid, bone);
  if (solid.shape == ColliderShape::kPlane || solid.inside) {
    // Both are least at an end: the distance is concave along the bone.
    const Touch end = touchOfEnd(solid, bone);
    const SignedDistance at_head = signedDistance(solid, bone.head);
    const double head_m = at_head.distance_m - bone.head_radius_m;
    return head_m < end.distance_m ? Touch{0.0, head_m, at_head.away} : end;
  }
  if (bone.head_radius_m == bone.end_radius_m && solid.taper.growth_m == 0.0) {
    if (const auto even = evenTouch(solid.taper, bone)) return *even;
  }
  if (solid.taper.length_m > 0.0) return capsuleTouch(solid.taper, bone);
  const bool is_sphere = solid.shape == ColliderShape::kSphere || solid.taper.growth_m == 0.0;
  return is_sphere ? sphereTouch(solid.taper, bone) : capsuleTouch(solid.taper, bone);
}

}  // namespace

BoneShape BoneShape::pointing(const Vec3& direction) const {
  BoneShape turned = *this;
  turned.end = head + direction * length_m;
  return turned;
}

Vec3 BoneShape::direction() const {
  const Vec3 bone = end - head;
  const double length = glm::length(bone);
  return length > 0.0 ? bone / length : Vec3(0, 1, 0);
}

Touch touchOfEnd(const PlacedSolid& solid, const BoneShape& bone) {
  const SignedDistance at_end = signedDistance(solid, bone.end);
  return {1.0, at_end.distance_m - bone.end_radius_m, at_end.away};
}

Touch touch(const PlacedSolid& solid, const BoneShape& bone) {
  const Touch nearest = nearestTouch(solid, bone);
  if (nearest.distance_m >= 0.0 || nearest.along == 1.0) return nearest;
  const double head_m = signedDistance(solid, bone.head).distance_m - bone.head_radius_m;
  if (head_m >= 0.0) return nearest;
  const Touch end = touchOfEnd(solid, bone);
  const double deeper_m = nearest.distance_m - head_m;
  if (nearest.along == 0.0 || end.distance_m < deeper_m) return end;
  return {nearest.along, deeper_m, nearest.away};
}

}  // namespace clipmill::bones
