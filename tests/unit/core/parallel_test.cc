// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/parallel.h"

#include <mutex>
#include <set>
#include <vector>

#include "checks.h"

TEST_SUITE_BEGIN("core.parallel");

using clipmill::parallelFor;

TEST_CASE("every index is visited once whatever the block and the number of threads") {
  for (std::size_t count : {0u, 1u, 7u, 64u, 1000u}) {
    for (std::size_t block : {0u, 1u, 3u, 64u, 5000u}) {
      for (int threads : {0, 1, 2, 8}) {
        std::vector<int> visits(count, 0);
        parallelFor(count, block, threads, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) ++visits[i];
        });
        CHECK(visits == std::vector<int>(count, 1));
      }
    }
  }
}

TEST_CASE("blocks do not depend on the number of threads") {
  const auto blocksWith = [](int threads) {
    std::set<std::pair<std::size_t, std::size_t>> blocks;
    std::mutex guard;
    parallelFor(103, 10, threads, [&](std::size_t begin, std::size_t end) {
      const std::scoped_lock lock(guard);
      blocks.insert({begin, end});
    });
    return blocks;
  };
  CHECK(blocksWith(1).size() == 11);
  CHECK(blocksWith(1).count({100, 103}) == 1);
  CHECK(blocksWith(1) == blocksWith(2));
  CHECK(blocksWith(1) == blocksWith(16));
}

TEST_CASE("a number of threads below one stands for all cores") {
  CHECK(clipmill::threadCount(3) == 3);
  CHECK(clipmill::threadCount(0) >= 1);
  CHECK(clipmill::threadCount(-2) == clipmill::threadCount(0));
}

TEST_SUITE_END();
