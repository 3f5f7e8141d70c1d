// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/settings.h"
#include "locomotion/foot_lock.h"

namespace clipmill::stages::edit {

/// The part of a clip that is kept. Times count from the start of the clip.
struct TrimSettings {
  double start_s = 0.0;
  double end_s = -1.0;            ///< Below 0: the end of the clip.
  std::int64_t start_frame = -1;  ///< At the clip's own rate; below 0: start_s counts.
  std::int64_t end_frame = -1;
};

/// Duration, direction and frame rate of a clip.
struct RetimeSettings {
  double time_scale = 1.0;  ///< Of its duration.
  double duration_s = 0.0;  ///< 0: time_scale counts.
  double result_fps = 0.0;  ///< 0: that of the clip.
  bool reverse = false;
};

struct MirrorSettings {
  std::vector<std::string> humanoid_map;  ///< Each "role=joint"; overrides detection.
  std::vector<std::string> pair;          ///< Each "left=right".
};

struct LoopSettings : locomotion::FootLockSettings {
  double window_s = 0.2;   ///< At either end.
  std::string root_joint;  ///< Empty: detected.
};

/// What to do with root motion: remove it, or move it to the root joint.
enum class RootMotionMode { kInPlace, kExtract };

struct RootSettings {
  RootMotionMode root_motion = RootMotionMode::kExtract;
  std::string root_joint;  ///< Empty: detected.
  std::string hips_joint;  ///< kExtract; empty: detected.
  std::vector<std::string> follow;
  double smooth_s = 0.0;
  bool yaw = true;
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
