// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/math.h"
#include "scene/pose_driver.h"
#include "scene/scene.h"
#include "scene/skin_surface.h"
#include "stages/tet_bake/drivers/driver_frames.h"
#include "stages/tet_bake/drivers/region_joints.h"
#include "stages/tet_bake/morphs/morph_fit.h"
#include "stages/tet_bake/morphs/morph_regions.h"

/// Morphs that follow joint rotations.
namespace clipmill::stages::tet_bake {

struct DrivenFitSettings {
  double rms_m = 0.5e-3;  ///< What may be left of the prediction in each region.
  std::size_t most = 0;   ///< Morphs of all regions together; 0 for any number.
  int threads = 1;        ///< The result has the same bits for any number.
};

struct DrivenMorphs {
  std::vector<PoseDriver> drivers;  ///< Morphs without names, values in [-1, 1].
  /// The morphs of all drivers in succession; a weight per column.
  std::vector<FittedMorph> fitted;
};

/// For each region the displacements as functions of the rotations of some of its joints, which are
/// added one by one as long as unknown frames gain by them (fitDriver()), then the leading singular
/// vectors of what these predict: of all regions the `most` with the largest singular values, in
/// each as many as `rms_m` needs. `joints`: one list per region.
DrivenMorphs fitDrivenMorphs(const PointDisplacements& displacements,
                             std::span<const MorphRegion> regions,
                             std::span<const std::vector<int>> joints, const BindRotations& bind,
                             const RelativePoses& poses, const DriverFrames& frames,
                             const DrivenFitSettings& settings);

/// Removes the drivers of a joint with their morphs. True if it had any.
bool removeDrivers(int node, DrivenMorphs& morphs);

}  // namespace clipmill::stages::tet_bake
