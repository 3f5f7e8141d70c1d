// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Prints the instruction sets that kernels can run with on this machine, one a line.
#include <cstdio>

#include "core/instruction_set_simd.h"

int main() {
  for (const std::string& name : clipmill::instructionSets()) std::puts(name.c_str());
}
