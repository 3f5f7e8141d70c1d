// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/math.h"
#include "stages/tet_bake/morphs/morph_regions.h"
#include "stages/tet_bake/surface/bake_surface.h"

namespace clipmill::tet_bake {

/// How like each other the poses of the frames of a clip are about each point: what differs between
/// like poses is no motion of the bones.
class PoseNearness {
 public:
  /// `worlds` are the maps from bind of all frames, metric world, the nodes first. Frames up to
  /// `reach` apart are compared, by how far the bones of a region turn against each other from one
  /// to the other: nearness is a bell of that angle.
  PoseNearness(const BakeSurface& surface, std::span<const MorphRegion> regions,
               std::span<const std::vector<Affine>> worlds, std::size_t reach);

  std::size_t reach() const { return reach_; }

  /// Nearness of frame f to those k before and behind it at [f * reach + k - 1], 0..1: that of the
  /// one that is less like it. Beyond the ends the clip goes on as it came (averageByBell()). 1
  /// where no joint bends the point.
  void of(std::size_t point, std::span<double> nearness) const;

 private:
  void addRegion(const BakeSurface& surface, const MorphRegion& region,
                 std::span<const std::vector<Affine>> worlds);

  std::size_t reach_, frame_count_;
  std::vector<std::vector<double>> regions_;  // nearness as told by of()
  // Regions of each point with their shares.
  std::vector<std::vector<std::pair<std::uint32_t, double>>> shares_;
};

}  // namespace clipmill::tet_bake
