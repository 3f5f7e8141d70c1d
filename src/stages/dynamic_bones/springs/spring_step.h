// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math.h"

/// One time step of a damped spring whose target moves. The point x obeys
///   x'' = -c_s (x' - p') - c_a x' - w^2 (x - t) + a
/// with t its target, w = 2 pi frequency, c_s = 2 damping_ratio w (damps the motion relative to a
/// pose that moves at p') and c_a the air drag (damps the motion in space); a and p' are frozen
/// over the step. The formulas come from the characteristic roots of that equation; a step is exact
/// for constant forces and for a target and a pose at rest or in the same steady motion, at any
/// size of step, and of second order else.
namespace clipmill::stages::dynamic_bones {

/// Constants of a bone's spring and drag for a time step of a fixed length.
struct SpringStep {
  double kept = 1.0;             ///< e: share of the velocity that stays.
  double pulled = 0.0;           ///< S: share of the displacement that the spring takes back.
  double force_s2 = 0.0;         ///< G: displacement by a unit of constant acceleration.
  double first_force_s2 = 0.0;   ///< The same in the first step, from a given velocity.
  double target_share = 1.0;     ///< G over what it were without the spring.
  double first_s = 0.0;          ///< Distance a unit of initial velocity carries.
  double pose_drag_per_s = 0.0;  ///< c_s
};

/// Constants of one step, from the exact solution of the equation above. Any frequency, damping and
/// drag from 0 up, underdamped, critical or overdamped; 0 for all is free fall.
SpringStep makeSpringStep(double frequency_hz, double damping_ratio, double air_drag_per_s,
                          double step_s);

/// Displacement from the target after a step: y + e (y - y_before) - S y + G (a + c_s p') - (G /
/// G_0) (t_move - e t_move_before). `offset`, `offset_before`: displacement from the target now and
/// a step before; `target_move`, `target_move_before`: how the target moves in this step and moved
/// in the last; `pose_velocity`: p' now. Metres, m/s, m/s^2.
Vec3 springStep(const SpringStep& step, const Vec3& offset, const Vec3& offset_before,
                const Vec3& target_move, const Vec3& target_move_before, const Vec3& pose_velocity,
                const Vec3& acceleration);

/// The first step, of a point that is at its target and has the pose's velocity.
Vec3 firstSpringStep(const SpringStep& step, const Vec3& target_move, const Vec3& pose_velocity,
                     const Vec3& acceleration);

/// `point` moved along the old direction of its bone until it is `length_m` from `head_m` (SHAKE;
/// of second order, where moving it along the new direction brakes the swing). Along the new
/// direction where that cannot be. `old_bone` need not be of unit length.
Vec3 projectOnLength(const Vec3& head_m, const Vec3& point, const Vec3& old_bone, double length_m);

/// Share of a rotation that is applied in a step, where `share` is that of 1/60 s.
double smoothingOver(double share, double step_s);

}  // namespace clipmill::stages::dynamic_bones
