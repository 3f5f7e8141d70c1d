// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "anim/motion.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/settings.h"

/// Closes the seam of cycles.
namespace clipmill::stages::dynamic_bones {

/// The expected number of cycles until the damping reduces the influence of the start below
/// loop_tolerance_deg: by exp(-decay T) in each cycle of duration T. 0 without damping.
int predictCycles(double decay_per_s, const DynamicBonesSettings& settings, double cycle_s);

/// The slowest decay of the springs of a rig [1/s].
double slowestDecay_per_s(const Rig& rig, const DynamicBonesSettings& settings);

/// The largest difference of a joint's rotation, relative to `clip`, between the end and the start
/// of a baked cycle [degrees].
double seamOf_deg(const Rig& rig, const Motion& clip, const Motion& motion);

/// The angular velocity of each joint relative to `clip` from the first frame to the second
/// [degrees/s]. Its difference between two cycles is the jump of velocity at the seam.
std::vector<Vec3> startVelocities_degps(const Rig& rig, const Motion& clip, const Motion& motion);

/// Distributes the seam error over the cycle, so that its last frame equals the first one. Every
/// rotation receives a share of the error that grows from 0 to 1 along 3 s^2 - 2 s^3, so that the
/// velocities at both ends do not change.
void closeSeam(const Rig& rig, const Motion& clip, Motion& motion);

}  // namespace clipmill::stages::dynamic_bones
