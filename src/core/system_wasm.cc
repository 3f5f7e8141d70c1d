// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>

#include <emscripten.h>

#include "core/console.h"
#include "core/system.h"
#include "core/utf8_path.h"

// Node has processes, whose numbers are of its operating system; a page has none.
// clang-format off
EM_JS(int, clipmillProcessId, (), {
  return typeof process === 'object' ? process.pid : 1;
})
EM_JS(int, clipmillIsRunning, (double process_id), {
  if (typeof process !== 'object') return 1;
  try {
    process.kill(process_id, 0);
  } catch (fault) {
    return fault.code === 'ESRCH' ? 0 : 1;
  }
  return 1;
})
EM_JS(int, clipmillIsStderrTerminal, (), {
  return typeof process === 'object' && process.stderr.isTTY ? 1 : 0;
})
// clang-format on

// A WebAssembly module sees no signals and starts no other program. Its files are those of node,
// or of memory in a page: system_posix_files.cc serves for both.
namespace clipmill::system {
namespace {

// What the script that starts the module calls it: a path beside which its pages are found.
std::string& programName() {
  static std::string name;
  return name;
}

}  // namespace

std::uint64_t processId() { return static_cast<std::uint64_t>(clipmillProcessId()); }

bool isRunning(std::uint64_t process_id) {
  return clipmillIsRunning(static_cast<double>(process_id)) != 0;
}

std::filesystem::path executablePath() { return utf8Path(programName()); }

std::uint64_t peakMemoryBytes() {
  constexpr std::uint64_t kPage = 1 << 16;
  return __builtin_wasm_memory_size(0) * kPage;  // it never shrinks
}

void expectToFill(void*, std::size_t) {}

bool isStderrTerminal() { return clipmillIsStderrTerminal() != 0; }

int stderrColumns() { return 80; }

void watchForInterrupt() {}

bool interrupted() { return false; }

Result<ChildResult> runChild(const std::filesystem::path& program, const std::vector<std::string>&,
                             const ChildLimits&, std::span<const std::byte>) {
  return Error{ErrorCode::kUnsupported, utf8Text(program),
               "cannot be started: WebAssembly runs no other programs",
               "use clipmill for your operating system"};
}

void endWithParent() {}

void endAfter(double) {}

void ignoreBrokenPipe() {}

void retainMemory() {}

void returnMemory() {}

std::vector<std::string> utf8Arguments(int count, char** values) {
  if (count > 0) programName() = values[0];
  return {values + std::min(count, 1), values + count};
}

void prepareStandardStreams() {}

}  // namespace clipmill::system
