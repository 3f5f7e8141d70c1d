// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

namespace clipmill {

/// The 32-bit float nearest to `x`, as a double. A cast to float and back does not do: GCC 12 for
/// x86-64 vectorises two of them side by side (-ftree-slp-vectorize, part of -O2), takes the pair
/// of conversions for one that changes nothing, and leaves both out. So x86-64 had other bits than
/// ARM.
inline double roundedToFloat(double x) {
  float rounded = static_cast<float>(x);
#if defined(__GNUC__) && !defined(__clang__)
#if defined(__x86_64__)
  asm("" : "+x"(rounded));  // no instruction: the compiler does not see through it
#elif defined(__aarch64__)
  asm("" : "+w"(rounded));
#endif
#endif
  return static_cast<double>(rounded);
}

}  // namespace clipmill
