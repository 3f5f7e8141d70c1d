// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT

// From the documentation of macOS: the parts that are of that system alone were not compiled yet.
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <crt_externs.h>
#include <fcntl.h>
#include <mach-o/dyld.h>
#include <sys/event.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/system.h"
#include "core/system_posix.h"

namespace clipmill::system {
namespace {

// Between fork() and exec() a child of a process with threads may make system calls alone, and
// allocate no memory.
void limitThisProcess(const ChildLimits& limits) {
  const auto set = [](int what, rlim_t most) {
    rlimit limit{};
    if (::getrlimit(what, &limit) == 0) most = std::min(most, limit.rlim_max);
    limit = {most, most};
    ::setrlimit(what, &limit);
  };
  set(RLIMIT_CORE, 0);
  if (!limits.may_write_files) set(RLIMIT_FSIZE, 0);
  // It ends by itself if its parent is killed and cannot end it. macOS enforces no limit of memory.
  if (std::isfinite(limits.seconds)) set(RLIMIT_CPU, static_cast<rlim_t>(limits.seconds) + 1);
}

[[noreturn]] void becomeProgram(const posix::ChildStart& start, char* const* arguments,
                                char* const* environment) {
  constexpr int kNoProgram = 127;  // as shells have it
  if (!start.joins_group) ::setpgid(0, 0);
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_DFL);
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(start.input, STDIN_FILENO);
  ::dup2(start.output, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  limitThisProcess(start.limits);
  ::execve(start.program.c_str(), arguments, environment);
  ::_exit(kNoProgram);
}

bool closeInPrograms(int file) { return ::fcntl(file, F_SETFD, FD_CLOEXEC) == 0; }

}  // namespace

Result<pid_t> posix::startChild(const ChildStart& start) {
  const std::vector<char*> arguments = argumentsOf(start);
  char* const* environment = *::_NSGetEnviron();
  // A child that cannot become the program cannot report the reason.
  const bool is_startable = ::access(start.program.c_str(), X_OK) == 0;
  const pid_t child = is_startable ? ::fork() : -1;
  if (child == 0) becomeProgram(start, arguments.data(), environment);
  if (child < 0) {
    return Error{ErrorCode::kUnreadable, start.program.string(),
                 std::string("cannot be started: ") + std::strerror(errno), ""};
  }
  // Both processes ask for it, since either may run first, and endChild() ends a group.
  if (!start.joins_group) ::setpgid(child, child);
  return child;
}

int posix::openUnnamedFile() {
  std::error_code fault;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(fault);
  std::string name = (folder / "clipmill-input-XXXXXX").string();
  const int file = ::mkstemp(name.data());
  if (file >= 0) ::unlink(name.c_str());
  return file >= 0 && closeInPrograms(file) ? file : -1;
}

bool posix::openPipe(int (&ends)[2]) {
  return ::pipe(ends) == 0 && closeInPrograms(ends[0]) && closeInPrograms(ends[1]);
}

// The system sends no signal; a thread waits for the end of the parent.
void posix::killWhenEnds(pid_t parent) {
  std::thread([parent] {
    const int queue = ::kqueue();
    struct kevent wanted {};
    EV_SET(&wanted, static_cast<std::uintptr_t>(parent), EVFILT_PROC, EV_ADD, NOTE_EXIT, 0,
           nullptr);
    struct kevent seen {};
    while (::kevent(queue, &wanted, 1, &seen, 1, nullptr) < 0 && errno == EINTR) {
    }
    ::_exit(1);  // its parent is gone, or was before
  }).detach();
}

std::filesystem::path executablePath() {
  char text[PATH_MAX];
  std::uint32_t size = sizeof text;
  if (::_NSGetExecutablePath(text, &size) != 0) return {};
  std::error_code fault;
  const std::filesystem::path path = std::filesystem::canonical(text, fault);
  return fault ? std::filesystem::path() : path;
}

std::uint64_t peakMemoryBytes() {
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<std::uint64_t>(usage.ru_maxrss);  // in bytes
}

}  // namespace clipmill::system
