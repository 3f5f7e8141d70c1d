// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/arrays/humanml.h"

#include "core/portable_math.h"

namespace clipmill::io::arrays {

std::vector<Vec3> humanMlPositions(std::span<const double> features) {
  constexpr std::size_t kFeatures = 263, kJoints = 22, kPositions = 4;
  std::vector<Vec3> points;
  double angle = 0.0;  // half of the heading: the published code uses it so
  Vec3 root(0.0);
  for (std::size_t f = 0; f * kFeatures < features.size(); ++f) {
    const double* row = &features[f * kFeatures];
    if (f > 0) angle += row[-static_cast<std::ptrdiff_t>(kFeatures)];
    const portable::SineCosine half = portable::sinCos(angle);
    const Quat from_heading(half.cosine, 0.0, -half.sine, 0.0);
    if (f > 0) {
      const double* before = row - kFeatures;
      root += from_heading * Vec3(before[1], 0.0, before[2]);
    }
    points.emplace_back(root.x, row[3], root.z);
    for (std::size_t j = 0; j + 1 < kJoints; ++j) {
      const double* at = row + kPositions + 3 * j;
      points.push_back(from_heading * Vec3(at[0], at[1], at[2]) + Vec3(root.x, 0.0, root.z));
    }
  }
  return points;
}

}  // namespace clipmill::io::arrays
