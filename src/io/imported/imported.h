// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "anim/track.h"
#include "core/result.h"
#include "scene/scene.h"

namespace clipmill::io::imported {

/// A clip of a file that is read and never written back: its keys, and their range and rate.
struct ImportedClip {
  KeyframeClip keys;
  double start_s = 0.0;
  double end_s = 0.0;
  double fps = 30.0;
};

/// All that was read of such a file. `scene.clips` is empty: addClips() makes it of `clips`.
struct ImportedScene {
  std::string format;  ///< "BVH", "COLLADA": for people and reports.
  Scene scene;         ///< With its meshes, always.
  std::vector<ImportedClip> clips;
  std::vector<std::string> files;  ///< Paths of further files that were read.
};

/// Checks the invariants of a scene that the rest of clipmill relies on. Refused are: indices out
/// of range, a parent behind its child, arrays of unequal length, key times that descend, numbers
/// that are not finite. Error: kMalformed.
Status checkImported(const ImportedScene& imported);

/// Fills `scene.clips`, one Clip for each of `clips`, with a source that samples their keys.
void addClips(std::span<const ImportedClip> clips, Scene& scene);

/// The clip's range from the first to the last of its keys; 0 to 0 for a clip without any.
void setRangeFromKeys(ImportedClip& clip);

}  // namespace clipmill::io::imported
