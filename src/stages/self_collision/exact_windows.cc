// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact_windows.h"

namespace clipmill::collision {
namespace {

double gapBetween(const Window& before, const Window& after, double step_s) {
  return static_cast<double>(after.first - before.last) * step_s;
}

}  // namespace

std::vector<Window> findWindows(const std::vector<bool>& is_deep, double step_s, double gap_s,
                                bool is_cycle) {
  std::vector<Window> windows;
  const bool is_round = is_cycle && is_deep.size() > 1;
  const std::size_t count = is_round ? is_deep.size() - 1 : is_deep.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_deep[i] && !(is_round && i == 0 && is_deep[count])) continue;
    const Window one{i, i};
    const bool joins = !windows.empty() && (windows.back().last + 1 == i ||
                                            gapBetween(windows.back(), one, step_s) < gap_s);
    if (joins) {
      windows.back().last = i;
    } else {
      windows.push_back(one);
    }
  }
  if (!is_round || windows.size() < 2) return windows;
  const Window next{windows.front().first + count, windows.front().last + count};
  if (windows.back().last + 1 == next.first || gapBetween(windows.back(), next, step_s) < gap_s) {
    windows.back().last = next.last;
    windows.erase(windows.begin());
  }
  return windows;
}

std::vector<std::size_t> samplesOf(const Window& window, std::size_t sample_count) {
  std::vector<std::size_t> samples;
  for (std::size_t i = window.first; i <= window.last; ++i) {
    samples.push_back(i < sample_count ? i : i - (sample_count - 1));
  }
  return samples;
}

}  // namespace clipmill::collision
