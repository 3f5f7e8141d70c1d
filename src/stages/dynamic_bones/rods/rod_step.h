// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "stages/dynamic_bones/rods/rod_body.h"

/// One implicit time step of rods.
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
///
/// The trees of a batch are solved at once, one a lane, with operations that have a unique rounding
/// by IEEE 754: neither the processor nor the other trees of the batch change a result.
namespace clipmill::stages::dynamic_bones {

/// Coefficients of the time integration for one length of step.
struct RodTime {
  double step_s = 0.0;
  double beta = 0.0, gamma = 0.0, alpha_m = 0.0, alpha_f = 0.0;
  double acceleration_per_m = 0.0, velocity_per_m = 0.0;  ///< By the new position.
};
RodTime makeRodTime(double step_s);

/// Advances all trees to the new time. RodBatch::next_head has the positions of the clamped joints
/// and `world_from_base` their axes. Sets `next`, `next_strain`, orientations. Returns how many
/// trees Newton's method did not converge for; of these the best state is kept.
std::size_t solveRodStep(RodBatch& batch, const RodTime& time);

/// Solves the same step again for the trees of RodBatch::open_lanes, from the last solution, with
/// stiff springs at the points that are held (RodBatch::holds).
std::size_t solveHeldRodStep(RodBatch& batch, const RodTime& time);

/// Sets the velocities of `next` after the last solveHeldRodStep(): what the holds change is an
/// impulse, which changes the velocity of an end by its shift over the step and no acceleration
/// (the nonsmooth generalized-alpha method, Bruels, Acary and Cardona 2014). A point at a solid
/// moves with it along the normal unless it leaves it; across, Coulomb's friction slows it.
void applyHoldImpulses(RodBatch& batch, const RodTime& time);

/// Rotates bones out of the planes that hold them, from the roots to the tips, by the least angles:
/// the points of RodBatch::next afterwards are outside where one bone alone can bring them there.
/// No velocity changes.
void rotateRodsOut(RodBatch& batch);

/// Orients the joints of the trees in `lanes` (bit k: lane k) by the positions in RodBatch::next;
/// sets strains, without forces.
constexpr std::uint32_t kAllLanes = (1U << kLaneBlock) - 1;
void orientRods(RodBatch& batch, std::uint32_t lanes);

/// Puts the trees into the target pose: positions (RodBatch::next), axes and zero strain.
void poseRods(RodBatch& batch);

}  // namespace clipmill::stages::dynamic_bones
