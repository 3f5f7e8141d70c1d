// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace clipmill::collision {

/// Samples first..last, both included. In a cycle `last` may lie beyond the end of the clip and
/// means the sample one period earlier.
struct Window {
  std::size_t first = 0;
  std::size_t last = 0;

  bool operator==(const Window&) const = default;
};

/// Runs of true in `is_deep`, ascending; runs whose gap is shorter than `gap_s` are one. In a
/// cycle, whose last sample is its first, a run that goes over the seam is one window, which stands
/// last.
std::vector<Window> findWindows(const std::vector<bool>& is_deep, double step_s, double gap_s,
                                bool is_cycle);

/// The samples of a window in order, each less than `sample_count`.
std::vector<std::size_t> samplesOf(const Window& window, std::size_t sample_count);

}  // namespace clipmill::collision
