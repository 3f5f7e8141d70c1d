// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

/// Which vector instructions the kernels in *_simd files run with.
namespace clipmill {

/// Names of the instruction sets that this machine has and the kernels were compiled for, best
/// first.
std::vector<std::string> instructionSets();

/// Lets all kernels run with one of those from now on, or with the best one again; for tests. Not
/// while a kernel runs.
void useInstructionSet(const std::string& name);
void useBestInstructionSet();

}  // namespace clipmill
