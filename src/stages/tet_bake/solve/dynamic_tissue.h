// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
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
  /// Of tissue whose TetMesh::stiffness is 1; 0 is firm and 1 soft: see shearSpeed_mps().
  double jiggle = 0.5;
  double settle_s = 0.75;  ///< Time until a tenth of a swing is left: damping 2 ln 10 / settle_s.
  std::vector<double> corner_settle_s = {};  ///< The same by corner; empty: all alike.
  double character_m = kReferenceHeight_m;   ///< Its largest extent.
  /// Two cycles in succession that differ by less are one, in millimetres.
  double loop_tolerance_mm = 0.5;
  int max_loop_cycles = 16;
};

/// In the reference character shear waves, whose speed is sqrt(shear modulus / density), have
/// 10^(1.25 - 3 jiggle / 4) m/s: 18, at 0.5 7.5, at 1 3.2. The speed is proportional to the
/// character's size, so that each swings by the same share of it.
double shearSpeed_mps(double jiggle, double character_m);

/// The shear modulus of tissue over that of other tissue.
double stiffnessOfJiggle(double jiggle, double other_jiggle);

/// A swing, relative to the equilibrium, limited to `max_m`: s / sqrt(1 + |s|^2 / max_m^2), which
/// hardly changes small ones. 0 where `max_m` is.
Vec3 boundedSwing(const Vec3& swing, double max_m);

/// How the end of a cycle continues at its start: x -> to + rotation (x - from).
struct TissueCycle {
  /// The last frame is one frame before the first one. `back` maps the end of that step.
  bool is_open = false;
  Quat rotation = kIdentityRotation;
  Vec3 from{0.0}, to{0.0};
};

/// A clip to be solved. `source` may be called from several threads at once, also before and again
/// after its frame was solved; `sink` once for every frame, frame 0 first.
struct SoftTissueClip {
  std::size_t frame_count = 0;
  double frame_s = 0.0;
  FrameSource source;
  FrameSink sink;
  std::optional<TissueCycle> cycle = std::nullopt;
  /// Time between the keys of the motion: frames between them have the corners of linear keys,
  /// which tissue does not feel (TissueKnots). 0: every frame is one.
  double knot_s = 0.0;
};

/// How a clip was solved.
struct SoftTissueRun {
  int cycles = 1;           ///< Number of times that the clip was started; above 1 for a cycle.
  double loop_gap_m = 0.0;  ///< Of a cycle: largest difference of the last two where they join.
};

/// solveDynamic() for clips of any frame rates, in steps of about 1/120 s, at the knots of each.
/// Clips start in equilibrium. A cycle is played until it repeats: until in two frames in
/// succession no corner differs by more than loop_tolerance_mm from the cycle before, or
/// max_loop_cycles times. The result is the start of the last cycle, which goes on from the end of
/// the one before, and fades along 3 s^2 - 2 s^3 to that one: so positions and velocities agree
/// across the seam. One run a clip. Errors: those of solveDynamic(); kRecipe for methods other than
/// kNeoHookean.
Result<std::vector<SoftTissueRun>> solveSoftTissue(const TetMesh& mesh,
                                                   std::span<const SoftTissueClip> clips,
                                                   const SolveSettings& settings,
                                                   const SoftTissueSettings& tissue);

}  // namespace clipmill::stages::tet_bake
