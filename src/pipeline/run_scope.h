// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "core/cancel.h"
#include "core/result.h"
#include "pipeline/report.h"

/// What all commands have in common that work on files for a while.
namespace clipmill::pipeline {

/// The question whether to end early: that of the caller, else whether a signal arrived.
CancelScope::Question interruptQuestion();

/// Error, kInterrupted, where that question returns true.
Status checkInterrupt();

/// Does `work`, which polls for interrupts (core/cancel.h). The report receives its error, the time
/// it took and the largest memory of the process.
Status reportedRun(RunReport& report, const std::function<Status()>& work);

}  // namespace clipmill::pipeline
