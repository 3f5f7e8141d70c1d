// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "stages/dynamic_bones/unity/text.h"

namespace clipmill::stages::dynamic_bones::unity {

/// An AnimationCurve: cubic Hermite between keys with their slopes, constant before the first and
/// after the last, in steps where a slope is infinite. Weights of tangents are not read.
class AnimationCurve {
 public:
  /// From the value of a field; a curve without keys is 1 everywhere, as it is where components
  /// scale a number by it.
  explicit AnimationCurve(const Value& field);
  double at(double time) const;

 private:
  struct Key {
    double time = 0.0, value = 0.0, in_slope = 0.0, out_slope = 0.0;
    bool is_step = false;  ///< Up to the next key.
  };
  std::vector<Key> keys_;  // ascending
};

}  // namespace clipmill::stages::dynamic_bones::unity
