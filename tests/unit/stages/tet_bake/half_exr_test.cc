// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/caches/half_exr.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "checks.h"

TEST_SUITE_BEGIN("tet_bake.half_exr");

using namespace clipmill;
using namespace clipmill::stages::tet_bake;

TEST_CASE("Halves of IEEE 754 are those of its tables") {
  CHECK(halfOf(0.0f) == 0x0000);
  CHECK(halfOf(-0.0f) == 0x8000);
  CHECK(halfOf(1.0f) == 0x3C00);
  CHECK(halfOf(-2.0f) == 0xC000);
  CHECK(halfOf(0.333333333f) == 0x3555);
  CHECK(halfOf(65504.0f) == 0x7BFF);
  CHECK(halfOf(65519.0f) == 0x7BFF);
  CHECK(halfOf(65520.0f) == 0x7C00);
  CHECK(halfOf(0x1p-14f) == 0x0400);
  CHECK(halfOf(0x1p-24f) == 0x0001);
  CHECK(halfOf(0x1p-25f) == 0x0000);  // a tie, to the even one
  CHECK(halfOf(0x1.8p-25f) == 0x0001);
  CHECK(halfOf(-std::numeric_limits<float>::infinity()) == 0xFC00);
  CHECK(std::isnan(floatOfHalf(halfOf(std::nanf("")))));
}

TEST_CASE("Every half reads back as itself") {
  for (std::uint32_t half = 0; half < 0x10000; ++half) {
    const float value = floatOfHalf(static_cast<std::uint16_t>(half));
    if (!std::isnan(value)) CHECK(halfOf(value) == half);
  }
}

TEST_CASE("A number becomes the nearest half") {
  std::mt19937 random(3);
  for (int i = 0; i < 100000; ++i) {
    const float value = std::ldexp(static_cast<float>(random()) / 4294967296.0f,
                                   static_cast<int>(random() % 40) - 25);
    const std::uint16_t half = halfOf(value);
    const auto off = [&](int step) {
      return std::abs(static_cast<double>(floatOfHalf(static_cast<std::uint16_t>(half + step))) -
                      static_cast<double>(value));
    };
    if (half >= 0x7BFF) continue;
    CHECK(off(0) <= off(1));
    if (half > 0) CHECK(off(0) <= off(-1));
  }
}

TEST_CASE("An image of one line has its head, its table and its channels from A to R") {
  const std::vector<std::uint16_t> rgba = {1, 2, 3, 4, 5, 6, 7, 8};
  const Bytes bytes = exrOf(2, 1, rgba);
  const auto at = [&](std::size_t i) { return std::to_integer<unsigned>(bytes[i]); };
  CHECK(at(0) == 0x76);
  CHECK(at(1) == 0x2F);
  CHECK(at(2) == 0x31);
  CHECK(at(3) == 0x01);
  // The last line: number 0, 16 bytes, then A A B B G G R R.
  const std::size_t line = bytes.size() - 24;
  CHECK(at(line) == 0);
  CHECK(at(line + 4) == 16);
  const unsigned wanted[] = {4, 8, 3, 7, 2, 6, 1, 5};
  for (std::size_t i = 0; i < 8; ++i) CHECK(at(line + 8 + 2 * i) == wanted[i]);
  // The table before it states where it is.
  CHECK(at(line - 8) + 256 * at(line - 7) == line);
}
