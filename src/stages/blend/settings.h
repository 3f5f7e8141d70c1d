// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/settings.h"

namespace clipmill {

/// `kReference` is the published blend of two clips (SOURCES S3): a factor by time, translations
/// weighted, rotations slerped, whatever the places of the figures are.
enum class BlendMethod { kAligned, kReference };

/// What is made of the clip and the others.
enum class BlendMode {
  kFade,        ///< The clip goes over into another one.
  kMix,         ///< All play at the same time, each with its weight.
  kAdd,         ///< What another clip does away from a reference pose comes on top.
  kDifference,  ///< The clip becomes what it does away from a reference pose.
};

enum class BlendEase { kSmooth, kLinear };

/// How root motion is blended: by its velocity, as the figure that moves sees it, or by the places
/// in the files.
enum class BlendRoot { kVelocity, kPlace };

/// The pose that differences are taken from: that of the file, or that at the begin of the clip.
enum class BlendReference { kRest, kBegin };

/// Another clip.
struct BlendClip {
  std::string clip;  ///< Name, index or glob; may be empty for a file with one clip.
  std::string file;  ///< Empty: the file itself.
  double weight = 1.0;
};

/// How much of the other clips a part of the figure takes.
struct BlendMask {
  std::string bone;  ///< Name, glob or path; may mean several nodes.
  double weight = 1.0;
  bool below = true;  ///< All below the bone too.
};

struct BlendSettings {
  BlendMethod method = BlendMethod::kAligned;
  BlendMode mode = BlendMode::kFade;
  std::vector<BlendClip> with;
  std::vector<BlendMask> mask;  ///< Empty: all of the figure. Later ones win.
  double window_s = 0.3;
  std::int64_t window_frames = 0;  ///< At the clip's own rate; 0: window_s counts.
  double at_s = -1.0;              ///< Below 0: the window ends with the clip.
  double enter_s = 0.0;            ///< Where the other clip is entered.
  BlendEase ease = BlendEase::kSmooth;
  bool sync = false;
  BlendRoot root_motion = BlendRoot::kVelocity;
  std::string root;  ///< Empty: found.
  BlendReference reference = BlendReference::kRest;
};

const SettingsTable& blendTable();
const SettingsTable& blendClipTable();  ///< Of one BlendClip.

}  // namespace clipmill
