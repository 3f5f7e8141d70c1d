// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace clipmill::io::fbx {

/// The number that lies at `from`, in the byte order of the file.
template <class T>
T loadNumber(const std::byte* from, bool is_big_endian) {
  std::array<std::byte, sizeof(T)> bytes;
  std::memcpy(bytes.data(), from, sizeof(T));
  if (is_big_endian != (std::endian::native == std::endian::big)) std::ranges::reverse(bytes);
  return std::bit_cast<T>(bytes);
}

/// Puts `number` at `to`, in the byte order of the file.
template <class T>
void storeNumber(std::byte* to, T number, bool is_big_endian) {
  auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(number);
  if (is_big_endian != (std::endian::native == std::endian::big)) std::ranges::reverse(bytes);
  std::memcpy(to, bytes.data(), sizeof(T));
}

}  // namespace clipmill::io::fbx
