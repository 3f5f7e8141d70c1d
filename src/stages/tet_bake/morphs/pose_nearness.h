// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/math.h"
#include "core/units.h"
#include "scene/skin_surface.h"
#include "stages/tet_bake/morphs/morph_regions.h"

namespace clipmill::stages::tet_bake {

/// A clip is a cycle at a joint where its ends differ by less.
inline constexpr double kSameEnds_rad = 1.0 * kDegree;

/// Rotation angles of bones about the joints of a surface between frames of a clip.
class PoseAngles {
 public:
  /// `worlds` are the maps from bind of all frames, metric world, the nodes first.
  PoseAngles(const SkinSurface& surface, std::span<const MorphRegion> regions,
             std::span<const std::vector<Affine>> worlds);

  std::size_t frameCount() const { return frame_count_; }
  /// The largest angle, radians, by which a bone of a region rotates relative to the one that moves
  /// most of it, from frame `a` to frame `b`.
  double between(std::size_t region, std::size_t a, std::size_t b) const;

 private:
  std::size_t frame_count_;
  std::vector<std::vector<std::vector<Quat>>> poses_;  // by region and frame
};

/// Similarity of the poses of a clip's frames about each point: differences between similar poses
/// are not caused by the motion of the bones.
class PoseNearness {
 public:
  /// Frames up to `reach` apart are compared: nearness is a Gaussian of the angle between them.
  PoseNearness(const SkinSurface& surface, std::span<const MorphRegion> regions,
               const PoseAngles& angles, std::size_t reach);

  std::size_t reach() const { return reach_; }

  /// Nearness of frame f to those k before and behind it at [f * reach + k - 1], 0..1: that of the
  /// one that is less like it. Beyond the ends the clip goes on as it came (gaussianAverage()). 1
  /// where no joint bends the point.
  void of(std::size_t point, std::span<double> nearness) const;

 private:
  void addRegion(const MorphRegion& region, std::size_t index, const PoseAngles& angles);

  std::size_t reach_, frame_count_;
  std::vector<std::vector<double>> regions_;  // nearness in the order of of()
  // Regions of each point with their shares.
  std::vector<std::vector<std::pair<std::uint32_t, double>>> shares_;
};

}  // namespace clipmill::stages::tet_bake
