// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include <Eigen/Core>

#include "core/cancel.h"
#include "stages/tet_bake/morphs/morph_fit.h"

/// The leading singular vectors of displacements.
namespace clipmill::stages::tet_bake {

/// A row for each coordinate of each point, one number per frame.
using RegionRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Points of a region that are taken together; the sum over them has this order on every machine.
inline constexpr std::size_t kMorphPointsPerBlock = 64;

/// The leading singular values of a region and their vectors.
struct MorphBasis {
  Eigen::VectorXd squares;  ///< Of the singular values, falling.
  Eigen::MatrixXd right;    ///< Frames x values, orthonormal columns.
  double total = 0.0;       ///< Sum of all squares, in square metres.
};

/// At most `most` singular vectors of a region's share of the displacements; none where nothing
/// moves.
MorphBasis basisOf(const PointDisplacements& displacements, const MorphRegion& region,
                   std::size_t most);

/// Displacements of the points [start, end) of a region, times their shares.
RegionRows rowsOfRegion(const PointDisplacements& displacements, const MorphRegion& region,
                        std::size_t start, std::size_t end);

/// Calls body(start, rows) for all blocks of points, in order.
template <class Body>
void forPointBlocks(const PointDisplacements& displacements, const MorphRegion& region,
                    const Body& body) {
  for (std::size_t start = 0; start < region.points.size(); start += kMorphPointsPerBlock) {
    pollCancel();
    const std::size_t end = std::min(start + kMorphPointsPerBlock, region.points.size());
    body(start, rowsOfRegion(displacements, region, start, end));
  }
}

}  // namespace clipmill::stages::tet_bake
