// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "core/result.h"

/// Everything that differs between operating systems. No other file includes a system header.
namespace clipmill::system {

/// Creates `path` (which must not exist), writes all bytes, and flushes them to the device.
/// On failure nothing is left behind.
Status writeNewFileAndFlush(const std::filesystem::path& path, std::span<const std::byte> bytes);

/// Replaces `to` by `from` in one step, on the same file system.
Status renameOver(const std::filesystem::path& from, const std::filesystem::path& to);

/// A number that no other running process of this machine shares.
std::uint64_t processId();

/// The file that this process runs, without links; empty where the system does not tell.
std::filesystem::path executablePath();

/// Largest resident set of this process so far, in bytes; 0 where the system does not tell.
std::uint64_t peakMemoryBytes();

/// True where standard error is a terminal that a person looks at.
bool isStderrTerminal();

/// Installs handlers for the signals that ask a program to stop; `interrupted()` tells whether one
/// came. Work is stopped between clips, never inside a file operation.
void watchForInterrupt();
bool interrupted();

/// Ends writes to a closed pipe with an error instead of a signal.
void ignoreBrokenPipe();

}  // namespace clipmill::system
