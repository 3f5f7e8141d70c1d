// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/system.h"
#include "core/system_posix.h"

// Sanitizers reserve terabytes of address space.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CLIPMILL_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CLIPMILL_SANITIZED
#endif
#endif

namespace clipmill::system {
namespace {

// Set from outside, right after the program has started: it need not be asked to help.
void limitChild(pid_t child, const ChildLimits& limits) {
  const auto set = [&](__rlimit_resource what, rlim_t most) {
    rlimit limit{};
    if (::prlimit(child, what, nullptr, &limit) == 0) most = std::min(most, limit.rlim_max);
    limit = {most, most};
    ::prlimit(child, what, &limit, nullptr);
  };
  set(RLIMIT_CORE, 0);
  if (!limits.may_write_files) set(RLIMIT_FSIZE, 0);
  // It ends by itself if this process is killed and cannot end it.
  if (std::isfinite(limits.seconds)) set(RLIMIT_CPU, static_cast<rlim_t>(limits.seconds) + 1);
#ifndef CLIPMILL_SANITIZED
  set(RLIMIT_AS, limits.memory_bytes);
#endif
}

// This process's environment, but for the choice of the C library's elementary functions: those
// without fused multiply-add exist on every processor, so that the child's results do not depend on
// it (glibc manual, "Hardware Capability Tunables").
std::vector<char*> childEnvironment() {
  static char plain_functions[] = "GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2";
  std::vector<char*> environment;
  for (char** entry = ::environ; entry && *entry; ++entry) {
    if (!std::string_view(*entry).starts_with("GLIBC_TUNABLES=")) environment.push_back(*entry);
  }
  environment.push_back(plain_functions);
  environment.push_back(nullptr);
  return environment;
}

}  // namespace

Result<pid_t> posix::startChild(const ChildStart& start) {
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, start.input, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, start.output, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  // A group of its own, so that it can be ended with all that it started.
  const int group = start.joins_group ? 0 : POSIX_SPAWN_SETPGROUP;
  ::posix_spawnattr_setflags(&attributes, static_cast<short>(group | POSIX_SPAWN_SETSIGDEF));
  sigset_t defaults;
  ::sigemptyset(&defaults);
  ::sigaddset(&defaults, SIGPIPE);
  ::sigaddset(&defaults, SIGXFSZ);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  pid_t child = 0;
  const int fault = ::posix_spawn(&child, start.program.c_str(), &files, &attributes,
                                  argumentsOf(start).data(), childEnvironment().data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  if (fault != 0) {
    return Error{ErrorCode::kUnreadable, start.program.string(),
                 std::string("cannot be started: ") + std::strerror(fault), ""};
  }
  limitChild(child, start.limits);
  return child;
}

int posix::openUnnamedFile() { return ::memfd_create("input", MFD_CLOEXEC); }

bool posix::openPipe(int (&ends)[2]) { return ::pipe2(ends, O_CLOEXEC) == 0; }

void posix::killWhenEnds(pid_t) { ::prctl(PR_SET_PDEATHSIG, SIGKILL); }

std::filesystem::path executablePath() {
  std::error_code fault;
  std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", fault);
  return fault ? std::filesystem::path() : path;
}

std::uint64_t peakMemoryBytes() {
  // getrusage() counts what the parent held when it started this process.
  if (std::FILE* status = std::fopen("/proc/self/status", "re")) {
    char line[256];
    unsigned long long kibibytes = 0;
    bool is_found = false;
    while (!is_found && std::fgets(line, sizeof line, status)) {
      is_found = std::sscanf(line, "VmHWM: %llu kB", &kibibytes) == 1;
    }
    std::fclose(status);
    if (is_found) return kibibytes * 1024;
  }
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;  // in KiB
}

}  // namespace clipmill::system
