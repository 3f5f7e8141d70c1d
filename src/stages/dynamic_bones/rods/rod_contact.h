// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "core/math.h"

namespace clipmill::stages::dynamic_bones {

/// A bone of a rod that is in a solid. Metric world space.
struct RodContact {
  std::size_t bone = 0;
  int solid = 0;
  double share = 1.0;         ///< Where its penetration is largest: 0 at its head, 1 at its end.
  Vec3 point_m{0.0};          ///< Of the bone's axis, there.
  Vec3 normal{0.0};           ///< Out of the solid.
  double correction_m = 0.0;  ///< How far it has to go in this step.
  double speed_mps = 0.0;     ///< Of the solid along the normal.
  double friction = 0.0;
};

}  // namespace clipmill::stages::dynamic_bones
