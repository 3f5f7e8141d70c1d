// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/hash.h"

#include <xxhash.h>

namespace clipmill {

std::string hashHex(std::span<const std::byte> bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned char digit : canonical.digest) {
    text += kDigits[digit >> 4];
    text += kDigits[digit & 15];
  }
  return text;
}

}  // namespace clipmill
