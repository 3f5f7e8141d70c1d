// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "core/math.h"

namespace clipmill {

/// Of a perspective camera.
struct Perspective {
  double vertical_fov_rad = 0.8;
  std::optional<double> aspect_ratio = {};  ///< Width by height; unset: that of the image.
};

/// Of an orthographic camera: half of what it shows [file units].
struct Orthographic {
  double half_width = 1.0;
  double half_height = 1.0;
};

/// A camera (glTF 2.0, 3.10). In view space it is at the origin and looks along -z; y is up.
struct SceneCamera {
  std::string name;
  int node = 0;                             ///< Index in Skeleton::nodes.
  Quat node_from_view = kIdentityRotation;  ///< Where the format's cameras look along another axis.
  std::optional<Orthographic> orthographic;  ///< Unset: a perspective camera.
  Perspective perspective;
  double near_distance = 0.1;               ///< [file units]
  std::optional<double> far_distance = {};  ///< [file units]; unset: infinite.
};

}  // namespace clipmill
