// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/settings.h"

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

struct LoopSettings {
  double window_s = 0.2;  ///< At either end.
  std::string root;       ///< Empty: found.
};

const SettingsTable& trimTable();
const SettingsTable& retimeTable();
const SettingsTable& mirrorTable();
const SettingsTable& loopTable();

}  // namespace clipmill
