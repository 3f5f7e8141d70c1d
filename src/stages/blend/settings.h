// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/settings.h"
#include "locomotion/foot_lock.h"

namespace clipmill::stages::blend {

/// `kReference` is the published blend of two clips (docs/methods.md, skeletal animation): a factor
/// by time, translations weighted, rotations slerped, wherever the characters are.
enum class BlendMethod { kAligned, kReference };

/// What is made of the clip and the others.
enum class BlendMode {
  kFade,        ///< The clip cross-fades into another one.
  kMix,         ///< All play at the same time, each with its weight.
  kAdd,         ///< The difference of another clip from a reference pose is added.
  kDifference,  ///< The clip becomes its difference from a reference pose.
};

enum class BlendEase { kSmooth, kLinear };

/// How root motion is blended: by velocity, relative to each character, or by position.
enum class RootBlendMode { kVelocity, kPosition };

/// The pose that differences are taken from: that of the file, or that at the start of the clip.
enum class BlendReference { kRest, kStart };

/// Another clip.
struct BlendClip {
  std::string clip;  ///< Name, index or glob; may be empty for a file with one clip.
  std::string file;  ///< Empty: the file itself.
  double weight = 1.0;
};

/// How much of the other clips a part of the character takes.
struct BlendMask {
  std::string bone;  ///< Name, glob or path; may mean several nodes.
  double weight = 1.0;
  bool below = true;  ///< Descendants of the bone too.
};

struct BlendSettings : locomotion::FootLockSettings {
  BlendMethod method = BlendMethod::kAligned;
  BlendMode mode = BlendMode::kFade;
  std::vector<BlendClip> with;
  std::vector<BlendMask> mask;  ///< Empty: all of the character. Later ones win.
  double window_s = 0.3;
  std::optional<std::int64_t> window_frames;  ///< At the clip's own rate; unset: window_s counts.
  std::optional<double> at_s;                 ///< Unset: the window ends with the clip.
  double enter_s = 0.0;                       ///< Where the other clip is entered.
  BlendEase ease = BlendEase::kSmooth;
  bool sync = false;
  RootBlendMode root_blend = RootBlendMode::kVelocity;
  std::optional<std::string> root_joint;  ///< Unset: detected.
  BlendReference reference = BlendReference::kRest;
};

const SettingsTable& blendTable();
const SettingsTable& blendClipTable();  ///< Of one BlendClip.

}  // namespace clipmill::stages::blend
