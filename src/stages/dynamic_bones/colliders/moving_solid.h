// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "core/math.h"
#include "stages/dynamic_bones/colliders/solid.h"

/// Solids that move during a step. Metric world space, metres.
namespace clipmill::stages::dynamic_bones {

/// An arc of less than 180 degrees is not longer than its chord times this.
inline constexpr double kArcOverChord = 0.5 * kPi;

/// A solid at the start and at the end of a step.
struct MovingSolid {
  const Solid* solid = nullptr;
  RigidPose before, now;
  Vec3 middle{0.0};         ///< Center of a sphere around the solid's motion in the step.
  double reach_m = 0.0;     ///< Its radius; infinite for planes and inner sides.
  double shift_m = 0.0;     ///< How far its origin moves.
  double rotation = 0.0;    ///< Chord of its rotation, at one metre.
  Arc arc;                  ///< Its rotation.
  PosedSolid posed;         ///< The solid at the end of the step.
  PosedSolid posed_before;  ///< The solid at the start of the step.
};

/// Computes all other members from solid, before and now.
void encloseMotion(MovingSolid& moving);

/// The solid's pose at a time of the step, 0 at its start and 1 at its end. The position moves on a
/// line; the rotation has a constant speed. Requires encloseMotion().
RigidPose poseAt(const MovingSolid& solid, double time);

/// Half the least thickness of a solid; infinite for planes and inner sides.
double leastRadius_m(const Solid& solid);

/// A capsule around the motion of a solid in a step: tighter than a sphere, and cheap to test.
struct PathCapsule {
  Vec3 head{0.0};
  Vec3 axis{0.0};               ///< To its other end.
  double inverse_square = 0.0;  ///< 1 / |axis|^2; 0 for a sphere.
  double radius_m = 0.0;        ///< Infinite for planes and inner sides.
  double body_m = 0.0;          ///< The same around the solid at the end of the step alone.

  /// Whether a sphere can overlap it.
  bool mayOverlap(const Vec3& middle, double reach_m) const {
    const double along = glm::dot(middle - head, axis) * inverse_square;
    const Vec3 apart = middle - (head + axis * std::clamp(along, 0.0, 1.0));
    const double within_m = radius_m + reach_m;
    return !(glm::dot(apart, apart) > within_m * within_m);
  }
};
/// Requires encloseMotion().
PathCapsule pathCapsuleOf(const MovingSolid& moving);

}  // namespace clipmill::stages::dynamic_bones
