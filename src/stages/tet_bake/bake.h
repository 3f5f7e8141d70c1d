// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "core/result.h"
#include "core/warnings.h"
#include "locomotion/clip_cycle.h"
#include "measure/joint_volumes.h"
#include "scene/scene.h"
#include "scene/skin_surface.h"
#include "stages/stage.h"
#include "stages/tet_bake/contact_layer.h"
#include "stages/tet_bake/joints/twist_joints.h"
#include "stages/tet_bake/limb_goal.h"
#include "stages/tet_bake/morphs/morph_fit.h"
#include "stages/tet_bake/morphs/morph_regions.h"
#include "stages/tet_bake/settings.h"
#include "stages/tet_bake/skin_quality.h"
#include "stages/tet_bake/solve/dynamic_tissue.h"
#include "stages/tet_bake/solve/solve_clip.h"
#include "stages/tet_bake/surface/bones.h"
#include "stages/tet_bake/surface/skin_overlap.h"
#include "stages/tet_bake/surface/unscaled_pose.h"
#include "stages/tet_bake/tets/lattice.h"
#include "stages/tet_bake/tets/tet_volumes.h"

/// Corrections of a skin by its tetrahedra, frame by frame.
namespace clipmill::stages::tet_bake {

/// A character prepared for a bake: its skin, its tetrahedra, and the binding of both to bones.
struct BakeRig {
  SkinSurface surface;
  std::vector<BakeBone> bones;
  Lattice lattice;
  std::vector<MorphRegion> regions;
  SkinQuality quality;             ///< By region.
  std::vector<MorphRegion> whole;  ///< All points that masks do not leave out, as one region.
  SkinQuality whole_quality;
  /// Share of the correction that each point shows (skin_masks.h); empty for all of it.
  std::vector<double> shown_shares;
  std::vector<double> max_displacement_m;  ///< Largest displacement before skinning, per point.
  measure::JointVolumes limbs;             ///< Of the surface.
  SkinOverlap overlap;                     ///< Of the surface.
  ScaleRemover scales;
  std::vector<double> corner_settle_s;  ///< Of dynamic tissue with regions, by corner.
  TwistJoints twist;                    ///< For the motions to be baked; empty for none.

  /// The regions that morphs have.
  std::span<const MorphRegion> regionsOf(const MorphFit& fit) const {
    return fit.isWhole() ? whole : regions;
  }
  /// The surface as it is skinned before corrections: with twist joints, where there are any.
  const SkinSurface& shown() const { return twist.empty() ? surface : twist.surface; }
  /// Whether masks leave a point to plain skinning.
  bool isLeftOut(std::size_t point) const {
    return !shown_shares.empty() && shown_shares[point] == 0.0;
  }
};

/// `tet_files` are those of tetFilesOf(): none for a lattice. Errors: kUnsupported for
/// files without skin or volume; those of givenLattice(); kInternal where the tetrahedra do not
/// reproduce the surface at rest. The same for any number of threads.
Result<BakeRig> makeBakeRig(const Scene& scene, const TetBakeSettings& settings, Warnings& warnings,
                            std::span<const RawFile> tet_files = {}, int threads = 1);

/// Appends the maps of the twist joints of a column, in a pose and without its scales.
UnscaledPose shownUnscaledAt(const BakeRig& rig, std::span<const Affine> plain_worlds,
                             std::size_t column);

/// worldsFromBind() of one frame.
std::vector<Affine> worldsAt(const Scene& scene, const BakeRig& rig, const Motion& motion,
                             std::size_t frame);

/// The same for BakeRig::shown() and the tetrahedra: after the nodes follow the twist joints, in
/// the frame `column` of all clips.
std::vector<Affine> shownWorldsAt(const Scene& scene, const BakeRig& rig, const Motion& motion,
                                  std::size_t frame, std::size_t column);

/// Results of one frame.
struct BakedFrame {
  FrameStats solved;
  VolumeStats skinned;            ///< With plain skinning.
  std::size_t clamped_count = 0;  ///< Points whose displacement is clamped.
  /// Of dynamic tissue: distance from the equilibrium of this frame, over points that the bake
  /// moves.
  double swing_rms_m = 0.0, swing_max_m = 0.0;
};

/// The result of a bake, all clips in succession.
struct Baked {
  PointDisplacements world;        ///< From plain skinning to the solved surface, metric world.
  PointDisplacements before_skin;  ///< The same before skinning (bind_corrections.h), metric.
  std::vector<BakedFrame> frames;  ///< One per frame of all clips.
  std::vector<std::size_t> start;  ///< Where each clip starts, and the end.
  std::vector<SoftTissueRun> soft_tissue;  ///< One per clip; empty for quasistatic tissue.
  std::vector<locomotion::CycleDecision> cycles = {};  ///< Likewise.
  /// Positions of the corners of the tetrahedra, x, y, z interleaved, metric world: one list per
  /// frame of all clips; empty without keep_tets.
  std::vector<std::vector<float>> corners = {};
  std::vector<LimbGoal> limb_goals = {};   ///< One per clip.
  std::vector<ContactLayer> contact = {};  ///< One per clip; empty where skin has no contact.
  std::vector<char> moved = {};  ///< One per point: moved by more than rounding in any frame.
};

/// The motion that a column is a frame of.
std::size_t motionOf(const Baked& baked, std::size_t column);

/// Solves all frames of `motions`. Errors: those of ClipSolver and solveSoftTissue(); kLimit where
/// the displacements would need more memory than a bake may take.
Result<Baked> bakeMotions(const Scene& scene, const BakeRig& rig, std::span<const Motion> motions,
                          const TetBakeSettings& settings, int threads);

}  // namespace clipmill::stages::tet_bake
