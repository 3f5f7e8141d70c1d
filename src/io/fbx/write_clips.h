// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "anim/track.h"
#include "io/fbx/file_builder.h"
#include "io/fbx/write_nodes.h"
#include "scene/scene.h"

namespace clipmill::io::fbx {

/// A stack that was written: what Takes and GlobalSettings repeat.
struct WrittenStack {
  std::string name;
  std::int64_t start_ticks = 0, end_ticks = 0;
};

/// The frame rate of all keys together; see inferFrameRate().
double frameRateOf(std::span<const KeyframeClip> clips);

/// One stack with one layer for each clip, its curves joined to Models and blend shape channels.
std::vector<WrittenStack> writeClips(const Scene& scene, std::span<const KeyframeClip> clips,
                                     double fps, const WrittenIds& ids, FileBuilder& file);

}  // namespace clipmill::io::fbx
