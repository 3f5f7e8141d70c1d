// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "pipeline/run.h"

namespace clipmill::cli {

/// A callback that shows the steps of a run on stderr: "bar" rewrites one line, "plain" and "json"
/// write a line a step, "off" nothing; "auto" is a bar on a terminal and off elsewhere.
pipeline::ProgressCallback progressOf(const std::string& mode, bool quiet);

/// Clears what a bar left on the terminal.
void endProgress(const std::string& mode, bool quiet);

}  // namespace clipmill::cli
