// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/settings.h"
#include "stages/feet/foot_lock.h"
#include "stages/stage.h"

namespace clipmill {

/// How the way to the target is spread over the clip. `kRhythm` gives every moment a part in
/// proportion to how far the clip itself moves in it, so that what stands still stays still;
/// `kReference` is the same as published, over the straight lines between frames (SOURCES S1).
enum class StretchMethod { kRhythm, kReference, kSimilarity, kUniform, kMinimumJerk };

/// What becomes of heights: as in the clip, changed in the same rhythm, or by a leap that lasts as
/// long as the same take-off under the same gravity needs to come down at the new height.
enum class HeightPolicy { kKeep, kRamp, kBallistic };

/// Where the figure turns to: nowhere, by an angle, to where the target lies, or with its way.
enum class YawPolicy { kKeep, kMatch, kFaceTarget, kFacePath };

/// What to do with a path that stands still and is to end elsewhere.
enum class StillPolicy { kError, kLinear, kMinimumJerk };

/// Along which axes of the world the path may be changed.
enum class StretchAxes { kBoth, kX, kZ };

/// What to do about the node that carries the way through the world.
enum class RootMotionForm { kKeep, kInPlace, kExtract };

/// Where a path is to end: one of distance_m, to_m and bone; or none of them.
struct TargetSettings {
  std::vector<double> distance_m;  ///< Empty for none; several for a family of outputs.
  double heading_deg = 0.0;
  std::vector<double> to_m;  ///< Empty for none, else 3.
  bool relative = false;
  double rise_m = 0.0;
  std::string bone;
  std::vector<double> bone_at_m;  ///< Empty for none, else 3.
  double at_s = -1.0;             ///< Below 0: the end.
  double turn_deg = 0.0;          ///< For YawPolicy::kMatch.
};

/// A part of the clip with a target of its own. Times count from the begin of the clip.
struct StretchWindow : TargetSettings {
  double begin_s = 0.0;
  double end_s = -1.0;            ///< Below 0: the end of the clip.
  std::int64_t begin_frame = -1;  ///< At the clip's own rate; below 0: begin_s counts.
  std::int64_t end_frame = -1;
};

struct StretchSettings : TargetSettings, FootLockSettings {
  std::int64_t ring_count = 0;
  StretchMethod method = StretchMethod::kRhythm;
  std::int64_t dimensions = 3;  ///< kReference: 2 leaves heights alone.
  double similarity = -1.0;     ///< kRhythm; below 0: chosen by the path.
  StretchAxes axes = StretchAxes::kBoth;
  HeightPolicy height = HeightPolicy::kKeep;
  YawPolicy yaw = YawPolicy::kKeep;
  double turn_limit_degps = 360.0;  ///< 0 for none.
  StillPolicy still = StillPolicy::kError;
  double still_m = 0.0;  ///< 0: by the figure's height.
  double ease_s = 0.1;
  double speed_cap = 0.0;  ///< 0 for none.
  bool extend_time = false;
  double air_begin_s = -1.0;  ///< Below 0: found.
  double air_end_s = -1.0;
  std::string root;
  std::vector<std::string> follow;
  RootMotionForm root_motion = RootMotionForm::kKeep;
  std::string root_from;
  double root_smooth_s = 0.0;
  bool root_yaw = true;
  std::vector<StretchWindow> window;
};

/// Names, units, bounds and meaning of all settings.
const SettingsTable& stretchTable();

/// One variant for every distance and every direction of the ring, labelled "3m" or "3m_045deg"
/// (degrees to the left of the clip's own way); none where the settings mean one output.
std::vector<StageVariant> stretchVariants(const StretchSettings& settings);

}  // namespace clipmill
