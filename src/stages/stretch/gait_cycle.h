// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/motion.h"
#include "core/result.h"
#include "humanoid/humanoid.h"
#include "scene/scene.h"

namespace clipmill::stages::stretch {

/// A part of a clip that is one cycle of steps: the pose at its end is about that at its start, and
/// the character goes on moving.
struct GaitCycle {
  double start_s = 0.0;
  double end_s = 0.0;
  /// How much the poses at both ends differ: root mean square over feet, knees, hands and head,
  /// relative to the hips, of their distance, and of 0.1 s times the difference of their
  /// velocities; as a fraction of the leg length.
  double mismatch = 0.0;

  double length_s() const { return end_s - start_s; }
};

/// The cycle of 0.4 to 2.5 s with the least mismatch; of nearly equal ones the shortest. Within it
/// the hips travel by at least a quarter of the leg length and never nearly stop, and each foot is
/// planted for a part of the time and in the air for another.
/// Error, kRecipe: the character has no legs, its feet have no contacts, or no part is a cycle.
Result<GaitCycle> findGaitCycle(const Scene& scene, const humanoid::HumanoidMap& map,
                                const Motion& motion);

}  // namespace clipmill::stages::stretch
