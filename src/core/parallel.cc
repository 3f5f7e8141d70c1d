// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/parallel.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace clipmill {

int threadCount(int threads) {
  if (threads >= 1) return threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void parallelFor(std::size_t count, std::size_t block, int threads,
                 const std::function<void(std::size_t begin, std::size_t end)>& body) {
  block = std::max<std::size_t>(block, 1);
  const std::size_t blocks = (count + block - 1) / block;
  std::atomic<std::size_t> next{0};
  auto work = [&] {
    for (std::size_t i = next++; i < blocks; i = next++) {
      body(i * block, std::min(count, (i + 1) * block));
    }
  };
  const std::size_t helpers =
      std::min<std::size_t>(static_cast<std::size_t>(threadCount(threads)), blocks);
  std::vector<std::thread> pool;
  for (std::size_t i = 1; i < helpers; ++i) {
    try {
      pool.emplace_back(work);
    } catch (const std::system_error&) {
      break;  // The system gives no more threads: those that run share the work.
    }
  }
  work();
  for (std::thread& thread : pool) thread.join();
}

}  // namespace clipmill
