// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/morphs/morph_basis.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include "core/to_size.h"
#include "stages/tet_bake/morphs/gram_simd.h"

namespace clipmill::stages::tet_bake {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// Frames of a region that are taken together, where it has fewer coordinates than frames.
constexpr std::size_t kMorphFramesPerBlock = 256;
// Up to so many rows of a Gram matrix all eigenvectors are worked out, beyond it the leading ones
// by iteration.
constexpr Eigen::Index kMaxForAll = 400;
constexpr int kSpareVectors = 16;
constexpr int kIterations = 12;
// Singular values below this part of the first are rounding.
constexpr double kSmallestPart = 1e-7;

void addGramOf(const RegionRows& rows, Matrix& gram) {
  addGram({rows.data(), toSize(rows.size())}, toSize(rows.cols()),
          {gram.data(), toSize(gram.size())});
}

Matrix gramOf(const PointDisplacements& displacements, const MorphRegion& region) {
  const auto frames = static_cast<Eigen::Index>(displacements.frameCount());
  Matrix gram = Matrix::Zero(frames, frames);
  forPointBlocks(displacements, region, [&](std::size_t, const RegionRows& rows) {
    if (rows.squaredNorm() > 0.0) addGramOf(rows, gram);
  });
  gram.triangularView<Eigen::StrictlyUpper>() = gram.transpose();
  return gram;
}

// Calls body(start, coordinates x frames) for all blocks of frames, in order, rows times their
// shares.
template <class Body>
void forFrameBlocks(const PointDisplacements& displacements, const MorphRegion& region,
                    const Body& body) {
  const std::size_t count = displacements.frameCount();
  for (std::size_t start = 0; start < count; start += kMorphFramesPerBlock) {
    pollCancel();
    const std::size_t frames = std::min(kMorphFramesPerBlock, count - start);
    RegionRows rows(static_cast<Eigen::Index>(3 * region.points.size()),
                    static_cast<Eigen::Index>(frames));
    Eigen::Index r = 0;
    for (std::size_t i = 0; i < region.points.size(); ++i) {
      for (std::size_t c = 0; c < 3; ++c, ++r) {
        const auto row = displacements.row(region.points[i], c).subspan(start, frames);
        const Eigen::Map<const Eigen::RowVectorXf> numbers(row.data(),
                                                           static_cast<Eigen::Index>(frames));
        rows.row(r) = numbers.cast<double>() * region.shares[i];
      }
    }
    body(static_cast<Eigen::Index>(start), rows);
  }
}

Matrix coordinateGramOf(const PointDisplacements& displacements, const MorphRegion& region) {
  const auto coordinates = static_cast<Eigen::Index>(3 * region.points.size());
  Matrix gram = Matrix::Zero(coordinates, coordinates);
  forFrameBlocks(displacements, region,
                 [&](Eigen::Index, const RegionRows& rows) { addGramOf(rows.transpose(), gram); });
  gram.triangularView<Eigen::StrictlyUpper>() = gram.transpose();
  return gram;
}

// The right singular vectors that belong to left ones.
Matrix rightOf(const PointDisplacements& displacements, const MorphRegion& region,
               const Matrix& left) {
  Matrix right(static_cast<Eigen::Index>(displacements.frameCount()), left.cols());
  forFrameBlocks(displacements, region, [&](Eigen::Index start, const RegionRows& rows) {
    right.middleRows(start, rows.cols()) = rows.transpose() * left;
  });
  right.colwise().normalize();
  return right;
}

// Numbers in [-1, 1) without pattern, the same everywhere (xorshift64, Marsaglia 2003).
Matrix scrambled(Eigen::Index rows, Eigen::Index columns) {
  std::uint64_t state = 0x9E3779B97F4A7C15u;
  Matrix result(rows, columns);
  for (Eigen::Index c = 0; c < columns; ++c) {
    for (Eigen::Index r = 0; r < rows; ++r) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      result(r, c) = static_cast<double>(state >> 11) * 0x1p-52 - 1.0;
    }
  }
  return result;
}

