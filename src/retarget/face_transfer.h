// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "anim/motion.h"
#include "core/warnings.h"
#include "scene/scene.h"

namespace clipmill::retarget {

/// A curve of an expression, one weight a frame.
struct ExpressionCurve {
  std::string name;
  bool is_custom = false;
  std::vector<double> weights;
};

/// The expressions and the gaze of a clip, whatever its file animates for them.
struct FaceMotion {
  std::vector<ExpressionCurve> expressions;  ///< Those that the clip animates.
  std::vector<Vec2> gaze_rad;  ///< Yaw and pitch, one a frame, see Gaze; empty for none.
  bool empty() const { return expressions.empty() && gaze_rad.empty(); }
};

/// The face of `motion`, a sampled clip of `scene`: of VRMA files as they have it; of VRM files
/// from morph weights (by ExpressionSolver; expressions that stay at 0 are left out) and from the
/// rotations of eyes, where the clip has these. Warning morph_not_expressed: morph weights that no
/// expressions give.
FaceMotion faceOf(const Scene& scene, const Motion& motion, Warnings& warnings);

/// What of `face` the character of `target` can show.
struct FaceFit {
  std::vector<bool> expressions;  ///< Of FaceMotion::expressions.
  bool gaze = false;
};
FaceFit faceFit(const FaceMotion& face, const Scene& target);

/// Puts `face` on `result`, a motion of `target`: as morph weights of a VRM character (on nodes
/// whose weights are not modified yet), rotations of its eyes; or as a VRMA file has them. Marks
/// what it sets.
void applyFace(const FaceMotion& face, const Scene& target, Motion& result);

}  // namespace clipmill::retarget
