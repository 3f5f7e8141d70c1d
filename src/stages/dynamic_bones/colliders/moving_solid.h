// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "core/math.h"
#include "stages/dynamic_bones/colliders/solid.h"

/// Solids that move during a step. Metric world space, metres.
namespace clipmill::bones {

/// An arc of less than half a turn is no longer than its chord times this.
inline constexpr double kArcOverChord = 0.5 * kPi;

/// A solid at the begin and at the end of a step.
struct MovingSolid {
  const Solid* solid = nullptr;
  Place before, now;
  Vec3 middle{0.0};                   ///< Of a sphere around the solid's way through the step.
  double reach_m = 0.0;               ///< Its radius; infinite for planes and inner sides.
  double shift_m = 0.0;               ///< How far its place moves.
  double turn = 0.0;                  ///< Chord of its turn, at one metre.
  Arc arc;                            ///< Its turn.
  PlacedSolid placed, placed_before;  ///< The solid at the end of the step, and at its begin.
};

/// Sets all else from solid, before and now.
void encloseWay(MovingSolid& moving);

/// The solid's place at a time of the step, 0 at its begin and 1 at its end: positions on a line,
/// turns at constant speed. Of a solid whose way was enclosed.
Place placeAt(const MovingSolid& solid, double time);

/// Half the least thickness of a solid; infinite for planes and inner sides.
double leastRadius_m(const Solid& solid);

/// A capsule around the way of a solid through a step: closer than a sphere, and quick to test.
struct WayCapsule {
  Vec3 head{0.0};
  Vec3 axis{0.0};               ///< To its other end.
  double inverse_square = 0.0;  ///< 1 / |axis|^2; 0 for a sphere.
  double radius_m = 0.0;        ///< Infinite for planes and inner sides.
  double body_m = 0.0;          ///< The same around the solid at the end of the step alone.

  /// Whether a sphere may reach into it.
  bool mayTouch(const Vec3& middle, double reach_m) const {
    const double along = glm::dot(middle - head, axis) * inverse_square;
    const Vec3 apart = middle - (head + axis * std::clamp(along, 0.0, 1.0));
    const double within_m = radius_m + reach_m;
    return !(glm::dot(apart, apart) > within_m * within_m);
  }
};
/// Of a solid whose way was enclosed.
WayCapsule wayCapsuleOf(const MovingSolid& moving);

}  // namespace clipmill::bones
