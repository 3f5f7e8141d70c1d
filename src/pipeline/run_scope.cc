// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/run_scope.h"

#include <chrono>

#include "core/system.h"

namespace clipmill::pipeline {
namespace {

// Loops of all stages poll through parallelFor(), see core/cancel.h.
Status untilInterrupted(const std::function<Status()>& work) {
  const CancelScope scope(interruptQuestion());
  try {
    return work();
  } catch (const Cancelled&) {
    return checkInterrupt();
  }
}

}  // namespace

CancelScope::Question interruptQuestion() {
  const CancelScope::Question outer = CancelScope::current();
  return outer ? outer : system::interrupted;
}

Status checkInterrupt() {
  if (!interruptQuestion()()) return {};
  return Error{ErrorCode::kInterrupted, "", "was interrupted; nothing was written", "run it again"};
}

Status reportedRun(RunReport& report, const std::function<Status()>& work) {
  const auto start = std::chrono::steady_clock::now();
  const Status done = untilInterrupted(work);
  if (!done) report.error = done.error();
  report.milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(
                            std::chrono::steady_clock::now() - start)
                            .count();
  report.peak_memory_bytes = system::peakMemoryBytes();
  return done;
}

}  // namespace clipmill::pipeline
