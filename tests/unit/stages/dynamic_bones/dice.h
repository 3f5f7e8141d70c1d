// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/math.h"
#include "core/to_size.h"

/// Random numbers for tests.
namespace clipmill::test {

/// Numbers in [-1, 1) that are the same everywhere (Knuth's linear congruential generator).
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  double roll() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 11) * 0x1p-52 - 1.0;
  }
  Vec3 vector() {
    const double x = roll(), y = roll();
    return {x, y, roll()};
  }
  std::size_t below(std::size_t count) {
    return toSize(0.5 * (roll() + 1.0) * static_cast<double>(count));
  }

 private:
  std::uint64_t state_;
};

}  // namespace clipmill::test
