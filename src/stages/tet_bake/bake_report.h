// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stages/stage.h"
#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/morphs/morph_fit.h"

namespace clipmill::stages::tet_bake {

/// How far a skin is from the solved surface over a clip: metres, over the points that the bake
/// moves anywhere.
struct SkinErrors {
  double rms_m = 0.0;
  double p99_m = 0.0;
  double max_m = 0.0;
  std::vector<double> frame_rms_m;
};

/// The skin of one frame, metric world, one position per point.
struct MorphedSkin {
  std::vector<Vec3> plain, morphed;
};

/// Adds to the positions of BakeRig::shown(), skinned by these maps, what the morphs add to them.
/// `column` is the number of the frame in their weights.
void addSkinnedMorphs(const BakeRig& rig, std::span<const Affine> world_from_bind,
                      std::span<const FittedMorph> fitted, std::size_t column,
                      std::span<Vec3> positions);

/// Plain, and with morphs and twist joints. `column` is the number of the frame in the weights of
/// the morphs.
MorphedSkin skinAt(const Scene& scene, const BakeRig& rig, const Motion& motion, std::size_t frame,
                   std::span<const FittedMorph> fitted, std::size_t column);

/// Volume about one joint over that at rest, per frame.
struct LimbSeries {
  std::string joint;
  std::vector<double> skinned, morphed;
};

/// Limbs whose volume plain skinning changes by less, as a share of it, get no series.
inline constexpr double kReportedVolumeChange = 0.005;

/// Squares of the distances from the solved surface, times the shares of a region, summed over its
/// points and all frames.
struct RegionErrors {
  double skinned = 0.0, morphed = 0.0;
};

struct ClipErrors {
  SkinErrors skinned;  ///< Plain skinning.
  SkinErrors morphed;  ///< With the morphs before it.
  std::vector<LimbSeries> limbs;
  std::vector<RegionErrors> regions = {};  ///< Of those that were asked for.
  /// Of the same, one list each: by what the skin is worse than plain skinning in each frame.
  std::vector<std::vector<WorseBy>> worse = {};
  /// In the worst frame: pairs that are glued, edges flipped against their neighbours, and the root
  /// mean square of the strain of the edges of a region. Empty where regions were not measured.
  struct Quality {
    double opened_pairs = 0.0, glued_pairs = 0.0;
    double skinned_folds = 0.0, baked_folds = 0.0;
    double skinned_stretch = 0.0, baked_stretch = 0.0;
  };
  std::optional<Quality> quality = {};
};

/// The skin of each frame of a clip.
using SkinOfFrame = std::function<MorphedSkin(std::size_t frame)>;

/// Errors of the clip `index` of a bake, of which `skin_of` gives the skin, and of `regions`, which
/// are those of `quality` (if given). `limits` are those of worseFrames().
ClipErrors measureSkin(const Scene& scene, const BakeRig& rig, const Motion& motion,
                       const Baked& baked, std::size_t index, const SkinOfFrame& skin_of,
                       int threads, std::span<const MorphRegion> regions = {},
                       const SkinQuality* quality = nullptr,
                       const std::optional<ClipLimits>& limits = std::nullopt);

/// Errors of the clip `index` of a bake, its morphs put through the skinning of each frame. One
/// list of what is fitted for all clips.
ClipErrors measureClip(const Scene& scene, const BakeRig& rig, const Motion& motion,
                       const Baked& baked, std::size_t index, std::span<const FittedMorph> fitted,
                       int threads);

/// Adds the metrics and warnings of a bake to the result of a clip. `errors` after are 0 for
/// outputs that store the solved surface itself.
void reportClip(const BakeRig& rig, const Baked& baked, std::size_t index, const ClipErrors& errors,
                StageResult& result);

}  // namespace clipmill::stages::tet_bake
