// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/motion.h"
#include "stages/dynamic_bones/rig.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::bones {

/// What the written keys amount to, over all frames and all simulated points.
struct Measures {
  double length_error_m = 0.0;  ///< Largest difference of a bone's length from that of the clip.
  double penetration_m = 0.0;   ///< Deepest reach of a joint's sphere into a collider; 0 for none.
  double speed_mps = 0.0;       ///< Highest speed between two frames.
};

/// Measures of `motion`; bone lengths are held against `clip`. Both have the same frames.
Measures measureMotion(const Rig& rig, const DynamicBonesSettings& settings,
                       const Affine& metric_from_file, const Motion& clip, const Motion& motion);

}  // namespace clipmill::bones
