// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "stages/tet_bake/morphs/morph_fit.h"

namespace clipmill::stages::tet_bake {

struct SparseSettings {
  std::size_t most = 32;       ///< Largest number of morphs.
  double rms_m = 0.5e-3;       ///< Displacements below it (over all frames) are left out.
  std::size_t max_points = 0;  ///< Largest number of points of all morphs together.
  int threads = 1;             ///< The result has the same bits for any number.
};

struct SparseMorphs {
  std::vector<FittedMorph> morphs;  ///< None without points.
  double left_m2 = 0.0;             ///< Sum of squared displacements that they do not give.
};

/// The leading singular vectors of a region's displacements, rotated among each other so that each
/// moves few points: sparse principal components with orthonormal weights (Zou, Hastie and
/// Tibshirani 2006), whose unit is a point (as in Neumann et al. 2013). A point's displacement in a
/// morph is left out below `rms_m`, whole above 1.5 times as much, and fades between them, so that
/// no edge appears; where that takes more than `max_points`, more is left out.
SparseMorphs sparseMorphs(const PointDisplacements& displacements, const MorphRegion& region,
                          const SparseSettings& settings);

}  // namespace clipmill::stages::tet_bake
