// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/colliders/bone_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace clipmill::stages::dynamic_bones {
namespace {

// The search for a box's nearest sphere stops when its distance can fall by less than this.
constexpr double kBoxGain_m = 1e-11;
constexpr int kMaxBoxSteps = 60;
// Two axes whose angle has a sine below the root of this count as parallel.
constexpr double kParallel = 1e-12;

void keepNearer(const BoneDistance& other, BoneDistance& nearest) {
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
  const double remainder = 1.0 - (alpha * bone.growth_m - beta * capsule.growth_m);
  if (!(remainder > 0.0)) return std::nullopt;
  const Vec3 across = glm::cross(u, v);
  const double triple = glm::dot(apart, across);
  const double axes_apart_m = std::abs(triple) / std::sqrt(remainder * square);
  const double e1 = axes_apart_m * bone.growth_m - glm::dot(apart, u);
  const double e2 = -axes_apart_m * capsule.growth_m - glm::dot(apart, v);
  const double sign = triple < 0.0 ? -1.0 : 1.0;
  return Stationary{(e1 * vv - e2 * uv) / square, (e1 * uv - e2 * uu) / square, axes_apart_m,
                    u * alpha + v * beta + across * (sign * std::sqrt(remainder / square))};
}

// The distance is convex over both axes. Its minimum is the stationary point, or an end beyond
// which that point lies, or any end if there is no stationary point.
BoneDistance capsuleDistance(const Taper& capsule, const BoneShape& bone) {
  const Taper taper = bone.taper();
  const std::optional<Stationary> inner = stationaryOf(taper, capsule);
  const double s = inner ? inner->bone_along : 0.0, t = inner ? inner->capsule_along : 0.0;
  if (inner && s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0) {
    return {s, inner->axes_apart_m - bone.radiusAt(s) - capsule.radiusAt(t), inner->away};
  }
  BoneDistance nearest;
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
// Collision Detection, 5.1.9). Empty if the segments intersect.
std::optional<BoneDistance> evenCapsuleDistance(const Taper& capsule, const BoneShape& bone) {
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
  return BoneDistance{s, distance_m - radii_m, between / distance_m};
}

BoneDistance sphereDistance(const Taper& sphere, const BoneShape& bone) {
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
  BoxLine(const PosedSolid& box, const BoneShape& bone)
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

// The least sample of a convex function whose slope is negative at `low` and positive at `high`:
// secant steps on the slope, with bisection where these converge slowly.
BoxSample leastBetween(const BoxLine& line, BoxSample low, BoxSample high) {
  BoxSample best = low.distance_m < high.distance_m ? low : high;
  for (int step = 0; step < kMaxBoxSteps; ++step) {
    // The function is nowhere below the intersection of the tangents at both ends.
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

BoneDistance boneBoxDistance(const PosedSolid& box, const BoneShape& bone) {
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

BoneDistance surfaceDistance(const PosedSolid& solid, const BoneShape& bone) {
  if (solid.shape == ColliderShape::kBox) return boneBoxDistance(solid, bone);
  if (solid.shape == ColliderShape::kPlane || solid.inside) {
    // Both are least at an end: the distance is concave along the bone.
    const BoneDistance end = endDistance(solid, bone);
    const SignedDistance at_head = signedDistance(solid, bone.head);
    const double head_m = at_head.distance_m - bone.head_radius_m;
    return head_m < end.distance_m ? BoneDistance{0.0, head_m, at_head.away} : end;
  }
  if (bone.head_radius_m == bone.end_radius_m && solid.taper.growth_m == 0.0) {
    if (const auto even = evenCapsuleDistance(solid.taper, bone)) return *even;
  }
  if (solid.taper.length_m > 0.0) return capsuleDistance(solid.taper, bone);
  const bool is_sphere = solid.shape == ColliderShape::kSphere || solid.taper.growth_m == 0.0;
  return is_sphere ? sphereDistance(solid.taper, bone) : capsuleDistance(solid.taper, bone);
}

}  // namespace

BoneShape BoneShape::pointing(const Vec3& direction) const {
  BoneShape rotated = *this;
  rotated.end = head + direction * length_m;
  return rotated;
}

Vec3 BoneShape::direction() const {
  const Vec3 bone = end - head;
  const double length = glm::length(bone);
  return length > 0.0 ? bone / length : Vec3(0, 1, 0);
}

BoneDistance endDistance(const PosedSolid& solid, const BoneShape& bone) {
  const SignedDistance at_end = signedDistance(solid, bone.end);
  return {1.0, at_end.distance_m - bone.end_radius_m, at_end.away};
}

double depthBound_m(const PosedSolid& solid, const BoneShape& bone) {
  return -surfaceDistance(solid, bone).distance_m;
}

BoneDistance boneDistance(const PosedSolid& solid, const BoneShape& bone) {
  const BoneDistance nearest = surfaceDistance(solid, bone);
  if (nearest.distance_m >= 0.0 || nearest.along == 1.0) return nearest;
  const double head_m = signedDistance(solid, bone.head).distance_m - bone.head_radius_m;
  if (head_m >= 0.0) return nearest;
  const BoneDistance end = endDistance(solid, bone);
  const double relative_m = nearest.distance_m - head_m;
  if (nearest.along == 0.0 || end.distance_m < relative_m) return end;
  return {nearest.along, relative_m, nearest.away};
}

}  // namespace clipmill::stages::dynamic_bones
