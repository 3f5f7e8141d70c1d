// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/math.h"
#include "stages/tet_bake/drivers/driver_fit.h"
#include "stages/tet_bake/morphs/morph_fit.h"

/// Frames of a bake as examples of drivers.
namespace clipmill::stages::tet_bake {

/// Frames to which drivers are fitted.
struct DriverFrames {
  std::vector<std::size_t> columns;  ///< Of the displacements, ascending.
  std::vector<double> weights;       ///< One per column.
  std::vector<int> parts;            ///< DriverExamples::parts.
};

/// One rotation per node, relative to the bind pose: one list per column.
using RelativePoses = std::vector<std::vector<Quat>>;

/// The displacements of these frames, in their order.
PointDisplacements framesOf(const PointDisplacements& displacements, const DriverFrames& frames);

/// Examples of these frames, with the rotations of `joints` and without outputs.
DriverExamples examplesOf(std::span<const int> joints, const RelativePoses& poses,
                          const DriverFrames& frames);

/// Weights of the centers of a driver in a pose, one rotation per node.
std::vector<double> weightsIn(std::span<const Quat> pose, const PoseDriver& driver);

}  // namespace clipmill::stages::tet_bake
