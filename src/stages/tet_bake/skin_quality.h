// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scene/skin_surface.h"
#include "stages/tet_bake/morphs/morph_regions.h"
#include "stages/tet_bake/surface/near_pairs.h"

namespace clipmill::stages::tet_bake {

/// Measures of the part of a skin that a joint bends, in one frame.
struct RegionQuality {
  double skinned_stretch =
      0.0;  ///< Change of the length of its edges over length, as root sums of squares.
  double baked_stretch = 0.0;
  std::size_t skinned_folds = 0;  ///< Edges at which a triangle is flipped against its neighbour.
  std::size_t baked_folds = 0;
  std::size_t edges = 0;
  Gluing gluing;
};

/// Measures what a bake may not make worse than plain skinning.
class SkinQuality {
 public:
  /// Of no regions.
  SkinQuality() = default;

  /// Each edge belongs to the region with the largest share of its points.
  SkinQuality(const SkinSurface& surface, std::span<const MorphRegion> regions,
              std::span<const NearPair> pairs);

  /// One per region. Spans have one position per point of the surface.
  std::vector<RegionQuality> measure(std::span<const Vec3> skinned,
                                     std::span<const Vec3> baked) const;

  /// The ends of edges at which the bake alone flips a triangle against its neighbour, of all
  /// regions. A point may be there twice.
  std::vector<std::uint32_t> newFolds(std::span<const Vec3> skinned,
                                      std::span<const Vec3> baked) const;

 private:
  struct Edge {
    std::uint32_t a = 0, b = 0, region = 0;
    double rest_m = 0.0;
    std::uint32_t left = 0, right = 0;  // the points opposite to it, if two triangles have it
    bool can_fold = false;
  };

  static bool isFolded(const Edge& edge, std::span<const Vec3> at);

  std::size_t region_count_ = 0;
  std::vector<Edge> edges_;
  std::vector<NearPair> pairs_;
  std::vector<std::uint32_t> region_of_point_;
};

/// Why a bake is worse than plain skinning.
enum class WorseBy { kNothing, kGluing, kFolds, kStretch, kVolume, kSurface, kNormals };

/// For messages.
const char* nameOf(WorseBy reason);

/// Whether a frame of the baked skin is worse, beyond what nobody sees: edges flipped against their
/// neighbours by more than two and 1 % of the edges, more than twice the strain and 0.1, glued
/// pairs by more than two and 5 % of those that skinning moves apart.
WorseBy worseBy(const RegionQuality& quality);

/// What regions may have in a clip, of what plain skinning has in its worst frame.
struct ClipLimits {
  double stretch_share = 1.0;   ///< Of the strain of the most strained region.
  double free_stretch = 0.005;  ///< Strain that every region may have. Nobody sees the default.
  double folds_share = 1.0;     ///< Of the flipped edges of all regions together.
};

/// The strain that a region may have in a clip, which is a list of regions per frame.
double stretchLimit(std::span<const std::vector<RegionQuality>> clip, const ClipLimits& limits);

/// By what each region of each frame of a clip is worse than plain skinning: by worseBy(), and,
/// with `limits`, where its strain is above them, or where it has edges flipped that plain skinning
/// keeps and all regions together have more than the limit. The result has one list per region.
std::vector<std::vector<WorseBy>> worseFrames(std::span<const std::vector<RegionQuality>> clip,
                                              std::size_t region_count,
                                              const std::optional<ClipLimits>& limits);

}  // namespace clipmill::stages::tet_bake
