// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "stages/tet_bake/joints/bones_fit_region.h"

/// Displacements of a surface over many frames as helper joints that move, and share the skin
/// weights of the joints on which they hang.
namespace clipmill::stages::tet_bake {

struct BonesFit {
  std::vector<HelperBone> bones;  ///< With a motion for every frame of the target.
  /// Point p has influences [start[p], start[p + 1]), at most kMaxInfluences, which sum to 1.
  /// Influence::joint is an index in Skeleton::nodes, or behind all `node_count` of these that of a
  /// helper.
  std::vector<std::size_t> influence_start;
  std::vector<Influence> influences;
  std::vector<double> energies;  ///< What is left of the frames that weights were fitted to, square
                                 ///< metres, before the last iterations and after each of them.
  std::vector<std::size_t> held;  ///< Points that helpers would make worse than plain skinning, in
                                  ///< order; they follow none.
  std::vector<BonesPoint> points = {};  ///< All points of the surface, from which `influences` are.

  std::span<const Influence> influencesOf(std::size_t point) const {
    return std::span(influences)
        .subspan(influence_start[point], influence_start[point + 1] - influence_start[point]);
  }
};

/// Fits helper joints: each region by itself (fitRegionBones()), then the weights of all points,
/// which may follow helpers of every region that has a share in them, and the motions alternately,
/// and finally the motions of all frames. Points that are worse then than without helpers follow
/// none (holdBack(), with a margin of BonesFitSettings::rms_m). Weights are fitted to no more than
/// 128 frames, those of each stretch of time where most is to be done. Joints that are bound with
/// shear or non-uniform scale get no helper, because its rotation would shear the skin.
BonesFit fitBones(const BonesTarget& target, std::span<const MorphRegion> regions,
                  const BonesFitSettings& settings);

/// At most 128 frames of a target: of stretches of time with equal weights the one in which most is
/// to be done.
BonesFrames framesToTrain(const BonesTarget& target);

/// Drops helpers that no point follows, and their motions. `points` are those of the surface.
void dropIdleHelpers(std::vector<HelperBone>& bones, std::span<BonesPoint> points);

/// Takes over `points`, and the influences that they have.
void setPoints(const SkinSurface& surface, std::vector<BonesPoint> points, BonesFit& fit);

/// Whether helpers may hang on a node: not where it is bound with shear or non-uniform scale.
bool mayOwnHelpers(const Affine& bind_world_from_node);

/// Puts the maps of helpers in `frame` behind those of all nodes.
void appendHelpers(std::span<const HelperBone> bones, std::size_t frame,
                   std::vector<Affine>& worlds);

/// Positions of all points, metric world, skinned by `worlds` and the helpers of `frame`.
void skinByHelpers(const SkinSurface& surface, const BonesFit& fit, std::span<const Affine> worlds,
                   std::size_t frame, std::span<Vec3> positions);

}  // namespace clipmill::stages::tet_bake
