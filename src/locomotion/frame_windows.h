// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace clipmill::locomotion {

/// Number of frames in a time, at least one.
std::size_t framesIn(double time_s, double fps);

/// Mean of values (one a frame) under a raised cosine that reaches `radius` frames to either side.
/// Values before the first and after the last are those; in a cycle, whose last frame is its first,
/// the end continues with the start.
std::vector<double> raisedCosineMean(std::span<const double> values, std::size_t radius,
                                     bool is_cycle);

}  // namespace clipmill::locomotion
