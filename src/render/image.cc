// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/image.h"

#include <array>

#include "core/hash.h"
#include "core/portable_math.h"
#include "core/to_size.h"

namespace clipmill::render {
namespace {

constexpr std::size_t kSteps = 1 << 14;  // a fifth of a byte even where the curve is steepest

double decode(double s) {
  return s <= 0.04045 ? s / 12.92 : portable::pow((s + 0.055) / 1.055, 2.4);
}

double encode(double light) {
  return light <= 0.0031308 ? light * 12.92 : 1.055 * portable::pow(light, 1.0 / 2.4) - 0.055;
}

std::array<double, 256> decodingTable() {
  std::array<double, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = decode(static_cast<double>(i) / 255.0);
  return table;
}

std::array<std::uint8_t, kSteps> encodingTable() {
  std::array<std::uint8_t, kSteps> table{};
  for (std::size_t i = 0; i < kSteps; ++i) {
    const double light = static_cast<double>(i) / static_cast<double>(kSteps - 1);
    table[i] = static_cast<std::uint8_t>(encode(light) * 255.0 + 0.5);
  }
  return table;
}

}  // namespace

std::string hashHex(const Image& image) {
  std::vector<std::byte> bytes;
  bytes.reserve(image.rgba.size() + 8);
  for (int size : {image.width, image.height}) {
    for (int shift = 0; shift < 32; shift += 8) {
      bytes.push_back(static_cast<std::byte>((static_cast<std::uint32_t>(size) >> shift) & 255u));
    }
  }
  for (std::uint8_t value : image.rgba) bytes.push_back(static_cast<std::byte>(value));
  return clipmill::hashHex(bytes);
}

double linearFromSrgb(std::uint8_t value) {
  static const std::array<double, 256> kTable = decodingTable();
  return kTable[value];
}

std::uint8_t srgbFromLinear(double light) {
  static const std::array<std::uint8_t, kSteps> kTable = encodingTable();
  if (!(light > 0.0)) return 0;
  if (light >= 1.0) return 255;
  return kTable[toSize(light * static_cast<double>(kSteps - 1) + 0.5)];
}

Vec3 colorOf(std::uint32_t hex) {
  return Vec3(linearFromSrgb(static_cast<std::uint8_t>(hex >> 16)),
              linearFromSrgb(static_cast<std::uint8_t>(hex >> 8)),
              linearFromSrgb(static_cast<std::uint8_t>(hex)));
}

}  // namespace clipmill::render
