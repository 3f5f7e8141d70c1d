// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/math.h"
#include "core/zero_pages.h"
#include "stages/tet_bake/morphs/morph_regions.h"

/// Displacements of a surface over many frames as a few morphs with weights.
namespace clipmill::stages::tet_bake {

/// A displacement for every point and every frame, 12 bytes each.
class PointDisplacements {
 public:
  PointDisplacements(std::size_t point_count, std::size_t frame_count)
      : point_count_(point_count),
        frame_count_(frame_count),
        numbers_(3 * point_count * frame_count) {}

  std::size_t pointCount() const { return point_count_; }
  std::size_t frameCount() const { return frame_count_; }
  Vec3 at(std::size_t point, std::size_t frame) const;
  void set(std::size_t point, std::size_t frame, const Vec3& displacement);
  /// One coordinate (0..2) of a point over all frames.
  std::span<const float> row(std::size_t point, std::size_t coordinate) const;
  /// All rows of `count` frames from `start` on, one after another.
  std::vector<float> frames(std::size_t start, std::size_t count) const;
  /// Puts back what frames() gave.
  void setFrames(std::size_t start, std::size_t count, std::span<const float> rows);

 private:
  std::size_t point_count_, frame_count_;
  std::vector<float, ZeroPages<float>> numbers_;  // by point, coordinate, frame
};

struct MorphFitSettings {
  double rms_m = 0.5e-3;  ///< What may be left in each region, root mean square.
  double p99_m = 2.0e-3;  ///< The same of all but one in a hundred points and frames.
  /// Where `most` allows too few: points that a morph moves by less, root mean square over all
  /// frames, are left out of it. Unset: rms_m.
  std::optional<double> left_out_m;
  std::size_t max_per_region = 16;
  std::size_t most = 0;  ///< Of all regions together; 0 for any number.
  int threads = 1;       ///< The result has the same bits for any number.
};

/// One morph over some of the points.
struct FittedMorph {
  int node = 0;                       ///< The joint of its region; -1 for the whole surface.
  std::vector<std::uint32_t> points;  ///< Ascending.
  std::vector<Vec3> deltas;           ///< Displacements at weight 1, one per point.
  std::vector<double> weights;        ///< One per frame, in [-1, 1]; the largest is 1 or -1.
};

struct MorphFit {
  std::vector<FittedMorph> morphs;  ///< Regions in order, those of a region by singular value.

  /// They are of the whole surface, not of regions.
  bool isWhole() const { return !morphs.empty() && morphs.front().node < 0; }
};

/// The morphs that come nearest to `displacements` in the sense of least squares: in each region
/// the leading singular vectors of its share of the displacements (by eigenvectors of the smaller
/// Gram matrix, of the frames or the coordinates), as many as the tolerance takes. Where `most`
/// allows fewer, those with the largest singular values of all regions stay, or sparseMorphs() of
/// the whole surface if these leave less. They have no more points than the tolerance takes.
MorphFit fitMorphs(const PointDisplacements& displacements, std::span<const MorphRegion> regions,
                   const MorphRegion& whole, const MorphFitSettings& settings);

/// The root of what all but one in a hundred of `squares` do not exceed, which change their order;
/// 0 for none.
double worstHundredthOf(std::vector<float>& squares);

/// What the morphs give at one frame, one displacement for every point.
void addMorphs(std::span<const FittedMorph> morphs, std::size_t frame, std::span<Vec3> sum);

}  // namespace clipmill::stages::tet_bake
