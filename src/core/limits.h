// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace clipmill::io {

/// What an input may ask for before it is refused. Files are not trusted: a few bytes can claim
/// billions of elements.
struct Limits {
  std::uint64_t max_file_bytes = std::uint64_t{1} << 30;  ///< Of one file, referenced files too.
  std::uint64_t max_decoded_bytes = std::uint64_t{4}
                                    << 30;  ///< Of all arrays decoded from one input.
  int max_depth = 256;                      ///< Of brackets within brackets.
};

}  // namespace clipmill::io
