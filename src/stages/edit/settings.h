// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/settings.h"
#include "stages/feet/foot_lock.h"

namespace clipmill {

/// The part of a clip that is kept. Times count from the begin of the clip.
struct TrimSettings {
  double begin_s = 0.0;
  double end_s = -1.0;            ///< Below 0: the end of the clip.
  std::int64_t begin_frame = -1;  ///< At the clip's own rate; below 0: begin_s counts.
  std::int64_t end_frame = -1;
};

/// How fast a clip goes, and at which frames it is looked at.
struct RetimeSettings {
  double time_scale = 1.0;  ///< Of its duration.
  double duration_s = 0.0;  ///< 0: time_scale counts.
  double rate_hz = 0.0;     ///< 0: that of the clip.
  bool reverse = false;
};

struct MirrorSettings {
  std::vector<std::string> humanoid;  ///< Each "role=node", over what is found.
  std::vector<std::string> pair;      ///< Each "left=right".
};

struct LoopSettings : FootLockSettings {
  double window_s = 0.2;  ///< At either end.
  std::string root;       ///< Empty: found.
};

/// What becomes of the way: it is taken away, or handed to a root.
enum class RootForm { kInPlace, kExtract };

struct RootSettings {
  RootForm form = RootForm::kExtract;
  std::string root;       ///< Empty: found.
  std::string root_from;  ///< kExtract; empty: found.
  std::vector<std::string> follow;
  double smooth_s = 0.0;
  bool yaw = true;
};

struct RenameSettings {
  std::string to;  ///< {} stands for the name that the clip has.
};

const SettingsTable& trimTable();
const SettingsTable& retimeTable();
const SettingsTable& mirrorTable();
const SettingsTable& loopTable();
const SettingsTable& rootTable();
const SettingsTable& renameTable();

}  // namespace clipmill
