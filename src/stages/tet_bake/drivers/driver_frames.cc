// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/drivers/driver_frames.h"

#include "core/to_size.h"

namespace clipmill::stages::tet_bake {

PointDisplacements framesOf(const PointDisplacements& displacements, const DriverFrames& frames) {
  PointDisplacements chosen(displacements.pointCount(), frames.columns.size());
  for (std::size_t p = 0; p < displacements.pointCount(); ++p) {
    for (std::size_t f = 0; f < frames.columns.size(); ++f) {
      chosen.set(p, f, displacements.at(p, frames.columns[f]));
    }
  }
  return chosen;
}

DriverExamples examplesOf(std::span<const int> joints, const RelativePoses& poses,
                          const DriverFrames& frames) {
  DriverExamples examples;
  examples.joints.assign(joints.begin(), joints.end());
  examples.weights = frames.weights;
  examples.parts = frames.parts;
  for (const std::size_t column : frames.columns) {
    for (const int node : examples.joints) {
      examples.rotations.push_back(poses[column][toSize(node)]);
    }
  }
  return examples;
}

std::vector<double> weightsIn(std::span<const Quat> pose, const PoseDriver& driver) {
  std::vector<Quat> rotations;
  for (const int joint : driver.joints) rotations.push_back(pose[toSize(joint)]);
  return centerWeights(driver, rotations);
}

}  // namespace clipmill::stages::tet_bake
