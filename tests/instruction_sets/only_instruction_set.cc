// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Loaded before libhwy (LD_PRELOAD), it lets a program find the one instruction set that
// CLIPMILL_TEST_INSTRUCTION_SET names. The program ends where there is none of that name. Each time
// that a kernel asks, a line is added to the file CLIPMILL_TEST_ASKED_FILE: proof that kernels did.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <hwy/highway.h>

namespace {

const char* wantedName() {
  const char* name = std::getenv("CLIPMILL_TEST_INSTRUCTION_SET");
  return name ? name : "";
}

std::int64_t wantedTarget() {
  for (int bit = 0; bit < 63; ++bit) {
    const std::int64_t target = std::int64_t{1} << bit;
    if (std::strcmp(hwy::TargetName(target), wantedName()) == 0) return target;
  }
  std::fprintf(stderr, "only_instruction_set: no set is named '%s'\n", wantedName());
  std::abort();
}

}  // namespace

namespace hwy {

int64_t SupportedTargets() {
  static const std::int64_t target = wantedTarget();
  if (const char* path = std::getenv("CLIPMILL_TEST_ASKED_FILE")) {
    if (std::FILE* file = std::fopen(path, "ae")) {
      std::fprintf(file, "%s\n", wantedName());
      std::fclose(file);
    }
  }
  return target;
}

}  // namespace hwy
