// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/math.h"

namespace clipmill::render {

/// Pixels in sRGB, rows from the top, four bytes (red, green, blue, alpha) each.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgba;
};

/// Size and pixels in one number: what tests hold, since the bytes of a PNG also depend on the
/// version of the library that packed them.
std::string hashHex(const Image& image);

/// Light that a byte of an sRGB image represents, 0..1 (IEC 61966-2-1), and the nearest byte to
/// an amount of light; amounts outside 0..1 are clamped, NaN counts as 0.
double linearFromSrgb(std::uint8_t value);
std::uint8_t srgbFromLinear(double light);

/// The linear colour that people write as 0xRRGGBB.
Vec3 colorOf(std::uint32_t hex);

}  // namespace clipmill::render
