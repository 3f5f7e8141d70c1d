// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "core/result.h"
#include "core/warnings.h"
#include "scene/ground_track.h"
#include "stages/blend/plan.h"

namespace clipmill::blend {

/// A clip of the figure, at its own frames and at those of the plan.
struct Part {
  const Motion* clip = nullptr;
  Motion played;
};

/// How the figure was brought together on the ground.
struct RootBlend {
  int carrier = -1;  ///< The node that carries all parts; -1 where the file has no node to move.
  std::vector<GroundPlace> way;  ///< Of the figure, one a frame of the plan.
  double turn_rad = 0.0;         ///< How the last part is turned against its clip, at the end.
  double shift_m = 0.0;          ///< How far it is shifted.
};

/// The node whose mask decides about root motion: `root`, or where that is empty the topmost node
/// with the way of any of the clips, else the node above the figure. -1 for a scene without nodes.
/// Errors: those of findOneNode().
Result<int> findCarrier(const Scene& scene, std::span<const Part> parts, const std::string& root);

/// Carries all parts to one way over the ground: it begins as the first, and goes on with the
/// weighted mean of their steps, as each figure itself sees them. Where one part has all the weight
/// its own steps are kept, so that at most a turn and a shift as a whole are added to it. The parts
/// other than the first weigh `factor` times what the plan says.
RootBlend alignParts(const Scene& scene, const BlendPlan& plan, int carrier, double factor,
                     std::vector<Part>& parts, Warnings& warnings);

}  // namespace clipmill::blend
