// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/for_clips.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/parallel.h"
#include "core/to_size.h"

namespace clipmill::stages::tet_bake {

void forClips(std::span<const std::size_t> start, int threads,
              const std::function<void(std::size_t clip, int threads)>& body) {
  const auto framesOf = [&](std::size_t clip) { return start[clip + 1] - start[clip]; };
  std::vector<std::size_t> order(start.size() - 1);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return framesOf(a) > framesOf(b); });
  if (order.empty()) return;
  const auto shares = toSize(threadCount(threads));
  const bool takes_clips = framesOf(order.front()) * shares <= start.back() - start.front();
  parallelFor(order.size(), 1, takes_clips ? threads : 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) body(order[i], takes_clips ? 1 : threads);
  });
}

}  // namespace clipmill::stages::tet_bake
