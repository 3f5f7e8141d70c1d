// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "stages/tet_bake/morphs/morph_regions.h"

namespace clipmill::test {

/// The points [start, end), whole.
inline stages::tet_bake::MorphRegion regionOf(std::uint32_t start, std::uint32_t end) {
  stages::tet_bake::MorphRegion region;
  for (std::uint32_t p = start; p < end; ++p) {
    region.points.push_back(p);
    region.shares.push_back(1.0);
  }
  return region;
}

}  // namespace clipmill::test
