// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace clipmill::stages::tet_bake {

/// How much of a correction is shown in each frame of a clip, so that no frame shows more than its
/// limit (0..1) and nothing jumps: the least limit within `radius_frames` of each frame, averaged
/// by the kernel (1 - x^2)^2 over the same radius. Each value of the average is at most the limit
/// of the frame in its middle. Beyond the ends the first and the last limit go on; in a cycle,
/// whose last frame is its first one again, the clip repeats. Frames farther than twice the radius
/// from any limit below 1 show all.
std::vector<double> fadedShares(std::span<const double> limits, std::size_t radius_frames,
                                bool is_cycle);

}  // namespace clipmill::stages::tet_bake
