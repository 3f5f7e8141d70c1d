// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "interruptible.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <future>

#include <pybind11/pybind11.h>

#include "core/cancel.h"
#include "python_error.h"

namespace clipmill::python {
namespace {

constexpr std::chrono::milliseconds kPoll(20);

// The question of a CancelScope has no context: one flag for the process, up while anything that
// was asked to end still runs.
std::atomic<bool> is_cancelled = false;
std::atomic<int> running_count = 0;

class RunningMark {
 public:
  RunningMark() { ++running_count; }
  ~RunningMark() {
    if (--running_count == 0) is_cancelled = false;
  }
  RunningMark(const RunningMark&) = delete;
  RunningMark& operator=(const RunningMark&) = delete;
};

void runWithScope(const std::function<void()>& work) {
  const RunningMark mark;
  const CancelScope scope([] { return is_cancelled.load(); });
  try {
    work();
  } catch (const Cancelled&) {
    throw PythonError({ErrorCode::kInterrupted, "", "was interrupted; nothing was written", ""});
  }
}

}  // namespace

void cancelAll() { is_cancelled = true; }

void runInterruptible(const std::function<void()>& work) {
  std::future<void> done;
  bool is_interrupted = false;
  {
    const pybind11::gil_scoped_release unlocked;
    done = std::async(std::launch::async, [&work] { runWithScope(work); });
    while (done.wait_for(kPoll) != std::future_status::ready) {
      const pybind11::gil_scoped_acquire locked;
      if (is_interrupted || PyErr_CheckSignals() == 0) continue;
      is_interrupted = true;
      cancelAll();
    }
  }
  if (is_interrupted) throw pybind11::error_already_set();
  done.get();
}

}  // namespace clipmill::python
