// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/math.h"

namespace clipmill {

/// Appends the triangles of one polygon to `corners`, as indices 0..n-1 of its corners, winding
/// kept: n - 2 triangles for n corners. Quads are cut along the diagonal that leaves both halves
/// with the same orientation (the shorter one where both do); larger polygons lose one ear after
/// another. Corners that coincide or lie in a line give thin triangles, never fewer.
void triangulate(std::span<const Vec3> polygon, std::vector<std::uint32_t>& corners);

}  // namespace clipmill
