// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "core/math.h"

namespace clipmill::test {

/// Numbers at random, the same in every run and on every target: distributions of the standard
/// library differ between its vendors, the order of a call's arguments between compilers. Braces
/// keep an order: `Vec3{random.number(0, 1), ..}`.
class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}

  /// Evenly distributed from `low` to below `high`, in 2^32 steps.
  double number(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0);
  }
  int index(int count) { return std::min(static_cast<int>(number(0.0, count)), count - 1); }
  bool isChance(double share) { return number(0.0, 1.0) < share; }
  /// One of `values`, of which there is at least one.
  template <class T>
  T oneOf(const std::vector<T>& values) {
    return values[engine_() % values.size()];
  }
  /// In a cube of twice `size` about the origin.
  Vec3 vector(double size) { return Vec3{within(size), within(size), within(size)}; }
  /// Of length 1, all directions alike.
  Vec3 direction() {
    for (;;) {
      const Vec3 v = vector(1.0);
      const double square = glm::dot(v, v);
      if (square > 0.01 && square < 1.0) return v / std::sqrt(square);
    }
  }
  /// In any direction, of a length between these.
  Vec3 vectorOfLength(double least, double most) {
    const Vec3 along = direction();
    return along * number(least, most);
  }
  /// About any direction, by at most `max_rad` in either sense.
  Quat rotation(double max_rad = kPi) {
    const Vec3 axis = direction();
    return rotationAbout(axis, within(max_rad));
  }

 private:
  double within(double size) { return number(-size, size); }
  std::mt19937 engine_;
};

}  // namespace clipmill::test
