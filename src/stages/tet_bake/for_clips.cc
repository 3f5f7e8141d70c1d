// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/for_clips.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/parallel.h"

namespace clipmill::tet_bake {

void forClips(std::span<const std::size_t> begin, int threads,
              const std::function<void(std::size_t clip, int threads)>& body) {
  const auto framesOf = [&](std::size_t clip) { return begin[clip + 1] - begin[clip]; };
  std::vector<std::size_t> order(begin.size() - 1);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return framesOf(a) > framesOf(b); });
  if (order.empty()) return;
  const auto shares = static_cast<std::size_t>(threadCount(threads));
  const bool takes_clips = framesOf(order.front()) * shares <= begin.back() - begin.front();
  parallelFor(order.size(), 1, takes_clips ? threads : 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) body(order[i], takes_clips ? 1 : threads);
  });
}

}  // namespace clipmill::tet_bake
