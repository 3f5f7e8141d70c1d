// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

/// Everything that differs between operating systems. No other file includes a system header.
namespace clipmill::system {

/// Creates `path` (which must not exist), writes all bytes, and flushes them to the device.
/// On failure nothing is left behind.
Status writeNewFileAndFlush(const std::filesystem::path& path, std::span<const std::byte> bytes);

/// The same without the flush: after a loss of power, anything may be in the file.
Status writeNewFile(const std::filesystem::path& path, std::span<const std::byte> bytes);

/// Size of a file, and when it was changed last.
struct FileLook {
  std::uint64_t size = 0;
  std::int64_t changed_ns = 0;  ///< Since 1970.
};
/// Nothing for a missing file.
std::optional<FileLook> lookAt(const std::filesystem::path& path);

/// Replaces `to` by `from` in one step, on the same file system.
Status renameOver(const std::filesystem::path& from, const std::filesystem::path& to);

/// A file that grows by whole records, each passed to the system in one write: appended text
/// remains however this process ends. Several processes may append to one file.
class AppendedFile {
 public:
  AppendedFile() = default;
  ~AppendedFile();
  AppendedFile(AppendedFile&& other) noexcept
      : file_(std::exchange(other.file_, -1)), path_(std::move(other.path_)) {}
  AppendedFile& operator=(AppendedFile&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(path_, other.path_);
    return *this;
  }
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

/// What file names of programs end in.
#ifdef _WIN32
inline constexpr std::string_view kProgramEnding = ".exe";
#else
inline constexpr std::string_view kProgramEnding = "";
#endif

/// A number that no other running process of this machine shares.
std::uint64_t processId();

/// Whether a process of this number runs on this machine; true where the system does not report it.
bool isRunning(std::uint64_t process_id);

/// The file that this process runs, without links; empty where the system does not report it.
std::filesystem::path executablePath();

/// Largest resident set of this process so far, in bytes; 0 where the system does not report it.
std::uint64_t peakMemoryBytes();

/// Informs the system that memory which nothing was written to yet is about to be filled, so that
/// it can hand it out in large pieces: page by page takes longer than filling it. Of no effect on
/// what is in it, on a few megabytes, and where the system cannot.
void expectToFill(void* start, std::size_t bytes);

/// True where standard error is a terminal.
bool isStderrTerminal();
/// How many characters a line of that terminal holds; 80 where it does not report it.
int stderrColumns();

/// Installs handlers for the signals that ask a program to stop; `interrupted()` reports whether
/// one came. Work is stopped between clips, never inside a file operation.
void watchForInterrupt();
bool interrupted();

/// What a child process may use before it is ended.
struct ChildLimits {
  double seconds = 60.0;  ///< May be infinite.
  std::uint64_t output_bytes = std::uint64_t{1} << 30;
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;  ///< Of address space; no limit in builds
                                                        ///< with sanitizers, which need it all.
  bool may_write_files = false;
};

/// How a child process ended.
enum class ChildEnd {
  kExited,
  kSignal,
  kKilled,  ///< By a signal that no program can handle: of the system, or of a person.
  kTimeOut,
  kTooMuchOutput,
  kInterrupted,  ///< A signal asked this process to stop meanwhile, and the child was ended.
};

struct ChildResult {
  ChildEnd end = ChildEnd::kExited;
  int code = 0;                   ///< Exit code, or number of the signal.
  std::vector<std::byte> output;  ///< What it wrote to its standard output.
  std::uint64_t process_id = 0;   ///< What its processId() was.
};

/// Runs a program to its end and collects what it writes to standard output. On standard input it
/// finds `input`, its standard error goes nowhere, it can write no file unless it is allowed to,
/// and it ends with all that it started when a limit is reached. No limit is wider than that of
/// this process. glibc is asked to give it the same elementary functions on every processor. Error:
/// kUnreadable where it cannot be started.
Result<ChildResult> runChild(const std::filesystem::path& program,
                             const std::vector<std::string>& arguments, const ChildLimits& limits,
                             std::span<const std::byte> input = {});

/// For a child of runChild(): it ends when its parent is killed, at once where the parent is gone
/// already, and its own children end with it.
void endWithParent();

/// Ends this process, by a signal, when it has run or has used a processor for that many seconds:
/// no other process need live to end it.
void endAfter(double seconds);

/// The content of standard input, as far as it can be read.
std::vector<std::byte> readStandardInput();

/// Ends writes to a closed pipe, or beyond the largest file that this process may write, with an
/// error instead of a signal.
void ignoreBrokenPipe();

/// From here on the process keeps released memory for reuse. Else every step of a run would request
/// pages, cleared one by one, that the step before returned.
void retainMemory();
/// Returns released memory to the system where it was retained.
void returnMemory();

}  // namespace clipmill::system
