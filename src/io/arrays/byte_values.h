// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "core/file.h"
#include "core/to_size.h"

namespace clipmill::io::arrays {

/// Bits of a number as an unsigned integer of its size.
template <std::size_t kBytes>
using BitsOf = std::conditional_t<
    kBytes == 1, std::uint8_t,
    std::conditional_t<kBytes == 2, std::uint16_t,
                       std::conditional_t<kBytes == 4, std::uint32_t, std::uint64_t>>>;

/// The little-endian number at `at`, which must be within `bytes` with all of its bytes.
template <class T>
T loadValue(std::span<const std::byte> bytes, std::uint64_t at) {
  BitsOf<sizeof(T)> bits = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    const auto byte = static_cast<BitsOf<sizeof(T)>>(bytes[toSize(at) + i]);
    bits = static_cast<BitsOf<sizeof(T)>>(bits | static_cast<BitsOf<sizeof(T)>>(byte << (8 * i)));
  }
  return std::bit_cast<T>(bits);
}

/// Appends little-endian numbers.
struct ByteWriter {
  Bytes bytes;

  template <class T>
  void value(T number) {
    const auto bits = std::bit_cast<BitsOf<sizeof(T)>>(number);
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bytes.push_back(static_cast<std::byte>((bits >> (8 * i)) & 0xff));
  }
  void text(std::string_view chars) {
    const auto view = asBytes(chars);
    bytes.insert(bytes.end(), view.begin(), view.end());
  }
};

}  // namespace clipmill::io::arrays
