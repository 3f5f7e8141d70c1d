// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "interruptible.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <mutex>
#include <utility>

#include <pybind11/pybind11.h>

#include "python_error.h"

namespace clipmill::python {
namespace {

constexpr std::chrono::milliseconds kPoll(20);

// A question of a CancelScope has no context, so each slot has a question of its own.
constexpr std::size_t kSlotCount = 64;
std::array<std::atomic<bool>, kSlotCount> is_cancelled{};
std::array<int, kSlotCount> user_counts{};
std::mutex user_counts_mutex;

template <std::size_t kSlot>
bool isSlotCancelled() {
  return is_cancelled[kSlot].load();
}

template <std::size_t... kSlots>
constexpr std::array<CancelScope::Question, sizeof...(kSlots)> questionsOf(
    std::index_sequence<kSlots...> /*slots*/) {
  return {&isSlotCancelled<kSlots>...};
}

constexpr auto kQuestions = questionsOf(std::make_index_sequence<kSlotCount>());

void runWithScope(const std::function<void()>& work, CancelScope::Question question) {
  const CancelScope scope(question);
  try {
    work();
  } catch (const Cancelled&) {
    throw PythonError({ErrorCode::kInterrupted, "", "was interrupted; nothing was written", ""});
  }
}

}  // namespace

CancelRequest::CancelRequest() {
  const std::lock_guard<std::mutex> locked(user_counts_mutex);
  const auto least = std::min_element(user_counts.begin(), user_counts.end());
  ++*least;
  slot_ = static_cast<std::size_t>(least - user_counts.begin());
}

CancelRequest::~CancelRequest() {
  const std::lock_guard<std::mutex> locked(user_counts_mutex);
  if (--user_counts[slot_] == 0) is_cancelled[slot_] = false;
}

void CancelRequest::raise() {
  is_cancelled[slot_] = true;
  if (python_thread_ != 0) PyThreadState_SetAsyncExc(python_thread_, PyExc_KeyboardInterrupt);
}

CancelScope::Question CancelRequest::question() const { return kQuestions[slot_]; }

CancelRequest::PythonCall::PythonCall(CancelRequest& request) : request_(request) {
  request_.python_thread_ = PyThread_get_thread_ident();
}

CancelRequest::PythonCall::~PythonCall() { request_.python_thread_ = 0; }

void runInterruptible(const std::function<void()>& work, CancelRequest& request) {
  std::future<void> done;
  bool is_interrupted = false;
  {
    const pybind11::gil_scoped_release unlocked;
    done = std::async(std::launch::async, [&] { runWithScope(work, request.question()); });
    while (done.wait_for(kPoll) != std::future_status::ready) {
      const pybind11::gil_scoped_acquire locked;
      if (is_interrupted || PyErr_CheckSignals() == 0) continue;
      is_interrupted = true;
      request.raise();
    }
  }
  if (is_interrupted) throw pybind11::error_already_set();
  done.get();
}

void runInterruptible(const std::function<void()>& work) {
  CancelRequest request;
  runInterruptible(work, request);
}

}  // namespace clipmill::python
