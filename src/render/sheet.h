// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "core/warnings.h"
#include "render/camera.h"
#include "render/image.h"
#include "scene/scene.h"

namespace clipmill::render {

/// One row of a contact sheet: a clip of a scene.
struct SheetRow {
  const Scene* scene = nullptr;
  int clip = -1;      ///< Index in Scene::clips; -1 for the pose of the file.
  std::string label;  ///< "before", "after"; may be empty.
  std::string title;  ///< Name of the file.
};

struct SheetSettings {
  int frames = 6;  ///< Images in a row, 1..kMostFrames.
  View view = View::kAuto;
  int threads = 0;         ///< Below 1 for one a core; the pixels do not depend on it.
  std::string focus = {};  ///< Name or glob of a node: a close-up of it and of all below it.
  bool follow = false;     ///< The camera moves with the focus, or with the root without one.
};

inline constexpr int kMostFrames = 24;

struct Sheet {
  Image image;
  Warnings warnings;
};

/// Draws the same frames of every row below each other, seen by one camera that holds all that is
/// shown: shaded characters with their planar shadow, joints (in the later rows those that differ
/// from the first row in an accent colour), the trajectory of the root on a grid in metres, frame
/// numbers and times from the start of each clip. Frames are spread over the clip of the first row,
/// its last pose left out where it is the first again. The ground is y = 0, or the lowest point
/// where that is not near y = 0. Errors: kUsage for settings out of range, kUnsupported where there
/// is nothing to show or nothing that can be measured; those of focusOn().
Result<Sheet> drawSheet(const std::vector<SheetRow>& rows, const SheetSettings& settings);

}  // namespace clipmill::render
