// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "core/math.h"

namespace clipmill {

enum class LightType { kDirectional, kPoint, kSpot };

/// A light (KHR_lights_punctual). In view space it is at the origin and shines along -z.
struct SceneLight {
  std::string name;
  int node = 0;                             ///< Index in Skeleton::nodes.
  Quat node_from_view = kIdentityRotation;  ///< Where the format's lights shine along another axis.
  LightType type = LightType::kPoint;
  Vec3 color{1.0};                   ///< Linear RGB.
  double intensity = 1.0;            ///< Directional: lux; others: candela.
  std::optional<double> range = {};  ///< [file units]; unset: unlimited.
  double inner_cone_rad = 0.0;       ///< Of a spot: from its axis to where it starts to fade.
  double outer_cone_rad = 0.7853981633974483;  ///< Of a spot: from its axis to where it ends.
};

}  // namespace clipmill
