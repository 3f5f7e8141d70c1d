// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "core/result.h"
#include "core/warnings.h"
#include "scene/scene.h"
#include "stages/stage.h"
#include "stages/tet_bake/joints/twist_joints.h"
#include "stages/tet_bake/morphs/morph_fit.h"
#include "stages/tet_bake/morphs/morph_regions.h"
#include "stages/tet_bake/settings.h"
#include "stages/tet_bake/solve/moving_flesh.h"
#include "stages/tet_bake/solve/solve_clip.h"
#include "stages/tet_bake/surface/bake_surface.h"
#include "stages/tet_bake/surface/bones.h"
#include "stages/tet_bake/surface/volume.h"
#include "stages/tet_bake/tets/lattice.h"
#include "stages/tet_bake/tets/tet_volumes.h"

/// What the tetrahedra of a figure make of its skin, frame by frame.
namespace clipmill::tet_bake {

/// A figure made ready: its skin, the tetrahedra in it, and how bones carry both.
struct BakeRig {
  BakeSurface surface;
  std::vector<BakeBone> bones;
  Lattice lattice;
  std::vector<MorphRegion> regions;
  std::vector<double> longest_m;  ///< What a point may be moved before skinning, one a point.
  LimbVolumes limbs;              ///< Of the surface.
  TwistJoints twist;              ///< For the motions to be baked; empty for none.

  /// The surface as it is skinned before corrections: with twist joints, where there are any.
  const BakeSurface& shown() const { return twist.empty() ? surface : twist.surface; }
};

/// `tet_files` are those of tetFilesOf(): none for a lattice of our own. Errors: kUnsupported for
/// files without skin or volume; those of givenLattice(); kInternal where the tetrahedra do not
/// give back the surface at rest. The same for any number of threads.
Result<BakeRig> makeBakeRig(const Scene& scene, const TetBakeSettings& settings, Warnings& warnings,
                            std::span<const RawFile> tet_files = {}, int threads = 1);

/// worldsFromBind() of one frame.
std::vector<Affine> worldsAt(const Scene& scene, const BakeRig& rig, const Motion& motion,
                             std::size_t frame);

/// The same for BakeRig::shown() and the flesh: behind the nodes the twist joints of a frame of all
/// clips.
std::vector<Affine> shownWorldsAt(const Scene& scene, const BakeRig& rig, const Motion& motion,
                                  std::size_t frame, std::size_t column);

/// One frame.
struct BakedFrame {
  FrameStats solved;
  VolumeStats skinned;        ///< With plain skinning.
  std::size_t cut_count = 0;  ///< Points whose displacement had to be cut short.
  /// Of flesh that moves: from the surface at rest in this frame, over points that the bake moves.
  double swing_rms_m = 0.0, swing_max_m = 0.0;
};

/// What a bake gives, all clips one behind the other.
struct Baked {
  PointDisplacements world;        ///< From plain skinning to the solved surface, metric world.
  PointDisplacements before_skin;  ///< The same before skinning (bind_corrections.h), metric.
  std::vector<BakedFrame> frames;  ///< One a frame of all clips.
  std::vector<std::size_t> begin;  ///< Where each clip begins, and the end.
  std::vector<FleshRun> flesh;     ///< One a clip; empty for flesh that is settled.
  /// Places of the corners of the tetrahedra, x, y and z in a row, metric world: one list a frame
  /// of all clips, none unless they are kept.
  std::vector<std::vector<float>> corners = {};
  std::vector<char> moved = {};  ///< One a point: moved by more than rounding in any frame.
};

/// Solves all frames of `motions`. Errors: those of ClipSolver and moveFlesh(); kLimit where the
/// displacements would need more memory than a bake may take.
Result<Baked> bakeMotions(const Scene& scene, const BakeRig& rig, std::span<const Motion> motions,
                          const TetBakeSettings& settings, int threads);

}  // namespace clipmill::tet_bake
