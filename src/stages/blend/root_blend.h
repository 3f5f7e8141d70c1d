// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "core/result.h"
#include "core/warnings.h"
#include "locomotion/ground_track.h"
#include "stages/blend/plan.h"

namespace clipmill::stages::blend {

/// A clip of the character, at its own frames and at those of the plan.
struct Part {
  const Motion* clip = nullptr;
  Motion played;
};

/// How the parts are aligned on the ground.
struct RootBlend {
  int root_joint = -1;  ///< The root-motion joint; -1 where the file has no node to move.
  std::vector<locomotion::GroundPosition> path;  ///< Of the character, one a frame of the plan.
  double rotation_rad = 0.0;  ///< Rotation of the last part relative to its clip, at the end.
  double shift_m = 0.0;       ///< How far it is shifted.
};

/// The node whose mask decides about root motion: `root`, or where that is empty the topmost
/// root-motion joint of any of the clips, else the node above the character. -1 for a scene without
/// nodes. Errors: those of findOneNode().
Result<int> findRootMotionJoint(const Scene& scene, std::span<const Part> parts,
                                const std::string& root);

/// Moves all parts to one root trajectory: it starts as the first, and adds the weighted mean of
/// their steps, each relative to its own character. Where one part has all the weight its own steps
/// are kept, so that it is only rotated and shifted as a whole. The parts other than the first
/// weigh `factor` times their planned weight.
RootBlend alignParts(const Scene& scene, const BlendPlan& plan, int root_joint, double factor,
                     std::vector<Part>& parts, Warnings& warnings);

}  // namespace clipmill::stages::blend
