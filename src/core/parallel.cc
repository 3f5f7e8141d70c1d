// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "core/cancel.h"
#include "core/to_size.h"

namespace clipmill {
namespace {

using Body = std::function<void(std::size_t start, std::size_t end)>;

// One call of parallelFor(), which lives on the stack of its caller.
class Loop {
 public:
  Loop(std::size_t count, std::size_t block, std::size_t helpers, const Body& body)
      : max_helpers(helpers),
        count_(count),
        block_(block),
        blocks_(count / block + (count % block != 0)),
        body_(body),
        is_cancelled_(CancelScope::current()) {}

  // The pool's, under its mutex.
  const std::size_t max_helpers;
  std::size_t joined = 0, at_work = 0;
  Loop* next_loop = nullptr;

  // Calls the body for blocks that no thread has taken yet, until there are none.
  void work() {
    const CancelScope scope(is_cancelled_);
    // Blocks are taken in ascending order. All blocks below one that throws were taken before it
    // and are run to their end, so the lowest one that throws does not depend on the threads.
    for (std::size_t i = next_++; i < blocks_; i = next_++) {
      try {
        pollCancel();
        body_(i * block_, std::min(count_, (i + 1) * block_));
      } catch (...) {
        keep(i, std::current_exception());
      }
    }
  }
  bool hasBlocks() const { return next_ < blocks_; }
  void rethrow() const {
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  void keep(std::size_t block, std::exception_ptr fault) {
    next_ = blocks_;
    const std::lock_guard lock(fault_mutex_);
    if (fault_ && fault_block_ < block) return;
    fault_ = std::move(fault);
    fault_block_ = block;
  }

  const std::size_t count_, block_, blocks_;
  const Body& body_;
  const CancelScope::Question is_cancelled_;  // of the thread that called
  std::atomic<std::size_t> next_{0};
  std::mutex fault_mutex_;
  std::exception_ptr fault_;
  std::size_t fault_block_ = 0;
};

// Threads that help with loops. A caller never waits for a thread that has not joined its loop, and
// a thread that has joined waits only for loops that it started itself: nested loops cannot wait
// for each other.
class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void run(Loop& loop) {
    {
      const std::lock_guard lock(mutex_);
      growTo(loop.max_helpers);
      Loop** end = &first_;
      while (*end) end = &(*end)->next_loop;
      *end = &loop;
    }
    wake_.notify_all();
    loop.work();
    std::unique_lock lock(mutex_);
    Loop** at = &first_;
    while (*at != &loop) at = &(*at)->next_loop;
    *at = loop.next_loop;
    left_.wait(lock, [&] { return loop.at_work == 0; });
  }

 private:
  void growTo(std::size_t count) {
    try {
      while (threads_.size() < count) threads_.emplace_back([this] { help(); });
    } catch (const std::system_error&) {
      // The system gives no more threads: those that run share the work.
    } catch (const std::bad_alloc&) {
    }
  }

  Loop* openLoop() const {
    for (Loop* loop = first_; loop; loop = loop->next_loop) {
      if (loop->joined < loop->max_helpers && loop->hasBlocks()) return loop;
    }
    return nullptr;
  }

  void help() {
    std::unique_lock lock(mutex_);
    while (!is_ending_) {
      Loop* loop = openLoop();
      if (!loop) {
        wake_.wait(lock);
        continue;
      }
      ++loop->joined;
      ++loop->at_work;
      lock.unlock();
      loop->work();
      lock.lock();
      if (--loop->at_work == 0) left_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;  // a loop came, or the end
  std::condition_variable left_;  // the last helper of a loop has left it
  std::vector<std::thread> threads_;
  Loop* first_ = nullptr;  // the oldest
  bool is_ending_ = false;
};

Pool& pool() {
  static Pool the_pool;
  return the_pool;
}

}  // namespace

int threadCount(int threads) {
  if (threads >= 1) return threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void parallelFor(std::size_t count, std::size_t block, int threads,
                 const std::function<void(std::size_t start, std::size_t end)>& body) {
  block = std::max<std::size_t>(block, 1);
  const std::size_t blocks = count / block + (count % block != 0);
  const std::size_t workers = std::min<std::size_t>(toSize(threadCount(threads)), blocks);
  if (workers <= 1) {
    for (std::size_t i = 0; i < blocks; ++i) {
      pollCancel();
      body(i * block, std::min(count, (i + 1) * block));
    }
    return;
  }
  Loop loop(count, block, workers - 1, body);
  pool().run(loop);
  loop.rethrow();
}

}  // namespace clipmill
