// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/system.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace clipmill::system {
namespace {

volatile std::sig_atomic_t interrupt_count = 0;

void onInterrupt(int) { interrupt_count = interrupt_count + 1; }

Error writeError(const std::filesystem::path& path, const char* what) {
  const int code = errno;
  const char* remedy = code == ENOSPC                      ? "free some space"
                       : code == EACCES || code == EROFS   ? "choose a folder that can be written"
                       : code == ENOENT || code == ENOTDIR ? "create the folder first"
                                                           : "";
  return {ErrorCode::kWrite, path.string(), std::string(what) + ": " + std::strerror(code), remedy};
}

}  // namespace

Status writeNewFileAndFlush(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return writeError(path, "cannot create the file");
  const std::byte* next = bytes.data();
  std::size_t left = bytes.size();
  bool failed = false;
  while (left > 0 && !failed) {
    const ssize_t count = ::write(file, next, left);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      failed = true;
      break;
    }
    next += count;
    left -= static_cast<std::size_t>(count);
  }
  if (!failed && ::fsync(file) != 0 && errno != EINVAL) failed = true;
  if (failed) {
    const Error error = writeError(path, "cannot write the file");
    ::close(file);
    ::unlink(path.c_str());
    return error;
  }
  if (::close(file) != 0) {
    const Error error = writeError(path, "cannot finish the file");
    ::unlink(path.c_str());
    return error;
  }
  return {};
}

Status renameOver(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0)
    return writeError(to, "cannot put the file in place");
  return {};
}

std::uint64_t processId() { return static_cast<std::uint64_t>(::getpid()); }

std::filesystem::path executablePath() {
  std::error_code fault;
  std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", fault);
  return fault ? std::filesystem::path() : path;
}

std::uint64_t peakMemoryBytes() {
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;  // Linux counts in KiB
}

bool isStderrTerminal() { return ::isatty(STDERR_FILENO) == 1; }

void watchForInterrupt() {
  struct sigaction action {};
  action.sa_handler = onInterrupt;
  ::sigemptyset(&action.sa_mask);
  for (int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(number, &action, nullptr);
}

bool interrupted() { return interrupt_count != 0; }

void ignoreBrokenPipe() { std::signal(SIGPIPE, SIG_IGN); }

}  // namespace clipmill::system
