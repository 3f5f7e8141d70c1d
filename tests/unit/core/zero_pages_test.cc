// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/zero_pages.h"

#include <algorithm>
#include <vector>

#include "checks.h"

TEST_SUITE_BEGIN("core.zero_pages");

using Floats = std::vector<float, clipmill::ZeroPages<float>>;

TEST_CASE("Numbers start as zeros, also where memory was used before") {
  for (int round = 0; round < 4; ++round) {
    Floats numbers(10'000);
    CHECK(std::all_of(numbers.begin(), numbers.end(), [](float x) { return x == 0.0f; }));
    std::fill(numbers.begin(), numbers.end(), 7.0f);
  }
}

TEST_CASE("Copies and given values are unchanged") {
  Floats numbers(100, 3.0f);
  numbers[5] = 4.0f;
  const Floats copy = numbers;
  CHECK(copy == numbers);
  CHECK(copy[5] == 4.0f);
  CHECK(copy[99] == 3.0f);
}
