// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/math.h"
#include "core/result.h"
#include "stages/tet_bake/solve/solve_clip.h"
#include "stages/tet_bake/tets/tet_mesh.h"

/// Clips of flesh that swings: where they begin, and how they close.
namespace clipmill::tet_bake {

/// The height of a grown figure, for which speeds of shear waves are given.
inline constexpr double kGrownFigure_m = 1.8;

/// How flesh swings, in plain terms.
struct FleshSettings {
  /// 0 is firm and 1 soft: in a grown figure shear waves, whose speed is sqrt(shear modulus /
  /// density), run with 10^(1.25 - 3 jiggle / 4) m/s: 18, at a half 7.5, at 1 3.2. In others their
  /// speed grows with the figure, so that each swings by the same part of its size.
  double jiggle = 0.5;
  double settle_s = 0.75;  ///< After which a tenth of a swing is left: damping 2 ln 10 / settle_s.
  double figure_m = kGrownFigure_m;  ///< Its largest extent.
};

/// A swing, from where flesh would rest, that is never longer than `most_m`: s / sqrt(1 + |s|^2 /
/// most_m^2), which leaves small ones as they are. 0 where `most_m` is.
Vec3 boundedSwing(const Vec3& swing, double most_m);

/// A clip to be moved. `source` may be called from several threads at once, also before and again
/// after its frame was solved; `sink` once for every frame, frame 0 first.
struct FleshClip {
  std::size_t frame_count = 0;
  double frame_s = 0.0;
  FrameSource source;
  FrameSink sink;
};

/// How a clip was played.
struct FleshRun {
  int passes = 1;       ///< The last one counts; above 1 for a cycle.
  double seam_m = 0.0;  ///< Of a cycle, what is left between its end and its begin, largest.
};

/// solveMoving() for clips of any frame rates, in steps of about 1/240 s. A clip whose last frame
/// has the shape of its first one, wherever it has gone meanwhile, is a cycle: it is played on from
/// its end to its begin until its first swing has settled, and the last pass counts, so that it
/// loops without a jolt. Others begin at rest. One run a clip. Errors: those of solveMoving();
/// kRecipe for methods other than kNeoHookean.
Result<std::vector<FleshRun>> moveFlesh(const TetMesh& mesh, std::span<const FleshClip> clips,
                                        const SolveSettings& settings, const FleshSettings& flesh);

}  // namespace clipmill::tet_bake
