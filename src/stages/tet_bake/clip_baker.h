// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "core/result.h"
#include "scene/scene.h"
#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/settings.h"
#include "stages/tet_bake/solve/moving_flesh.h"
#include "stages/tet_bake/solve/solve_clip.h"
#include "stages/tet_bake/tets/embedding.h"

namespace clipmill::tet_bake {

/// What the settings of the stage mean for the solver.
SolveSettings solveSettings(const TetBakeSettings& settings, int threads);

/// Largest extent of a surface at rest, metres.
double sizeOf(const BakeSurface& surface);

/// What all clips share.
struct SkinTools {
  explicit SkinTools(const BakeRig& rig);

  double most_swing_m;  ///< Of flesh that moves, however it is jolted.
  SurfaceMap map;
  SurfaceSmoother smoother;
  TetVolumes volumes;
};

/// Bakes one clip into the frames of a Baked, from `begin` on. Holds on to what it is given.
class ClipBaker {
 public:
  ClipBaker(const Scene& scene, const BakeRig& rig, const SkinTools& tools, const Motion& motion,
            const TetBakeSettings& settings, std::size_t begin, Baked& baked);

  std::size_t frameCount() const { return motion_.grid.frame_count; }
  /// Where dual quaternions carry the corners of the tetrahedra in a frame of the clip, metric
  /// world: the start of its solve and what holds it; and (if asked for) how they turn them.
  void carry(std::size_t frame, std::span<Vec3> start, std::span<Vec3> target,
             std::span<Quat> turns = {}) const;
  /// Takes the solved corners of a frame, again where they have changed.
  void keep(std::size_t frame, std::span<const Vec3> solved, const FrameStats& stats);
  /// Columns before jumps of what was kept (findShapeJumps()).
  std::vector<std::size_t> jumps(double edge_m) const;
  /// Averages what still jumps (steadyClip()).
  void steady(int threads);
  /// To be moved once all frames are kept: the swing is measured from what is there.
  FleshClip fleshClip();

 private:
  std::vector<Affine> shownAt(std::size_t frame) const;
  void boundSwing(std::span<const Vec3> plain, std::span<const Vec3> skinned, std::size_t column,
                  std::span<Vec3> displacements) const;
  void measureSwing(std::span<const Vec3> displacements, std::size_t column,
                    BakedFrame& frame) const;
  VolumeStats plainVolumes(std::size_t frame) const;

  const Scene& scene_;
  const BakeRig& rig_;
  const SkinTools& tools_;
  const Motion& motion_;
  const TetBakeSettings& settings_;
  std::size_t begin_;
  Baked& baked_;
  bool is_moving_ = false;
};

}  // namespace clipmill::tet_bake
