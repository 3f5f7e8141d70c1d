// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "anim/motion.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::stages::dynamic_bones {

/// Maxima of a motion over all frames and all simulated points.
struct Measures {
  double penetration_m = 0.0;     ///< Of a bone into a solid; 0 = no penetration.
  double limit_excess_rad = 0.0;  ///< Largest angle of a bone beyond its limit.
  double speed_mps = 0.0;         ///< Highest speed between two frames.
};

/// Measures of one chain, frame by frame.
struct ChainCurves {
  std::vector<double> tip_speed_mps;   ///< Of the fastest end of the chain since the frame
                                       ///< before; the first frame repeats the second.
  std::vector<double> rest_angle_deg;  ///< Largest angle of a bone away from its rest pose.
  std::vector<double> penetration_mm;  ///< Largest depth in a collider; empty
                                       ///< without colliders.
};

/// Measures of the clip before and after the simulation.
struct Comparison {
  Measures before;
  Measures after;
  bool has_limits = false;
  bool has_stretches = false;
  double length_error_m = 0.0;  ///< Largest difference of a bone's length from that of the clip.
  std::vector<ChainCurves> curves_before;  ///< One per chain setting.
  std::vector<ChainCurves> curves_after;
};

/// The data of a clip that compareWithClip needs.
struct ClipMeasures {
  Measures measures;
  std::vector<ChainCurves> curves;  ///< One per chain setting.
  /// Of the bones; frames whose lengths differ by rounding alone have one list.
  std::vector<std::vector<double>> lengths_m;
  std::vector<std::size_t> lengths_of_frame;  ///< Index of the list.
  std::vector<Quat> rotations;                ///< Of the joints, local; frames x joints. Empty
                                              ///< without limits.
};

/// Bones that end where no other bone of the rig starts, ascending.
std::vector<std::size_t> tipsOf(const Rig& rig);

/// Measures a clip before it is simulated.
ClipMeasures measureClip(const Rig& rig, const DynamicBonesSettings& settings,
                         const Skeleton& skeleton, const Affine& metric_from_file,
                         const Motion& clip);

/// Compares `motion` with the clip from which it was made; both have the same frames.
Comparison compareWithClip(const Rig& rig, const DynamicBonesSettings& settings,
                           const Skeleton& skeleton, const Affine& metric_from_file,
                           ClipMeasures clip, const Motion& motion);

}  // namespace clipmill::stages::dynamic_bones
