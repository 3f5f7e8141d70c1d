// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "core/result.h"
#include "stages/tet_bake/solve/solve_clip.h"
#include "stages/tet_bake/tets/tet_mesh.h"

/// Tetrahedra with inertia: soft tissue that lags behind its bones and swings.
namespace clipmill::stages::tet_bake {

struct DynamicSettings {
  /// Speed of shear waves, sqrt(mu / density): stiffer tissue is faster and swings at a higher
  /// frequency. Soft tissue has 1 to 10 m/s.
  double shear_speed_mps = 3.0;
  double damping_per_s = 6.0;  ///< Velocity against the bones falls by exp(-damping t).
  int substeps = 8;            ///< Of a frame: many small steps do better than many sweeps.
  int sweeps = 12;             ///< Of a step.
};

/// A clip of which frames follow each other. Its callbacks are called in the order of its frames,
/// by one thread at a time.
struct DynamicClip {
  std::size_t frame_count = 0;
  FrameSource source;  ///< `start` is also the skinned position of a corner, without inertia.
  FrameSink sink;
};

/// Moves the tetrahedra through clips of one frame rate, from rest against the bones at the first
/// frame: implicit Euler steps, each the minimum of the energy of material.h plus
/// m / (2 h^2) |x - (x_before + h v)|^2 by block descent (Chen et al. 2024), h the time of a step.
/// Bones go straight from frame to frame. Clips share the lanes of vectors, kFrameLanes a block,
/// and blocks the threads; none depends on another. FrameStats::sweeps are those of all steps since
/// the frame before. Errors: those of solveClip(), the clip named; frame_s or a setting that is not
/// above 0.
Result<SolveSummary> solveDynamic(const TetMesh& mesh, std::span<const DynamicClip> clips,
                                  double frame_s, const SolveSettings& settings,
                                  const DynamicSettings& dynamic);

}  // namespace clipmill::stages::tet_bake
