// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/math.h"
#include "io/fbx/tree_write.h"

/// Elements of FBX 7 blend shapes, for the patcher and the writer: a mesh has a BlendShape, that
/// has channels, and each channel has a shape.
namespace clipmill::io::fbx {

/// Value of new channels at which their shape has its full effect.
inline constexpr double kFullPercent = 100.0;

/// The control points that a shape moves, in the space of the geometry.
struct MovedPoints {
  std::vector<std::int32_t> indices;
  std::vector<double> deltas, normals;  ///< Three numbers a point.

  void add(std::size_t point, const Vec3& delta, const Vec3& normal_delta);
};

/// A Deformer that holds the channels of one mesh.
NewElement blendShapeElement(std::int64_t id, const std::string& name);

/// A Deformer with the weight of its shape; `percent` is the weight without animation.
NewElement shapeChannelElement(std::int64_t id, const std::string& name, double percent);

/// A Geometry with displacements. Where nothing moves, point 0 is listed with none: some readers
/// stumble over a shape without points.
NewElement shapeElement(std::int64_t id, const std::string& name, MovedPoints points);

}  // namespace clipmill::io::fbx
