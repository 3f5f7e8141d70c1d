// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/image_type.h"

#include <algorithm>
#include <initializer_list>

namespace clipmill::io::gltf {
namespace {

bool startsWith(std::span<const std::byte> bytes, std::initializer_list<int> magic) {
  return bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), bytes.begin(),
                    [](int m, std::byte b) { return m == std::to_integer<int>(b); });
}

}  // namespace

std::string_view mimeTypeOf(std::span<const std::byte> bytes) {
  if (startsWith(bytes, {0x89, 'P', 'N', 'G'})) return "image/png";
  if (startsWith(bytes, {0xFF, 0xD8})) return "image/jpeg";
  if (startsWith(bytes, {0xAB, 'K', 'T', 'X'})) return "image/ktx2";
  if (startsWith(bytes, {'R', 'I', 'F', 'F'})) return "image/webp";
  return {};
}

}  // namespace clipmill::io::gltf
