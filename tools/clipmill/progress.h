// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <CLI/App.hpp>

#include "pipeline/run.h"

namespace clipmill::cli {

/// A callback that shows the steps of a run on stderr: "bar" rewrites one line, with a
/// bar of cells for a step of several parts; "plain" and "json" write a line a step, "off" nothing;
/// "auto" is a bar on a terminal and off elsewhere.
pipeline::ProgressCallback progressOf(const std::string& mode, bool quiet);

/// The option --progress, whose value goes to `mode`.
void addProgressOption(CLI::App& command, std::string& mode);

/// Clears what a bar left on the terminal.
void endProgress(const std::string& mode, bool quiet);

}  // namespace clipmill::cli
