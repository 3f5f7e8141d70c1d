// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

/// Everything that differs between operating systems. No other file includes a system header.
namespace clipmill::system {

/// Creates `path` (which must not exist), writes all bytes, and flushes them to the device.
/// On failure nothing is left behind.
Status writeNewFileAndFlush(const std::filesystem::path& path, std::span<const std::byte> bytes);

/// Replaces `to` by `from` in one step, on the same file system.
Status renameOver(const std::filesystem::path& from, const std::filesystem::path& to);

/// A file that grows by whole pieces, each handed to the system in one write: what was appended
/// outlives this process however it ends. Several processes may append to one file.
class AppendedFile {
 public:
  AppendedFile() = default;
  ~AppendedFile();
  AppendedFile(AppendedFile&& other) noexcept;
  AppendedFile& operator=(AppendedFile&& other) noexcept;
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;

  /// Opens `path`, or creates it. Error: kWrite.
  static Result<AppendedFile> open(const std::filesystem::path& path);
  /// Error: kWrite; a part of the text may be there then.
  Status append(std::string_view text);
  /// Waits until all that was appended is on the device. Error: kWrite.
  Status flush();

 private:
  int file_ = -1;
  std::filesystem::path path_;
};

/// A number that no other running process of this machine shares.
std::uint64_t processId();

/// The file that this process runs, without links; empty where the system does not tell.
std::filesystem::path executablePath();

/// Largest resident set of this process so far, in bytes; 0 where the system does not tell.
std::uint64_t peakMemoryBytes();

/// Tells the system that memory which nothing was written to yet is about to be filled, so that it
/// can hand it out in large pieces: page by page takes longer than filling it. Of no effect on
/// what is in it, on a few megabytes, and where the system cannot.
void expectToFill(void* begin, std::size_t bytes);

/// True where standard error is a terminal that a person looks at.
bool isStderrTerminal();

/// Installs handlers for the signals that ask a program to stop; `interrupted()` tells whether one
/// came. Work is stopped between clips, never inside a file operation.
void watchForInterrupt();
bool interrupted();

/// The folder of the running program; empty where the system does not tell.
std::filesystem::path programFolder();

/// What a child process may use before it is ended.
struct ChildLimits {
  double seconds = 60.0;
  std::uint64_t output_bytes = std::uint64_t{1} << 30;
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;  ///< Of address space; no limit in builds
                                                        ///< with sanitizers, which need it all.
};

/// How a child process came to its end.
enum class ChildEnd { kExited, kSignal, kTimeOut, kTooMuchOutput };

struct ChildResult {
  ChildEnd end = ChildEnd::kExited;
  int code = 0;                   ///< Exit code, or number of the signal.
  std::vector<std::byte> output;  ///< What it wrote to its standard output.
};

/// Runs a program to its end and collects what it writes to standard output. It reads nothing, its
/// standard error goes nowhere, it can write no file, and it ends with all that it started when a
/// limit is reached. glibc is asked to give it the same elementary functions on every processor.
/// Errors: kUnreadable where it cannot be started, kInterrupted when a signal
/// asks this process to stop meanwhile.
Result<ChildResult> runChild(const std::filesystem::path& program,
                             const std::vector<std::string>& arguments, const ChildLimits& limits);

/// Ends writes to a closed pipe, or beyond the largest file that this process may write, with an
/// error instead of a signal.
void ignoreBrokenPipe();

}  // namespace clipmill::system
