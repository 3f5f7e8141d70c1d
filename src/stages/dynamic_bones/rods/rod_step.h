// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "stages/dynamic_bones/rods/rod_body.h"

/// One implicit time step of a tree of rods.
///
/// Time: the generalized-alpha method for constrained systems (Arnold and Bruels 2007), all forces
/// at the new time. Accelerations and velocities are affine in the new positions, so that a step is
/// a nonlinear equilibrium; it is unconditionally stable and of second order. Joint damping takes
/// the strain rate by the second backward difference.
///
/// Solution: Newton's method on the rotations of the joints. A linear system is solved by
/// elimination from the tips to the root and substitution back, O(n) (the articulated-body method,
/// Featherstone 1983, for stiff joints; Hadap 2006; Deul et al. 2018). The Hessian has the inertia,
/// the stiffness and the damping, of the loads' geometric stiffness only tension: it is positive
/// definite, and at these steps inertia is a thousand times larger than what is left out.
namespace clipmill::stages::dynamic_bones {

/// Coefficients of the time integration for one length of step.
struct RodTime {
  double step_s = 0.0;
  double beta = 0.0, gamma = 0.0, alpha_m = 0.0, alpha_f = 0.0;
  double acceleration_per_m = 0.0, velocity_per_m = 0.0;  ///< By the new position.
};
RodTime makeRodTime(double step_s);

/// Advances `tree`, whose clamped joint is at `head_m` in the axes `world_from_parent`, to the new
/// time: RodBone::next and RodJoint::next_strain, orientations. Returns false where Newton's method
/// did not converge; the best state is then kept.
bool solveRodStep(RodSystem& system, RodTree& tree, const RodTime& time, const Vec3& head_m,
                  const Quat& world_from_parent);

/// Orients all joints of a tree by the positions in RodBone::next; sets strains, without forces.
void orientRods(RodSystem& system, RodTree& tree, const Vec3& head_m,
                const Quat& world_from_parent);

/// Puts a tree into the target pose: positions (RodBone::next), axes and zero strain.
void poseRods(RodSystem& system, RodTree& tree, const Vec3& head_m, const Quat& world_from_parent);

}  // namespace clipmill::stages::dynamic_bones
