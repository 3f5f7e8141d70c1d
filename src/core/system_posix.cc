// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>

#include "core/console.h"
#include "core/system.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace clipmill::system {
namespace {

// Written by a signal handler and read by all threads.
std::atomic<bool> is_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may write it");

void onInterrupt(int) { is_interrupted = true; }

}  // namespace

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
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;  // Linux counts in KiB
}

void expectToFill(void* start, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t kLargePage = std::uintptr_t{2} << 20;
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const std::uintptr_t first = (address + kLargePage - 1) / kLargePage * kLargePage;
  const std::uintptr_t last = (address + bytes) / kLargePage * kLargePage;
  // It is advice: a system that refuses it works as before.
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#else
  static_cast<void>(start);
  static_cast<void>(bytes);
#endif
}

bool isStderrTerminal() { return ::isatty(STDERR_FILENO) == 1; }

int stderrColumns() {
  constexpr int kUsual = 80;
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

void watchForInterrupt() {
  struct sigaction action {};
  action.sa_handler = onInterrupt;
  ::sigemptyset(&action.sa_mask);
  // Schedulers of clusters announce the end of the time they give with SIGUSR1.
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) ::sigaction(number, &action, nullptr);
}

bool interrupted() { return is_interrupted; }

void ignoreBrokenPipe() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void retainMemory() {
#ifdef __GLIBC__
  constexpr int kMaxKept_bytes = 256 << 20;
  ::mallopt(M_TRIM_THRESHOLD, kMaxKept_bytes);
  constexpr int kLargest_bytes = 32 << 20;  // Larger arrays have pages of their own.
  ::mallopt(M_MMAP_THRESHOLD, kLargest_bytes);
#endif
}

std::vector<std::string> utf8Arguments(int count, char** values) {
  return {values + std::min(count, 1), values + count};
}

void prepareStandardStreams() {}

}  // namespace clipmill::system
