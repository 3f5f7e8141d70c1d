// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/motion.h"
#include "stages/dynamic_bones/rig.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::bones {

/// What a motion amounts to, over all frames and all simulated points.
struct Measures {
  double penetration_m = 0.0;  ///< Deepest reach of a joint's sphere into a collider; 0 for none.
  double speed_mps = 0.0;      ///< Highest speed between two frames.
};

/// The same for the clip as it was and as it is written.
struct Comparison {
  Measures before;
  Measures after;
  double length_error_m = 0.0;  ///< Largest difference of a bone's length from that of the clip.
};

/// Holds `motion` against `clip`, from which it was made; both have the same frames.
Comparison compareMotions(const Rig& rig, const DynamicBonesSettings& settings,
                          const Affine& metric_from_file, const Motion& clip, const Motion& motion);

}  // namespace clipmill::bones
