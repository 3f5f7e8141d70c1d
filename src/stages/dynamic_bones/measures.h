// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "anim/motion.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::bones {

/// What a motion amounts to, over all frames and all simulated points.
struct Measures {
  double penetration_m = 0.0;     ///< Deepest reach of a bone into a solid; 0 for none.
  double limit_excess_rad = 0.0;  ///< Largest turn of a bone beyond its limit.
  double speed_mps = 0.0;         ///< Highest speed between two frames.
};

/// What one chain does, frame by frame.
struct ChainCurves {
  std::vector<double> tip_speed_mps;   ///< Of the fastest end of the chain, on the way to the
                                       ///< frame; the first frame repeats the second.
  std::vector<double> rest_angle_deg;  ///< Largest angle of a bone away from its rest pose.
  std::vector<double> penetration_mm;  ///< Deepest reach into a collider; empty
                                       ///< without colliders.
};

/// The same for the clip as it was and as it is written.
struct Comparison {
  Measures before;
  Measures after;
  bool has_limits = false;
  bool has_stretches = false;
  double length_error_m = 0.0;  ///< Largest difference of a bone's length from that of the clip.
  std::vector<ChainCurves> curves_before;  ///< One a chain setting.
  std::vector<ChainCurves> curves_after;
};

/// What is kept of a clip to hold a motion against it.
struct ClipMeasures {
  Measures measures;
  std::vector<ChainCurves> curves;  ///< One a chain setting.
  std::vector<double> lengths_m;    ///< Of the bones, frame by frame.
  std::vector<Quat> rotations;      ///< Of the joints, local; frames x joints. Empty
                                    ///< without limits.
};

/// Bones at whose far end no other bone of the rig begins, ascending.
std::vector<std::size_t> tipsOf(const Rig& rig);

/// Goes through a clip as it is before it is simulated.
ClipMeasures measureClip(const Rig& rig, const DynamicBonesSettings& settings,
                         const Skeleton& skeleton, const Affine& metric_from_file,
                         const Motion& clip);

/// Holds `motion` against the clip from which it was made; both have the same
/// frames.
Comparison compareWithClip(const Rig& rig, const DynamicBonesSettings& settings,
                           const Skeleton& skeleton, const Affine& metric_from_file,
                           ClipMeasures clip, const Motion& motion);

}  // namespace clipmill::bones
