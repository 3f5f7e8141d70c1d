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

/// Clips of dynamic soft tissue: their initial state, and how cycles loop.
namespace clipmill::stages::tet_bake {

/// Height of the reference character, for which speeds of shear waves are given.
inline constexpr double kReferenceHeight_m = 1.8;

/// Settings of dynamic tissue.
struct SoftTissueSettings {
  /// 0 is firm and 1 soft: in the reference character shear waves, whose speed is sqrt(shear
  /// modulus / density), have 10^(1.25 - 3 jiggle / 4) m/s: 18, at 0.5 7.5, at 1 3.2. The speed is
  /// proportional to the character's size, so that each swings by the same share of it.
  double jiggle = 0.5;
  double settle_s = 0.75;  ///< Time until a tenth of a swing is left: damping 2 ln 10 / settle_s.
  double character_m = kReferenceHeight_m;  ///< Its largest extent.
};

/// A swing, relative to the equilibrium, limited to `max_m`: s / sqrt(1 + |s|^2 / max_m^2), which
/// hardly changes small ones. 0 where `max_m` is.
Vec3 boundedSwing(const Vec3& swing, double max_m);

/// A clip to be solved. `source` may be called from several threads at once, also before and again
/// after its frame was solved; `sink` once for every frame, frame 0 first.
struct SoftTissueClip {
  std::size_t frame_count = 0;
  double frame_s = 0.0;
  FrameSource source;
  FrameSink sink;
};

/// How a clip was solved.
struct SoftTissueRun {
  int passes = 1;           ///< The last one counts; above 1 for a cycle.
  double loop_gap_m = 0.0;  ///< Of a cycle, what is left between its end and its start, largest.
};

/// solveDynamic() for clips of any frame rates, in steps of about 1/240 s. A clip whose last frame
/// has the shape of its first one, wherever it has gone meanwhile, is a cycle: it is solved several
/// times in succession until its first swing has decayed, and the last pass counts, so that it
/// loops without a jump. Others start in equilibrium. One run a clip. Errors: those of
/// solveDynamic(); kRecipe for methods other than kNeoHookean.
Result<std::vector<SoftTissueRun>> solveSoftTissue(const TetMesh& mesh,
                                                   std::span<const SoftTissueClip> clips,
                                                   const SolveSettings& settings,
                                                   const SoftTissueSettings& tissue);

}  // namespace clipmill::stages::tet_bake
