// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/result.h"

/// What every fuzz target asks for.
namespace clipmill::fuzz {

/// Ends the program with a sentence where `holds` is false, which libFuzzer takes for a finding.
inline void require(bool holds, const char* what, const std::string& detail = "") {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s %s\n", what, detail.c_str());
  std::abort();
}

inline void requireOneLine(const Error& error) {
  for (char c : describe(error)) {
    require(static_cast<unsigned char>(c) >= 0x20, "an error is not one line");
  }
}

}  // namespace clipmill::fuzz
