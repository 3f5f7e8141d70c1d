// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "scene/scene.h"

namespace clipmill {

/// How a format has its cameras and lights in the axes of their nodes; by default as glTF.
struct ViewAxes {
  Quat node_from_camera = kIdentityRotation;
  Quat node_from_light = kIdentityRotation;
};

/// The scene with every camera and light in a node that has nothing else, and has it by `axes`.
/// Where they look in the world stays, and so do all nodes: where one does not have the axes, a new
/// node "<node>_camera" or "<node>_light" below it does. Nodes with such names, of an earlier
/// conversion, are rotated. New nodes follow all others.
Scene withViewAxes(const Scene& scene, const ViewAxes& axes);

/// Multiplies all lengths of cameras and lights.
void scaleViews(double factor, Scene& scene);

}  // namespace clipmill
