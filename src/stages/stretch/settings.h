// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/settings.h"
#include "locomotion/foot_lock.h"
#include "stages/stage.h"

namespace clipmill::stages::stretch {

/// How the extra distance is distributed over the clip. `kProportional` adds it in proportion to
/// the root speed of the clip, so that holds stay holds. `kReference` is the same as published,
/// over straight lines between frames (docs/methods.md, stretch).
enum class StretchMethod { kProportional, kReference, kSimilarity, kUniform, kMinimumJerk };

/// Heights: as in the clip, changed like the distance, or by a flight that lasts as long as the
/// same take-off under the same gravity needs to land at the new height.
enum class HeightPolicy { kKeep, kRamp, kBallistic };

/// Added yaw: none, by an angle, towards the target, or along the path.
enum class YawPolicy { kKeep, kMatch, kFaceTarget, kFacePath };

/// What to do with a root that does not move and has a target elsewhere.
enum class StillPolicy { kError, kLinear, kMinimumJerk };

/// Along which axes of the world the path may be changed.
enum class StretchAxes { kBoth, kX, kZ };

/// What to do with root motion.
enum class RootMotionMode { kKeep, kInPlace, kExtract };

/// Where a path is to end: one of distance_m, to_m and bone; or none of them.
struct TargetSettings {
  std::vector<double> distance_m;  ///< Empty for none; several for a family of outputs.
  double heading_deg = 0.0;
  std::vector<double> to_m;  ///< Empty for none, else 3.
  bool relative = false;
  double rise_m = 0.0;
  std::string bone;
  std::vector<double> bone_at_m;  ///< Empty for none, else 3.
  std::optional<double> at_s;     ///< Unset: the end.
  double yaw_deg = 0.0;           ///< For YawPolicy::kMatch.
};

/// A part of the clip with a target of its own. Times count from the start of the clip.
struct StretchWindow : TargetSettings {
  double start_s = 0.0;
  std::optional<double> end_s;              ///< Unset: the end of the clip.
  std::optional<std::int64_t> start_frame;  ///< At the clip's own rate; unset: start_s counts.
  std::optional<std::int64_t> end_frame;    ///< Unset: end_s counts.
};

struct StretchSettings : TargetSettings, locomotion::FootLockSettings {
  std::int64_t ring_count = 0;
  StretchMethod method = StretchMethod::kProportional;
  std::int64_t dimensions = 3;       ///< kReference: 2 leaves heights alone.
  std::optional<double> similarity;  ///< kProportional; unset: chosen by the path.
  StretchAxes axes = StretchAxes::kBoth;
  HeightPolicy height = HeightPolicy::kKeep;
  YawPolicy yaw = YawPolicy::kKeep;
  double max_yaw_degps = 360.0;  ///< 0: no limit.
  StillPolicy still = StillPolicy::kError;
  std::optional<double> still_m;  ///< Unset: by the character's height.
  double ease_s = 0.1;
  std::optional<double> max_speed_ratio;  ///< Unset: no limit.
  bool extend_time = false;
  bool add_steps = false;
  std::optional<double> air_start_s;  ///< Unset: found.
  std::optional<double> air_end_s;
  std::optional<std::string> root_joint;  ///< Unset: detected.
  std::vector<std::string> follow;
  RootMotionMode root_motion = RootMotionMode::kKeep;
  std::optional<std::string> hips_joint;  ///< kExtract; unset: detected.
  double root_smooth_s = 0.0;
  bool root_yaw = true;
  std::vector<StretchWindow> window;
};

/// Names, units, bounds and meaning of all settings.
const SettingsTable& stretchTable();

/// One variant for every distance and every direction of the ring, labelled "3m" or "3m_045deg"
/// (degrees to the left of the direction of the clip); none where the settings mean one output.
std::vector<StageVariant> stretchVariants(const StretchSettings& settings);

}  // namespace clipmill::stages::stretch
