// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace clipmill::stages::tet_bake {

/// Calls body(clip, threads) for every clip and returns when all are done: each by a thread of its
/// own, the longest first, where no clip has more than a thread's share of all frames; else one
/// after another, each with all threads. `start` is the first frame of each clip among all clips,
/// followed by the end of the last one. A body that gives the same result for any number of
/// threads, and writes only what belongs to its clip, does so here.
void forClips(std::span<const std::size_t> start, int threads,
              const std::function<void(std::size_t clip, int threads)>& body);

}  // namespace clipmill::stages::tet_bake
