// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "core/math.h"
#include "core/result.h"
#include "stages/tet_bake/solve/solve_clip.h"
#include "stages/tet_bake/tets/tet_mesh.h"

/// Tetrahedra with inertia: soft tissue that lags behind its bones and swings.
namespace clipmill::stages::tet_bake {

struct DynamicSettings {
  /// Speed of shear waves where TetMesh::stiffness is 1, sqrt(mu / density): stiffer tissue is
  /// faster and swings at a higher frequency. Soft tissue has 1 to 10 m/s.
  double shear_speed_mps = 3.0;
  double damping_per_s = 6.0;  ///< Velocity against the bones falls by exp(-damping t).
  std::vector<double> corner_damping_per_s = {};  ///< The same by corner; empty: all alike.
  int substeps = 4;                               ///< Of a frame.
  int max_sweeps = 40;                            ///< Of a step.
  double step_tolerance = 5e-5;  ///< Largest step of the last sweep, in lengths of an edge.
};

/// Receives a solved frame and where its source had the corners. Returns whether the clip goes on:
/// to its next frame, after the last one to its second, once more.
using DynamicSink = std::function<bool(std::size_t frame, std::span<const Vec3> carried,
                                       std::span<const Vec3> solved, const FrameStats& stats)>;

/// A clip of which frames follow each other. Its callbacks are called in the order of its frames,
/// by one thread at a time.
struct DynamicClip {
  std::size_t frame_count = 0;
  /// `start` is also the skinned position of a corner, without inertia. Of a cycle also the frame
  /// after the last one.
  FrameSource source;
  DynamicSink sink;
  bool is_cycle = false;  ///< It may be played again.
  /// Where a clip is played again, frame 0 has the time of the last frame: the tissue is moved with
  /// the bones from one to the other. This is the rotation of the character between them.
  Quat start_from_end = kIdentityRotation;
};

/// Moves the tetrahedra through clips of one frame rate, from rest against the bones at the first
/// frame, in implicit steps (tissue_lane.h), each of which minimizes the energy of material.h and
/// that of inertia by block descent (Chen et al. 2024). Clips share the lanes of vectors, and none
/// depends on another. FrameStats::sweeps are those of all steps since the frame before. Errors:
/// those of solveClip(), the clip named; frame_s or a setting that is not above 0.
Result<SolveSummary> solveDynamic(const TetMesh& mesh, std::span<const DynamicClip> clips,
                                  double frame_s, const SolveSettings& settings,
                                  const DynamicSettings& dynamic);

}  // namespace clipmill::stages::tet_bake
