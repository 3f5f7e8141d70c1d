// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/settings.h"
#include "locomotion/foot_lock.h"

namespace clipmill::stages::edit {

/// The part of a clip that is kept. Times count from the start of the clip.
struct TrimSettings {
  double start_s = 0.0;
  std::optional<double> end_s;              ///< Unset: the end of the clip.
  std::optional<std::int64_t> start_frame;  ///< At the clip's own rate; unset: start_s counts.
  std::optional<std::int64_t> end_frame;    ///< Unset: end_s counts.
};

/// Duration, direction and frame rate of a clip.
struct RetimeSettings {
  double time_scale = 1.0;           ///< Of its duration.
  std::optional<double> duration_s;  ///< Unset: time_scale counts.
  std::optional<double> result_fps;  ///< Unset: that of the clip.
  bool reverse = false;
};

struct MirrorSettings {
  std::vector<std::string> humanoid_map;  ///< Each "role=joint"; overrides detection.
  std::vector<std::string> pair;          ///< Each "left=right".
};

struct LoopSettings : locomotion::FootLockSettings {
  double window_s = 0.2;                  ///< At either end.
  std::optional<std::string> root_joint;  ///< Unset: detected.
};

/// What to do with root motion: remove it, or move it to the root joint.
enum class RootMotionMode { kInPlace, kExtract };

/// Joints for inverse kinematics that follow hands and feet.
enum class IkBones { kNone, kUnreal };

struct RootSettings {
  RootMotionMode root_motion = RootMotionMode::kExtract;
  bool create = false;  ///< Insert a root joint above the hips; `root_joint` is then its name.
  std::optional<std::string> root_joint;  ///< Unset: detected.
  std::optional<std::string> hips_joint;  ///< kExtract; unset: detected.
  std::vector<std::string> follow;
  double smooth_s = 0.0;
  bool yaw = true;
  IkBones ik_bones = IkBones::kNone;
};

struct RenameSettings {
  std::string to;  ///< {} is replaced by the current name.
};

const SettingsTable& trimTable();
const SettingsTable& retimeTable();
const SettingsTable& mirrorTable();
const SettingsTable& loopTable();
const SettingsTable& rootTable();
const SettingsTable& renameTable();

}  // namespace clipmill::stages::edit
