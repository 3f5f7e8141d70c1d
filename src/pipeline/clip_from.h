// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "io/io.h"

namespace clipmill::pipeline {

/// Names of clips from another file: as in it; or after the file, with their own behind it where it
/// has several.
enum class ClipNaming { kAsInFile, kByFile };

/// How clips are retargeted onto the character of another file.
struct TransferSettings {
  std::vector<std::string> map;      ///< See parsePairs().
  bool keep_feet = false;            ///< By lockFeet().
  bool keep_hands = false;           ///< By keepHands().
  const io::Asset* rest = nullptr;   ///< File with the rest pose of the clips; none: found.
  std::string rest_clip;             ///< A clip of it by selectClips(); empty: its bind pose.
  double rest_s = 0.0;               ///< Time in that clip.
  std::optional<double> facing_deg;  ///< See RestChoice; unset: found.
};

/// Clips of another file as clips of a scene that does not have them yet.
struct ClipsFrom {
  std::vector<Clip> clips;  ///< Named apart from each other and the scene's own.
  std::vector<std::string> notes;
  Warnings warnings;
};

/// The clips of `source` that `selector` matches (all for an empty one; see selectClips),
/// retargeted onto the character of `target` by transferClip() at `fps`, or their own frames where
/// that is 0. Errors: those of selectClips, parsePairs, matchNodes and transferClip, with the file
/// and the clip as their location; kNotFound for a file without clips; kLimit; kUnsupported where
/// feet or hands are to be kept and there are none, or the file of the rest pose has other units,
/// axes or joints than that of the clips. Warnings: hand_out_of_reach and those of
/// lockFeet() too.
Result<ClipsFrom> clipsFrom(const io::Asset& source, const std::string& selector, double fps,
                            const io::Limits& limits, const Scene& target,
                            const TransferSettings& settings = {},
                            ClipNaming naming = ClipNaming::kAsInFile);

/// `wanted`, or with a number behind it where a clip of the scene has that name.
std::string freeClipName(const Scene& scene, const std::string& wanted);

}  // namespace clipmill::pipeline
