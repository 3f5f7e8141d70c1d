// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace clipmill::test {

#ifdef _WIN32
inline constexpr bool kIsWindows = true;
#else
inline constexpr bool kIsWindows = false;
#endif

#ifdef __EMSCRIPTEN__
inline constexpr bool kIsWebAssembly = true;
#else
inline constexpr bool kIsWebAssembly = false;
#endif
/// The module for node has one thread.
inline constexpr bool kHasThreads = !kIsWebAssembly;

/// How many vector instruction sets the kernels are compiled for at least, so that tests that
/// compare them compare something.
#if defined(__x86_64__) || defined(_M_X64)
inline constexpr std::size_t kLeastInstructionSets = 2;
#else
inline constexpr std::size_t kLeastInstructionSets = 1;
#endif

}  // namespace clipmill::test
