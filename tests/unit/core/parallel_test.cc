// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/parallel.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "checks.h"
#include "platform.h"

TEST_SUITE_BEGIN("core.parallel");

using clipmill::parallelFor;

namespace {

// The message of what parallelFor() throws where the blocks of `faults` throw their index.
std::string faultOf(std::size_t count, int threads, const std::set<std::size_t>& faults) {
  try {
    parallelFor(count, 1, threads, [&](std::size_t i, std::size_t) {
      if (faults.count(i) != 0) throw std::runtime_error(std::to_string(i));
    });
  } catch (const std::runtime_error& fault) {
    return fault.what();
  }
  return "";
}

std::atomic<int> threads_seen{0};

// Counts the threads that call it.
void noteThread() {
  thread_local const int number = ++threads_seen;
  static_cast<void>(number);
}

// Returns when `count` threads have called it, or after a while.
void meet(std::atomic<int>& here, int count) {
  ++here;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (here < count && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

}  // namespace

TEST_CASE("every index is visited once whatever the block and the number of threads") {
  for (std::size_t count : {0u, 1u, 7u, 64u, 1000u}) {
    for (std::size_t block : {0u, 1u, 3u, 64u, 5000u}) {
      for (int threads : {0, 1, 2, 8}) {
        std::vector<int> visits(count, 0);
        parallelFor(count, block, threads, [&](std::size_t start, std::size_t end) {
          for (std::size_t i = start; i < end; ++i) ++visits[i];
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
    parallelFor(103, 10, threads, [&](std::size_t start, std::size_t end) {
      const std::scoped_lock lock(guard);
      blocks.insert({start, end});
    });
    return blocks;
  };
  CHECK(blocksWith(1).size() == 11);
  CHECK(blocksWith(1).count({100, 103}) == 1);
  CHECK(blocksWith(1) == blocksWith(2));
  CHECK(blocksWith(1) == blocksWith(16));
}

TEST_CASE("a number of threads below one selects all cores") {
  CHECK(clipmill::threadCount(3) == 3);
  CHECK(clipmill::threadCount(0) >= 1);
  CHECK(clipmill::threadCount(-2) == clipmill::threadCount(0));
}

TEST_CASE("The exception of the lowest block that throws reaches the caller, for any threads") {
  for (int threads : {1, 2, 3, 8}) {
    CAPTURE(threads);
    for (int repeat = 0; repeat < 50; ++repeat) {
      CHECK(faultOf(100, threads, {}) == "");
      CHECK(faultOf(100, threads, {0, 1, 2, 3, 99}) == "0");
      CHECK(faultOf(100, threads, {17, 18, 19, 60}) == "17");
      CHECK(faultOf(100, threads, {99}) == "99");
    }
  }
}

TEST_CASE("All blocks below the one that throws are called, and the type of the fault is kept") {
  for (int threads : {1, 4}) {
    std::vector<int> visits(40, 0);
    CHECK_THROWS_AS(parallelFor(40, 1, threads,
                                [&](std::size_t i, std::size_t) {
                                  ++visits[i];
                                  if (i >= 20) throw std::bad_alloc();
                                }),
                    std::bad_alloc);
    CHECK(std::vector<int>(visits.begin(), visits.begin() + 21) == std::vector<int>(21, 1));
  }
}

TEST_CASE("A loop works after one that threw") {
  for (int repeat = 0; repeat < 20; ++repeat) {
    CHECK(faultOf(8, 4, {3}) == "3");
    std::vector<int> visits(8, 0);
    parallelFor(8, 1, 4, [&](std::size_t i, std::size_t) { ++visits[i]; });
    CHECK(visits == std::vector<int>(8, 1));
  }
}

TEST_CASE("Loops in loops end, with the same sums for any number of threads") {
  const auto sumsWith = [](int threads) {
    std::vector<int> sums(12, 0);
    parallelFor(sums.size(), 1, threads, [&](std::size_t i, std::size_t) {
      std::vector<int> parts(9, 0);
      parallelFor(parts.size(), 2, threads, [&](std::size_t start, std::size_t end) {
        for (std::size_t k = start; k < end; ++k) {
          std::vector<int> leaves(5, 0);
          parallelFor(leaves.size(), 1, threads, [&](std::size_t l, std::size_t) {
            leaves[l] = static_cast<int>(100 * i + 10 * k + l);
          });
          for (int leaf : leaves) parts[k] += leaf;
        }
      });
      for (int part : parts) sums[i] += part;
    });
    return sums;
  };
  const std::vector<int> expected = sumsWith(1);
  CHECK(expected[1] == 9 * 5 * 100 + 5 * 10 * 36 + 9 * 10);
  for (int repeat = 0; repeat < 50; ++repeat) {
    CHECK(sumsWith(2) == expected);
    CHECK(sumsWith(4) == expected);
  }
}

TEST_CASE("An exception leaves nested loops by the lowest block of each") {
  for (int threads : {1, 4}) {
    std::string seen;
    try {
      parallelFor(6, 1, threads, [&](std::size_t i, std::size_t) {
        parallelFor(6, 1, threads, [&](std::size_t k, std::size_t) {
          if (i >= 2 && k >= 3) throw std::runtime_error(std::to_string(10 * i + k));
        });
      });
    } catch (const std::runtime_error& fault) {
      seen = fault.what();
    }
    CHECK(seen == "23");
  }
}

TEST_CASE("Loops one after the other use the same threads" *
          doctest::skip(!clipmill::test::kHasThreads)) {
  constexpr int kThreads = 4;
  const auto loop = [] {
    std::atomic<int> here{0};
    parallelFor(kThreads, 1, kThreads, [&](std::size_t, std::size_t) {
      noteThread();
      meet(here, kThreads);
    });
    return here.load();
  };
  for (int repeat = 0; repeat < 100; ++repeat) CHECK(loop() == kThreads);
  // The caller, and all threads of the pool, which other tests may have made larger.
  CHECK(threads_seen <= 1 + 15);
}

TEST_CASE("Loops that several threads start at the same time end" *
          doctest::skip(!clipmill::test::kHasThreads)) {
  std::vector<std::thread> callers;
  std::vector<std::size_t> sums(4, 0);
  for (std::size_t c = 0; c < sums.size(); ++c) {
    callers.emplace_back([&, c] {
      for (int repeat = 0; repeat < 200; ++repeat) {
        std::vector<std::size_t> slots(50, 0);
        parallelFor(slots.size(), 3, 3, [&](std::size_t start, std::size_t end) {
          for (std::size_t i = start; i < end; ++i) slots[i] = i;
        });
        for (std::size_t slot : slots) sums[c] += slot;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(sums == std::vector<std::size_t>(4, 200u * 1225u));
}

TEST_SUITE_END();
