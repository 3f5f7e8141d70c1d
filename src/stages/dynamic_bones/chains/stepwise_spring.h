// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

/// Converts the springs of engines, whose values are shares per frame, to units of time.
namespace clipmill::stages::dynamic_bones {

/// A point that is pulled to its target t by the step
///   x+ = t + (1 - relaxation) (x + (1 - drag) (x - x-) + push - t),
/// to which VRM, DynamicBone, KawaiiPhysics and similar engines reduce for small angles.
struct StepwiseSpring {
  double drag = 0.0;        ///< Share of the speed that a step removes, 0..1.
  double relaxation = 0.0;  ///< Share of the displacement that a step removes, 0..1.
  double rate_hz = 60.0;    ///< Step rate at which the two were tuned.
};

/// The equation of spring_step.h whose solution passes through the steps above.
struct EquivalentSpring {
  double frequency_hz = 0.0;  ///< Of the bone itself.
  double damping_ratio = 0.0;
  double air_drag_per_s = 0.0;
  double acceleration_mps2 = 0.0;  ///< With the effect of a push of 1 m per step.
};

/// Matches the two roots of the step's characteristic polynomial to those of the equation, so that
/// with a target at rest every step is on the solution, to rounding. Also matches the equilibrium
/// under a constant push, and the lag behind a target in steady motion: air drag supplies the
/// damping that this lag needs, and the rest of the damping is relative to the pose. Shares are
/// clamped to 1 - 1e-4, because a point that keeps no motion has no equation.
EquivalentSpring equivalentSpring(const StepwiseSpring& spring);

}  // namespace clipmill::stages::dynamic_bones
