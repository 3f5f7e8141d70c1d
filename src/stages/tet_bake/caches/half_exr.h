// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/file.h"

/// Images of 16-bit floats.
namespace clipmill::stages::tet_bake {

/// IEEE 754 binary16 nearest to `value`, of two the even one; infinity beyond 65519.
std::uint16_t halfOf(float value);
/// Its value as a float.
float floatOfHalf(std::uint16_t half);

/// An OpenEXR file, version 2: scan lines from the top, uncompressed, channels A, B, G and R of
/// 16-bit floats. `rgba` has width x height x 4 halves, lines from the top, in that order.
Bytes exrOf(std::size_t width, std::size_t height, std::span<const std::uint16_t> rgba);

}  // namespace clipmill::stages::tet_bake
