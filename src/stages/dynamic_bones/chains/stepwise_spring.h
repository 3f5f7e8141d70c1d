// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

/// How the springs of engines, which move a point by shares in every frame, read in units of time.
namespace clipmill::bones {

/// A point drawn to its target t by the step
///   x+ = t + (1 - relaxation) (x + (1 - drag) (x - x-) + push - t),
/// which is what VRM, DynamicBone, KawaiiPhysics and their kin come to for small turns.
struct StepwiseSpring {
  double drag = 0.0;        ///< Share of the speed lost in a step, 0..1.
  double relaxation = 0.0;  ///< Share of the displacement taken back in a step, 0..1.
  double rate_hz = 60.0;    ///< Steps a second for which the two are meant.
};

/// The equation of spring_step.h whose solution passes through the steps above.
struct EquivalentSpring {
  double frequency_hz = 0.0;  ///< Of the bone itself.
  double damping_ratio = 0.0;
  double air_drag_per_s = 0.0;
  double acceleration_mps2 = 0.0;  ///< That rests, or falls, where a push of 1 m a step does.
};

/// Matches the two roots of the step's characteristic polynomial to those of the equation, so that
/// towards a target at rest every step is on the solution, to rounding; and the place where a push
/// and a target in steady motion leave the point. Of the damping, as much is drag in still air as
/// that lag needs, and the rest is relative to the pose. Shares above 1 - 1e-4 are taken for that:
/// a point that keeps nothing has no equation.
EquivalentSpring equivalentSpring(const StepwiseSpring& spring);

}  // namespace clipmill::bones
