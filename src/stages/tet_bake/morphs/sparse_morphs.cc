// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/morphs/sparse_morphs.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/SVD>

#include "core/cancel.h"
#include "core/parallel.h"
#include "core/to_size.h"
#include "stages/tet_bake/morphs/gram_simd.h"
#include "stages/tet_bake/morphs/morph_basis.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr int kRotations = 20;
// Of the tolerance: what is left out of a morph, and what is whole in it.
constexpr double kLeftOut = 1.0;
constexpr double kWhole = 1.5;
constexpr double kLargerCut = 1.25;
constexpr std::size_t kSparsePointsPerBlock = 256;

// A row for each coordinate of each point, a column for each morph.
using Columns = RegionRows;

// The share of a displacement of this length (root mean square over all frames) that stays.
double keptShare(double length_m, double cut_m) {
  return std::clamp((length_m / cut_m - kLeftOut) / (kWhole - kLeftOut), 0.0, 1.0);
}

// Displacements of the points in the singular vectors of `basis`; the weights of a column have the
// mean square 1.
Columns columnsOf(const PointDisplacements& displacements, const MorphRegion& region,
                  const MorphBasis& basis) {
  Columns columns(static_cast<Eigen::Index>(3 * region.points.size()), basis.right.cols());
  const double scale = 1.0 / std::sqrt(static_cast<double>(displacements.frameCount()));
  forPointBlocks(displacements, region, [&](std::size_t start, const RegionRows& rows) {
    columns.middleRows(static_cast<Eigen::Index>(3 * start), rows.rows()) =
        rows * basis.right * scale;
  });
  return columns;
}

// Rotates the columns, and leaves out what is small of each point.
Columns rotatedAndCut(const Columns& columns, const Eigen::MatrixXd& rotation, double cut_m,
                      int threads) {
  Columns cut(columns.rows(), columns.cols());
  const auto fill = [&](std::size_t start, std::size_t end) {
    for (auto p = static_cast<Eigen::Index>(start); p < static_cast<Eigen::Index>(end); ++p) {
      auto rows = cut.middleRows(3 * p, 3);
      rows = columns.middleRows(3 * p, 3) * rotation;
      for (Eigen::Index k = 0; k < rows.cols(); ++k) {
        rows.col(k) *= keptShare(rows.col(k).norm(), cut_m);
      }
    }
  };
  parallelFor(toSize(columns.rows() / 3), kSparsePointsPerBlock, threads, fill);
  return cut;
}

// The rotation that brings the columns nearest to those that were cut (orthogonal Procrustes
// problem, Schoenemann 1966).
Eigen::MatrixXd rotationTo(const Columns& columns, const Columns& cut) {
  Eigen::MatrixXd product = Eigen::MatrixXd::Zero(columns.cols(), columns.cols());
  addProduct({columns.data(), toSize(columns.size())}, toSize(columns.cols()),
             {cut.data(), toSize(cut.size())}, toSize(cut.cols()),
             {product.data(), toSize(product.size())});
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(product, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.matrixU() * svd.matrixV().transpose();
}

Eigen::MatrixXd sparseRotation(const Columns& columns, double cut_m, int threads) {
  Eigen::MatrixXd rotation = Eigen::MatrixXd::Identity(columns.cols(), columns.cols());
  for (int i = 0; i < kRotations; ++i) {
    pollCancel();
    rotation = rotationTo(columns, rotatedAndCut(columns, rotation, cut_m, threads));
  }
  return rotation;
}

// Points of all columns together.
std::size_t sizeOf(const Columns& cut) {
  std::size_t size = 0;
  for (Eigen::Index r = 0; r < cut.rows(); r += 3) {
    for (Eigen::Index k = 0; k < cut.cols(); ++k) {
      if (cut.block(r, k, 3, 1).squaredNorm() > 0.0) ++size;
    }
  }
  return size;
}

// The weights with which columns come nearest to the displacements.
struct Projection {
  Eigen::MatrixXd weights;  // frames x columns
  double given_m2 = 0.0;    // sum of squared displacements that they give
};

Projection projectOnto(const Columns& cut, const PointDisplacements& displacements,
                       const MorphRegion& region) {
  const auto frames = static_cast<Eigen::Index>(displacements.frameCount());
  Eigen::MatrixXd product = Eigen::MatrixXd::Zero(cut.cols(), frames);
  forPointBlocks(displacements, region, [&](std::size_t start, const RegionRows& rows) {
    const Columns block = cut.middleRows(static_cast<Eigen::Index>(3 * start), rows.rows());
    addProduct({block.data(), toSize(block.size())}, toSize(block.cols()),
               {rows.data(), toSize(rows.size())}, toSize(rows.cols()),
               {product.data(), toSize(product.size())});
  });
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(cut.cols(), cut.cols());
  addProduct({cut.data(), toSize(cut.size())}, toSize(cut.cols()), {cut.data(), toSize(cut.size())},
             toSize(cut.cols()), {gram.data(), toSize(gram.size())});
  const Eigen::MatrixXd weights = gram.ldlt().solve(product);
  return {weights.transpose(), weights.cwiseProduct(product).sum()};
}

// The morph of a column; its largest weight is 1.
FittedMorph morphOf(const MorphRegion& region, const Columns& cut, Eigen::Index column,
                    const Eigen::VectorXd& weights) {
  Eigen::Index largest = 0;
  weights.cwiseAbs().maxCoeff(&largest);
  const double scale = weights[largest];
  FittedMorph morph;
  morph.node = region.node;
  for (std::size_t p = 0; p < region.points.size(); ++p) {
    const auto r = static_cast<Eigen::Index>(3 * p);
    const Vec3 delta(cut(r, column), cut(r + 1, column), cut(r + 2, column));
    if (delta == Vec3(0.0)) continue;
    morph.points.push_back(region.points[p]);
    morph.deltas.push_back(delta * scale);
  }
  for (const double weight : weights) morph.weights.push_back(weight / scale);
  return morph;
}

}  // namespace

SparseMorphs sparseMorphs(const PointDisplacements& displacements, const MorphRegion& region,
                          const SparseSettings& settings) {
  const MorphBasis basis = basisOf(displacements, region, settings.most);
  SparseMorphs result{{}, basis.total};
  if (basis.squares.size() == 0) return result;
  const Columns columns = columnsOf(displacements, region, basis);
  double cut_m = settings.rms_m;
  const Eigen::MatrixXd rotation = sparseRotation(columns, cut_m, settings.threads);
  Columns cut = rotatedAndCut(columns, rotation, cut_m, settings.threads);
  while (sizeOf(cut) > settings.max_points) {
    cut_m *= kLargerCut;
    cut = rotatedAndCut(columns, rotation, cut_m, settings.threads);
  }
  const Projection projection = projectOnto(cut, displacements, region);
  result.left_m2 = std::max(0.0, basis.total - projection.given_m2);
  const Eigen::MatrixXd& weights = projection.weights;
  for (Eigen::Index k = 0; k < cut.cols(); ++k) {
    FittedMorph morph = morphOf(region, cut, k, weights.col(k));
    if (!morph.points.empty()) result.morphs.push_back(std::move(morph));
  }
  return result;
}

}  // namespace clipmill::stages::tet_bake
