// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/math.h"
#include "scene/pose_driver.h"

/// Numbers as functions of joint rotations, fitted to examples.
namespace clipmill::stages::tet_bake {

/// Examples of a function of joint rotations with several outputs, which is 0 in the bind pose.
struct DriverExamples {
  std::vector<int> joints;  ///< Indices in Skeleton::nodes.
  std::size_t output_count = 0;
  std::vector<Quat> rotations;  ///< By example and joint, relative to the bind pose.
  std::vector<double> outputs;  ///< By example and output.
  std::vector<double> weights;  ///< One per example, 0 or more.
  /// One per example, 0 or more: examples of a part are predicted from the other parts, to choose
  /// among fits (cross-validation).
  std::vector<int> parts;

  std::size_t count() const { return weights.size(); }
};

/// One kind of driver among which a fit chooses.
struct DriverShape {
  std::vector<std::size_t> joints;  ///< Those that it reads, indices in DriverExamples::joints.
  std::vector<DriverInput> inputs;  ///< DriverInput::joint is an index in `joints`.
};

/// What a search tries.
struct DriverSearchGrid {
  std::vector<std::size_t> center_counts;  ///< Ascending.
  std::vector<double> widths;              ///< Of the Gaussians, in distances of the centers.
  std::vector<double> ridges;              ///< In mean squares of the Gaussians.
};

/// For the final fit, and to compare shapes fast.
DriverSearchGrid wholeGrid();
DriverSearchGrid quickGrid();

/// A driver whose outputs are fitted.
struct FittedDriver {
  PoseDriver driver;           ///< Without morphs; no centers where nothing is predicted.
  std::vector<double> values;  ///< By center and output.
  double ridge = 0.0;          ///< In mean squares of the Gaussians.
  /// Weighted mean squares over all examples: of the outputs, of what the fit leaves, and of what
  /// fits to the other parts leave of each part.
  double total = 0.0, left = 0.0, left_unknown = 0.0;
};

/// The fit with the least cross-validated error among those of `shapes` and `grid`. Fewer centers
/// are chosen where more of them gain little. Centers are examples, each the farthest from those
/// before it; the first is the bind pose, in which all outputs are 0. Values far beyond the outputs
/// are not considered. Without gain on the unknown parts there are no centers.
FittedDriver fitDriver(const DriverExamples& examples, std::span<const DriverShape> shapes,
                       const DriverSearchGrid& grid = wholeGrid());

/// The values of a driver whose inputs, centers and width are given, without cross-validation. With
/// the bind pose and all examples as centers and no ridge it interpolates. `ridge`: in mean squares
/// of the Gaussians.
FittedDriver fitDriverAt(const DriverExamples& examples, const PoseDriver& driver, double ridge);

}  // namespace clipmill::stages::tet_bake
