// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// What contact changes in a clip, to be taken back in part.
namespace clipmill::stages::tet_bake {

/// Displacements of some points in one clip: rows of x, y and z over its frames, point by point.
struct LayerRows {
  std::vector<float> before, after;  ///< Without contact, and with all of it.
};

/// The change of a clip by contact.
struct ContactLayer {
  std::size_t start = 0, frame_count = 0;  ///< Columns of the bake.
  std::vector<std::uint32_t> points;       ///< That it moves, ascending.
  LayerRows world, before_skin;            ///< As in Baked.
  /// Largest share of the change that is shown, by region and frame; what is shown fades to it.
  std::vector<std::vector<double>> limits;
};

}  // namespace clipmill::stages::tet_bake
