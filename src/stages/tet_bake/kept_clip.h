// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "stages/tet_bake/bake.h"

namespace clipmill::stages::tet_bake {

/// What a bake has of one clip, to be put back if another try is no better.
struct KeptClip {
  std::vector<float> world, before_skin;
  std::vector<BakedFrame> frames;
  std::vector<std::vector<float>> corners;

  KeptClip(const Baked& baked, std::size_t start, std::size_t count)
      : world(baked.world.frames(start, count)),
        before_skin(baked.before_skin.frames(start, count)) {
    const auto first = static_cast<std::ptrdiff_t>(start),
               last = first + static_cast<std::ptrdiff_t>(count);
    frames.assign(baked.frames.begin() + first, baked.frames.begin() + last);
    if (!baked.corners.empty())
      corners.assign(baked.corners.begin() + first, baked.corners.begin() + last);
  }

  void putBack(std::size_t start, Baked& baked) const {
    baked.world.setFrames(start, frames.size(), world);
    baked.before_skin.setFrames(start, frames.size(), before_skin);
    std::copy(frames.begin(), frames.end(),
              baked.frames.begin() + static_cast<std::ptrdiff_t>(start));
    std::copy(corners.begin(), corners.end(),
              baked.corners.begin() + static_cast<std::ptrdiff_t>(start));
  }
};

}  // namespace clipmill::stages::tet_bake