Matrix orthonormal(const Matrix& columns) {
  const Eigen::HouseholderQR<Matrix> qr(columns);
  return qr.householderQ() * Matrix::Identity(columns.rows(), columns.cols());
}

// The leading `count` eigenvectors of `gram`, and all its eigenvalues, falling. (Those of the
// tridiagonal matrix are transformed back, the rotations are not accumulated: Golub and Van Loan,
// chapter 8.3.)
void allValues(const Matrix& gram, Eigen::Index count, Vector& values, Matrix& vectors) {
  const Eigen::Tridiagonalization<Matrix> reduced(gram);
  Eigen::SelfAdjointEigenSolver<Matrix> solver;
  solver.computeFromTridiagonal(reduced.diagonal(), reduced.subDiagonal(),
                                Eigen::ComputeEigenvectors);
  values = solver.eigenvalues().reverse();
  vectors = reduced.matrixQ() * solver.eigenvectors().rightCols(count).rowwise().reverse();
}

// The product of a symmetric matrix and columns.
Matrix timesColumns(const Matrix& symmetric, const Matrix& columns) {
  const RegionRows rows = columns;
  Matrix product = Matrix::Zero(columns.rows(), columns.cols());
  addProduct({symmetric.data(), toSize(symmetric.size())}, toSize(symmetric.rows()),
             {rows.data(), toSize(rows.size())}, toSize(rows.cols()),
             {product.data(), toSize(product.size())});
  return product;
}

// Leading eigenvectors of `gram` by orthogonal iteration from a scrambled start, then the best in
// the space they span (Rayleigh and Ritz).
void leadingVectors(const Matrix& gram, Eigen::Index count, Vector& values, Matrix& vectors) {
  Matrix space = orthonormal(scrambled(gram.rows(), count + kSpareVectors));
  for (int i = 0; i < kIterations; ++i) {
    pollCancel();
    space = orthonormal(timesColumns(gram, space));
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> small(space.transpose() * timesColumns(gram, space));
  values = small.eigenvalues().reverse();
  vectors = (space * small.eigenvectors()).rowwise().reverse();
}

}  // namespace

RegionRows rowsOfRegion(const PointDisplacements& displacements, const MorphRegion& region,
                        std::size_t start, std::size_t end) {
  RegionRows rows(static_cast<Eigen::Index>(3 * (end - start)),
                  static_cast<Eigen::Index>(displacements.frameCount()));
  Eigen::Index r = 0;
  for (std::size_t i = start; i < end; ++i) {
    for (std::size_t c = 0; c < 3; ++c, ++r) {
      const auto row = displacements.row(region.points[i], c);
      const Eigen::Map<const Eigen::RowVectorXf> numbers(row.data(),
                                                         static_cast<Eigen::Index>(row.size()));
      rows.row(r) = numbers.cast<double>() * region.shares[i];
    }
  }
  return rows;
}

MorphBasis basisOf(const PointDisplacements& displacements, const MorphRegion& region,
                   std::size_t most) {
  // Of the two Gram matrices, which have the same eigenvalues, the smaller: many clips have more
  // frames than a region has coordinates.
  const bool is_by_coordinates = 3 * region.points.size() < displacements.frameCount();
  const Matrix gram =
      is_by_coordinates ? coordinateGramOf(displacements, region) : gramOf(displacements, region);
  MorphBasis basis;
  basis.total = gram.trace();
  if (!(basis.total > 0.0)) return basis;
  const Eigen::Index wanted = std::min(static_cast<Eigen::Index>(most), gram.rows());
  Vector values;
  Matrix vectors;
  if (gram.rows() <= std::max(kMaxForAll, wanted + kSpareVectors)) {
    allValues(gram, wanted, values, vectors);
  } else {
    leadingVectors(gram, wanted, values, vectors);
  }
  Eigen::Index count = 0;
  const double least = values[0] * kSmallestPart * kSmallestPart;
  while (count < wanted && values[count] > least) ++count;
  basis.squares = values.head(count);
  vectors.conservativeResize(Eigen::NoChange, count);
  basis.right = is_by_coordinates ? rightOf(displacements, region, vectors) : std::move(vectors);
  return basis;
}

}  // namespace clipmill::stages::tet_bake
