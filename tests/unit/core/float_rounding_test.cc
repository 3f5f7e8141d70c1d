// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/float_rounding.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "checks.h"
#include "core/math.h"

TEST_SUITE_BEGIN("core.float_rounding");

using namespace clipmill;

namespace {

// A float has 23 bits of mantissa, a double 52: the last 29 are 0.
bool isFloat(double x) { return (std::bit_cast<std::uint64_t>(x) & 0x1fffffff) == 0; }

[[gnu::noinline]] void appendRounded(const Vec3& x, std::vector<Vec3>& rounded) {
  rounded.push_back({roundedToFloat(x.x), roundedToFloat(x.y), roundedToFloat(x.z)});
}

}  // namespace

TEST_CASE("numbers that are rounded side by side are floats") {
  std::vector<Vec3> rounded;
  appendRounded({0.1, 0.2, 0.3}, rounded);
  for (int i = 0; i < 3; ++i) CHECK(isFloat(rounded[0][i]));
  CHECK(rounded[0] == Vec3(0x1.99999ap-4, 0x1.99999ap-3, 0x1.333334p-2));
  CHECK(roundedToFloat(0.5) == 0.5);
  CHECK(roundedToFloat(1e300) == HUGE_VAL);
}

TEST_SUITE_END();
