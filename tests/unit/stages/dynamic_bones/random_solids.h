// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>

#include "checks.h"
#include "core/portable_math.h"
#include "random.h"
#include "stages/dynamic_bones/colliders/contact.h"

/// Solids at random and their distances by search, for the tests of contacts.
namespace clipmill::test {

/// The least value of a convex function over 0..1, by golden sections.
template <class Function>
double leastOf(Function&& function, int steps = 60) {
  constexpr double kGolden = 0.6180339887498949;
  double low = 0.0, high = 1.0;
  double a = high - kGolden, b = low + kGolden;
  double at_a = function(a), at_b = function(b);
  for (int i = 0; i < steps; ++i) {
    if (at_a < at_b) {
      high = b;
      b = a;
      at_b = at_a;
      a = high - kGolden * (high - low);
      at_a = function(a);
    } else {
      low = a;
      a = b;
      at_a = at_b;
      b = low + kGolden * (high - low);
      at_b = function(b);
    }
  }
  return std::min({function(0.0), function(1.0), at_a, at_b});
}

/// Signed distance of a point from a solid by another method than the program's: capsules by search
/// over their spheres, boxes by clamping.
inline double searchedDistance(const stages::dynamic_bones::Solid& solid,
                               const stages::dynamic_bones::RigidPose& pose, const Vec3& point,
                               int steps = 60) {
  const Vec3 own = pose.toOwn(point);
  const double sign = solid.inside ? -1.0 : 1.0;
  switch (solid.shape) {
    case stages::dynamic_bones::ColliderShape::kSphere:
      return sign * (glm::length(own - solid.head) - solid.head_radius_m);
    case stages::dynamic_bones::ColliderShape::kCapsule:
      return sign * leastOf(
                        [&](double t) {
                          const Vec3 center = solid.head * (1.0 - t) + solid.tail * t;
                          const double radius =
                              solid.head_radius_m * (1.0 - t) + solid.tail_radius_m * t;
                          return glm::length(own - center) - radius;
                        },
                        steps);
    case stages::dynamic_bones::ColliderShape::kBox: {
      const Vec3 in_box = glm::conjugate(solid.rotation) * (own - solid.head);
      const Vec3 nearest = glm::clamp(in_box, -solid.half_size, solid.half_size);
      if (nearest != in_box) return glm::length(in_box - nearest);
      const Vec3 inset = solid.half_size - glm::abs(in_box);
      return -std::min({inset.x, inset.y, inset.z});
    }
    case stages::dynamic_bones::ColliderShape::kPlane:
      break;
  }
  return glm::dot(own - solid.head, solid.normal);
}

/// A solid of the size of limbs near the origin; some are degenerate.
inline stages::dynamic_bones::Solid randomSolid(Random& random, bool allows_hollow = true) {
  stages::dynamic_bones::Solid solid;
  const stages::dynamic_bones::ColliderShape shapes[] = {
      stages::dynamic_bones::ColliderShape::kSphere, stages::dynamic_bones::ColliderShape::kCapsule,
      stages::dynamic_bones::ColliderShape::kBox, stages::dynamic_bones::ColliderShape::kPlane};
  solid.shape = shapes[random.index(4)];
  solid.head = random.vector(0.2);
  solid.tail = random.isChance(0.05) ? solid.head : random.vector(0.2);
  solid.head_radius_m = random.isChance(0.05) ? 0.0 : random.number(0.005, 0.12);
  solid.tail_radius_m = random.isChance(0.3) ? solid.head_radius_m : random.number(0.0, 0.12);
  solid.half_size = Vec3{random.number(0.002, 0.1), random.number(0.002, 0.1),
                         random.isChance(0.05) ? 0.0 : random.number(0.002, 0.1)};
  solid.rotation = random.rotation();
  solid.normal = random.direction();
  solid.inside = allows_hollow && random.isChance(0.15) &&
                 solid.shape != stages::dynamic_bones::ColliderShape::kBox &&
                 solid.shape != stages::dynamic_bones::ColliderShape::kPlane;
  if (solid.inside) {
    solid.head_radius_m += 0.1;
    solid.tail_radius_m += 0.1;
  }
  return solid;
}

inline stages::dynamic_bones::RigidPose randomPose(Random& random, double size_m = 0.2) {
  return {random.rotation(), random.vector(size_m)};
}

/// The rule of contact.h, from the depth of a bone's head, that of its end, and the largest one.
inline double countedDepth(double head_depth, double end_depth, double max_depth) {
  if (head_depth <= 0.0) return max_depth;
  return max_depth > head_depth ? std::max(end_depth, max_depth - head_depth) : end_depth;
}

/// Depth of the sphere of a bone at `s` of its length.
inline double depthAlong(const stages::dynamic_bones::Solid& solid,
                         const stages::dynamic_bones::RigidPose& pose, const Vec3& head,
                         const Vec3& end, double head_radius_m, double end_radius_m, double s,
                         int steps = 60) {
  const double radius = head_radius_m * (1.0 - s) + end_radius_m * s;
  return radius - searchedDistance(solid, pose, head * (1.0 - s) + end * s, steps);
}

/// Penetration depth of a bone in a solid, from `samples` of its spheres.
inline double sampledPenetration(const stages::dynamic_bones::Solid& solid,
                                 const stages::dynamic_bones::RigidPose& pose, const Vec3& head,
                                 const Vec3& end, double head_radius_m, double end_radius_m,
                                 int samples, int steps = 60) {
  const auto depthAt = [&](double s) {
    return depthAlong(solid, pose, head, end, head_radius_m, end_radius_m, s, steps);
  };
  const double head_depth = depthAt(0.0), end_depth = depthAt(1.0);
  double max_depth = std::max(head_depth, end_depth);
  for (int i = 1; i < samples; ++i) max_depth = std::max(max_depth, depthAt(1.0 * i / samples));
  return countedDepth(head_depth, end_depth, max_depth);
}

/// The same by search: depths of a convex solid have one maximum, those of its inner side are
/// largest at an end.
inline double searchedPenetration(const stages::dynamic_bones::Solid& solid,
                                  const stages::dynamic_bones::RigidPose& pose, const Vec3& head,
                                  const Vec3& end, double head_radius_m, double end_radius_m) {
  const auto depthAt = [&](double s) {
    return depthAlong(solid, pose, head, end, head_radius_m, end_radius_m, s);
  };
  const double head_depth = depthAt(0.0), end_depth = depthAt(1.0);
  double max_depth = std::max(head_depth, end_depth);
  if (!solid.inside) max_depth = -leastOf([&](double s) { return -depthAt(s); });
  return countedDepth(head_depth, end_depth, max_depth);
}

}  // namespace clipmill::test
