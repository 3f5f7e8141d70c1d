// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/math.h"
#include "scene/skin_surface.h"
#include "stages/tet_bake/morphs/morph_fit.h"

/// The two alternating steps of fitting helper joints: motions for given weights, weights for given
/// motions (Le and Deng 2012, "Smooth Skinning Decomposition with Rigid Bones", adapted: helpers
/// hang on joints that are there, and share the weights of these).
namespace clipmill::stages::tet_bake {

/// Most influences of a vertex that files and players take for granted.
inline constexpr std::size_t kMaxInfluences = 4;

/// What is to be fitted. Maps and displacements are metric, in the world.
struct BonesTarget {
  const SkinSurface& surface;
  /// From plain skinning, with all influences of a point, to where it is wanted.
  const PointDisplacements& world;
  /// worldsFromBind() of a frame, a column of `world`.
  std::function<std::vector<Affine>(std::size_t column)> worlds_at;
  /// One per point: 1 for those whose weights stay as they are. Empty for none.
  std::vector<char> is_kept = {};
  /// How much each column counts where some are chosen; empty for all alike.
  std::vector<double> column_weights = {};

  bool mayFollowHelpers(std::size_t point) const {
    return surface.share[point] > 0.0 && (is_kept.empty() || !is_kept[point]);
  }
};

/// A joint that is added below another one, its owner.
struct HelperBone {
  int region = 0;             ///< Of the joint for whose region it is made, by node.
  std::uint32_t owner = 0;    ///< Node.
  Vec3 pivot{0.0};            ///< Where it is at bind, metric world.
  std::vector<Affine> moved;  ///< One per frame: the rigid motion of the bind pose that comes
                              ///< before the owner's own map. The identity leaves plain skinning.
};

/// A point with its influences.
struct BonesPoint {
  std::uint32_t point = 0;
  double share = 1.0;                ///< Of its errors that counts.
  std::vector<Influence> owners;     ///< At most kMaxInfluences nodes; the weights sum to 1.
  std::vector<std::size_t> bones;    ///< Helpers that may move it; their owners are among its own.
  std::vector<double> weights = {};  ///< One per helper: taken from its owner.
};

/// The largest influences of a point, at most kMaxInfluences, scaled so that they sum to 1.
std::vector<Influence> ownersOf(std::span<const Influence> influences);

/// The same with fewer owners, so that helpers get influences: of more than two, those that bytes
/// would round to 0 are dropped.
std::vector<Influence> reducedOwnersOf(std::span<const Influence> influences);

/// Some frames of a target.
struct BonesFrames {
  std::vector<std::size_t> columns;
  std::vector<std::vector<Affine>> worlds;  ///< One per column.
};

/// What is between plain skinning by the owners of a point and where it is wanted.
Vec3 wantedAt(const BonesTarget& target, const BonesPoint& point, std::size_t column,
              std::span<const Affine> worlds);

/// What a helper does to a point at full weight.
Affine effectOf(const Affine& owner_world, const Affine& moved);

/// Points that each helper moves, and by how much.
using BonesReach = std::vector<std::vector<std::pair<std::size_t, double>>>;
BonesReach reachOf(std::span<const BonesPoint> points, std::size_t bone_count);

/// New motions of all helpers at one frame, each the best while the others stay as they are, for
/// `sweeps` rounds or until they no longer change much. `moved` has one element per bone. `shares`
/// replace those of the points.
void fitMotionsAt(const BonesTarget& target, std::span<const BonesPoint> points,
                  std::span<const double> shares, const BonesReach& reach,
                  std::span<const HelperBone> bones, std::size_t column,
                  std::span<const Affine> worlds, int sweeps, std::span<Affine> moved);

/// What is left of every point at one frame, metres. `moved` as in fitMotionsAt().
std::vector<double> distancesLeftAt(const BonesTarget& target, std::span<const BonesPoint> points,
                                    const BonesReach& reach, std::span<const HelperBone> bones,
                                    std::size_t column, std::span<const Affine> worlds,
                                    std::span<const Affine> moved);

/// The shares of points.
std::vector<double> sharesOf(std::span<const BonesPoint> points);

/// fitMotionsAt() for all frames, which are those of the helpers' motions.
void fitMotions(const BonesTarget& target, const BonesFrames& frames,
                std::span<const BonesPoint> points, int sweeps, int threads,
                std::vector<HelperBone>& bones);

/// New weights of all points (solveWeights()). `frames` are those of the helpers' motions.
void fitWeights(const BonesTarget& target, const BonesFrames& frames,
                std::span<const HelperBone> bones, int threads, std::vector<BonesPoint>& points);

/// What is left at every point and frame, squared metres: points x frames.
std::vector<float> squaresLeft(const BonesTarget& target, const BonesFrames& frames,
                               std::span<const HelperBone> bones,
                               std::span<const BonesPoint> points, int threads);

/// The sum of squaresLeft() times shares.
double energyLeft(std::span<const BonesPoint> points, std::span<const float> squares);

/// Gives back the weights of points that their owners alone leave nearer to where they are wanted:
/// over all frames (mean square), or in the worst frame of each by more than `margin_m` (which may
/// be infinite).
/// `frames` are those of the helpers' motions. Returns these points, indices in `points`.
std::vector<std::size_t> holdBack(const BonesTarget& target, const BonesFrames& frames,
                                  std::span<const HelperBone> bones, double margin_m, int threads,
                                  std::span<BonesPoint> points);

}  // namespace clipmill::stages::tet_bake
