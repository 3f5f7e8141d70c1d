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
#include "stages/tet_bake/solve/dynamic_tissue.h"
#include "stages/tet_bake/solve/solve_clip.h"
#include "stages/tet_bake/tets/embedding.h"

namespace clipmill::stages::tet_bake {

/// Settings of the solver for those of the stage.
SolveSettings solveSettings(const TetBakeSettings& settings, int threads);

/// Largest extent of a surface at rest, metres.
double sizeOf(const SkinSurface& surface);

/// Data that all clips share.
struct SkinTools {
  explicit SkinTools(const BakeRig& rig);

  double max_swing_m;  ///< Limit of the swing of dynamic tissue.
  SurfaceMap map;
  SurfaceSmoother smoother;
  TetVolumes volumes;
};

struct KeptClip;

/// Bakes one clip into the frames of a Baked, from `start` on. Keeps references to its arguments.
class ClipBaker {
 public:
  ClipBaker(const Scene& scene, const BakeRig& rig, const SkinTools& tools, const Motion& motion,
            const TetBakeSettings& settings, std::size_t start, Baked& baked);

  std::size_t frameCount() const { return motion_.grid.frame_count; }
  /// Positions of the corners of the tetrahedra by dual quaternion skinning in a frame of the clip
  /// without the scales of its joints (UnscaledPose), metric world: start and targets of its solve;
  /// and (if not empty) their rotations.
  void carry(std::size_t frame, std::span<Vec3> start, std::span<Vec3> target,
             std::span<Quat> rotations = {}) const;
  /// Stores the solved corners of a frame; called again where they change.
  void keep(std::size_t frame, std::span<const Vec3> solved, const FrameStats& stats);
  /// Solved corners of a frame, x, y, z interleaved, with the scales of its joints.
  std::vector<float> shownCorners(std::size_t frame, std::vector<float> solved) const;
  /// Moves the stored surface of a frame, in its pose without joint scales, metric world.
  void shift(std::size_t frame, const UnscaledPose& pose, std::span<const Vec3> paths);
  /// Stores the corners of a frame for viewers.
  void keepCorners(std::size_t frame, std::vector<float> solved);
  /// Frames before jumps of what was kept (findShapeJumps()).
  std::vector<std::size_t> jumps(double edge_m) const;
  /// Averages the remaining jumps (smoothClip()).
  void smooth(int threads);
  /// Averages what differs from `base`, by a Gaussian so many times as wide as the setting. Of the
  /// differences, those of the frames that are multiples of `step`, and of the last one, count.
  void smoothChange(const KeptClip& base, double width, std::size_t step, int threads);
  /// For the dynamic solve, once all frames are stored: the swing is relative to them.
  SoftTissueClip softTissueClip();

 private:
  std::vector<Affine> shownAt(std::size_t frame) const;
  UnscaledPose unscaledAt(std::size_t frame) const;
  void carryThinParts(std::span<const Affine> world_from_bind, std::span<Vec3> positions) const;
  void toDisplacements(std::size_t frame, std::span<const Vec3> skinned,
                       std::span<Vec3> positions) const;
  void applyMasks(std::span<const Vec3> plain, std::span<const Vec3> skinned,
                  std::span<Vec3> displacements) const;
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
  std::size_t start_;
  Baked& baked_;
  bool is_dynamic_ = false;
};

}  // namespace clipmill::stages::tet_bake
