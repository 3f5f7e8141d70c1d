// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <csignal>

#include "core/console.h"
#include "core/system.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace clipmill::system {
namespace {

// Written by a signal handler and read by all threads.
std::atomic<bool> is_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may write it");

void onInterrupt(int) { is_interrupted = true; }

}  // namespace

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

void returnMemory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

std::vector<std::string> utf8Arguments(int count, char** values) {
  return {values + std::min(count, 1), values + count};
}

void prepareStandardStreams() {}

}  // namespace clipmill::system
