// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/morphs/morph_fit.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include <Eigen/Dense>

#include "core/cancel.h"
#include "core/parallel.h"
#include "core/to_size.h"
#include "stages/tet_bake/morphs/gram_simd.h"

namespace clipmill::stages::tet_bake {
namespace {

using Matrix = Eigen::MatrixXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

// Points of a region that are taken together; the sum over them has this order on every machine.
constexpr std::size_t kMorphPointsPerBlock = 64;
// Frames of a region that are taken together, where it has fewer coordinates than frames.
constexpr std::size_t kMorphFramesPerBlock = 256;
// Up to so many rows of a Gram matrix all eigenvectors are worked out, beyond it the leading ones
// by iteration.
constexpr Eigen::Index kMaxForAll = 400;
constexpr int kSpareVectors = 16;
constexpr int kIterations = 12;
// Singular values below this part of the first are rounding.
constexpr double kSmallestPart = 1e-7;
// Points that are at least half a region's count for its worst hundredth.
constexpr double kMorphOwnShare = 0.5;
constexpr double kWorstPoints = 0.01;

// The leading singular values of a region and their vectors.
struct Basis {
  Vector squares;      // of the singular values, falling
  Matrix right;        // frames x values
  double total = 0.0;  // sum of all squares
};

// Rows of points [start, end) of the region, times their shares.
Rows rowsOfRegion(const PointDisplacements& displacements, const MorphRegion& region,
                  std::size_t start, std::size_t end) {
  Rows rows(static_cast<Eigen::Index>(3 * (end - start)),
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

// Calls body(start, rows) for all blocks of points, in order.
template <class Body>
void forBlocks(const PointDisplacements& displacements, const MorphRegion& region,
               const Body& body) {
  for (std::size_t start = 0; start < region.points.size(); start += kMorphPointsPerBlock) {
    pollCancel();
    const std::size_t end = std::min(start + kMorphPointsPerBlock, region.points.size());
    body(start, rowsOfRegion(displacements, region, start, end));
  }
}

void addGramOf(const Rows& rows, Matrix& gram) {
  addGram({rows.data(), toSize(rows.size())}, toSize(rows.cols()),
          {gram.data(), toSize(gram.size())});
}

Matrix gramOf(const PointDisplacements& displacements, const MorphRegion& region) {
  const auto frames = static_cast<Eigen::Index>(displacements.frameCount());
  Matrix gram = Matrix::Zero(frames, frames);
  forBlocks(displacements, region, [&](std::size_t, const Rows& rows) {
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
    Rows rows(static_cast<Eigen::Index>(3 * region.points.size()),
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
                 [&](Eigen::Index, const Rows& rows) { addGramOf(rows.transpose(), gram); });
  gram.triangularView<Eigen::StrictlyUpper>() = gram.transpose();
  return gram;
}

// The right singular vectors that belong to left ones.
Matrix rightOf(const PointDisplacements& displacements, const MorphRegion& region,
               const Matrix& left) {
  Matrix right(static_cast<Eigen::Index>(displacements.frameCount()), left.cols());
  forFrameBlocks(displacements, region, [&](Eigen::Index start, const Rows& rows) {
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
  const Rows rows = columns;
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

Basis basisOf(const PointDisplacements& displacements, const MorphRegion& region,
              std::size_t most) {
  // Of the two Gram matrices, which have the same eigenvalues, the smaller: many clips have more
  // frames than a region has coordinates.
  const bool is_by_coordinates = 3 * region.points.size() < displacements.frameCount();
  const Matrix gram =
      is_by_coordinates ? coordinateGramOf(displacements, region) : gramOf(displacements, region);
  Basis basis;
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

// True where the tolerance takes what is left after `count` morphs.
bool isWithinTolerance(const PointDisplacements& displacements, const MorphRegion& region,
                       const Basis& basis, Eigen::Index count, const MorphFitSettings& settings) {
  double weight = 0.0;
  for (const double share : region.shares) weight += share;
  const double left = std::max(0.0, basis.total - basis.squares.head(count).sum());
  const double samples = weight * static_cast<double>(displacements.frameCount());
  if (std::sqrt(left / samples) > settings.rms_m) return false;
  std::vector<float> squares;
  const Matrix right = basis.right.leftCols(count);
  forBlocks(displacements, region, [&](std::size_t start, const Rows& rows) {
    Rows rest = rows;
    if (count > 0) rest -= (rows * right) * right.transpose();
    for (Eigen::Index p = 0; p < rest.rows() / 3; ++p) {
      if (region.shares[start + toSize(p)] < kMorphOwnShare) continue;
      const Eigen::RowVectorXd square = rest.middleRows(3 * p, 3).colwise().squaredNorm();
      for (Eigen::Index f = 0; f < square.size(); ++f) {
        squares.push_back(static_cast<float>(square[f]));
      }
    }
  });
  return worstHundredthOf(squares) <= settings.p99_m;
}

// Regions by falling number of points: a thread that ends with a small one waits for no other.
std::vector<std::size_t> largestFirst(std::span<const MorphRegion> regions) {
  std::vector<std::size_t> order(regions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return regions[a].points.size() > regions[b].points.size();
  });
  return order;
}

// The fewest morphs of a region that the tolerance takes.
Eigen::Index neededOf(const PointDisplacements& displacements, const MorphRegion& region,
                      const Basis& basis, const MorphFitSettings& settings) {
  const Eigen::Index most = basis.squares.size();
  Eigen::Index count = 0;
  while (count < most && !isWithinTolerance(displacements, region, basis, count, settings)) ++count;
  return count;
}

std::vector<FittedMorph> morphsOf(const PointDisplacements& displacements,
                                  const MorphRegion& region, const Basis& basis,
                                  Eigen::Index count) {
  std::vector<FittedMorph> morphs(toSize(count));
  if (count == 0) return morphs;
  Vector scale(count);  // converts a right vector to weights: the largest becomes 1
  for (Eigen::Index k = 0; k < count; ++k) {
    Eigen::Index largest = 0;
    basis.right.col(k).cwiseAbs().maxCoeff(&largest);
    scale[k] = 1.0 / basis.right(largest, k);
    FittedMorph& morph = morphs[toSize(k)];
    morph.node = region.node;
    morph.points = region.points;
    const Vector weights = basis.right.col(k) * scale[k];
    morph.weights.assign(weights.begin(), weights.end());
  }
  const Matrix right = basis.right.leftCols(count) * scale.cwiseInverse().asDiagonal();
  forBlocks(displacements, region, [&](std::size_t, const Rows& rows) {
    const Matrix left = rows * right;
    for (Eigen::Index p = 0; p < left.rows(); p += 3) {
      for (Eigen::Index k = 0; k < count; ++k) {
        morphs[toSize(k)].deltas.emplace_back(left(p, k), left(p + 1, k), left(p + 2, k));
      }
    }
  });
  return morphs;
}

// Takes away the weakest until `most` are left. Returns what is given up with those.
double cutTo(std::size_t most, std::span<const Basis> bases, std::vector<Eigen::Index>& counts) {
  std::size_t count = 0;
  for (const Eigen::Index own : counts) count += toSize(own);
  for (; count > most; --count) {
    std::size_t weakest = bases.size();
    double least = HUGE_VAL;
    for (std::size_t r = 0; r < bases.size(); ++r) {
      if (counts[r] == 0 || bases[r].squares[counts[r] - 1] >= least) continue;
      weakest = r;
      least = bases[r].squares[counts[r] - 1];
    }
    --counts[weakest];
  }
  double left = 0.0;
  for (std::size_t r = 0; r < bases.size(); ++r) {
    left += bases[r].total - bases[r].squares.head(counts[r]).sum();
  }
  return left;
}

}  // namespace

double worstHundredthOf(std::vector<float>& squares) {
  if (squares.empty()) return 0.0;
  const auto rank = static_cast<std::ptrdiff_t>(
                        std::ceil((1.0 - kWorstPoints) * static_cast<double>(squares.size()))) -
                    1;
  std::nth_element(squares.begin(), squares.begin() + rank, squares.end());
  return std::sqrt(static_cast<double>(squares[toSize(rank)]));
}

Vec3 PointDisplacements::at(std::size_t point, std::size_t frame) const {
  return {row(point, 0)[frame], row(point, 1)[frame], row(point, 2)[frame]};
}

void PointDisplacements::set(std::size_t point, std::size_t frame, const Vec3& displacement) {
  for (int c = 0; c < 3; ++c) {
    numbers_[(3 * point + toSize(c)) * frame_count_ + frame] = static_cast<float>(displacement[c]);
  }
}

std::span<const float> PointDisplacements::row(std::size_t point, std::size_t coordinate) const {
  return std::span(numbers_).subspan((3 * point + coordinate) * frame_count_, frame_count_);
}

std::vector<float> PointDisplacements::frames(std::size_t start, std::size_t count) const {
  std::vector<float> rows;
  rows.reserve(3 * point_count_ * count);
  for (std::size_t r = 0; r < 3 * point_count_; ++r) {
    const auto row = std::span(numbers_).subspan(r * frame_count_ + start, count);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}

void PointDisplacements::setFrames(std::size_t start, std::size_t count,
                                   std::span<const float> rows) {
  for (std::size_t r = 0; r < 3 * point_count_; ++r) {
    const auto row = rows.subspan(r * count, count);
    std::copy(row.begin(), row.end(),
              std::span(numbers_).subspan(r * frame_count_ + start).begin());
  }
}

std::vector<FittedMorph> fitMorphs(const PointDisplacements& displacements,
                                   std::span<const MorphRegion> regions, const MorphRegion& whole,
                                   const MorphFitSettings& settings) {
  std::vector<Basis> bases(regions.size());
  std::vector<Eigen::Index> counts(regions.size(), 0);
  const std::vector<std::size_t> order = largestFirst(regions);
  parallelFor(order.size(), 1, settings.threads, [&](std::size_t i, std::size_t) {
    const std::size_t r = order[i];
    bases[r] = basisOf(displacements, regions[r], settings.max_per_region);
    if (bases[r].squares.size() > 0) {
      counts[r] = neededOf(displacements, regions[r], bases[r], settings);
    }
  });
  std::size_t needed = 0;
  for (const Eigen::Index count : counts) needed += toSize(count);
  if (settings.most > 0 && needed > settings.most) {
    const double left = cutTo(settings.most, bases, counts);
    const Basis basis = basisOf(displacements, whole, settings.most);
    if (basis.total - basis.squares.sum() < left) {
      return morphsOf(displacements, whole, basis, basis.squares.size());
    }
  }
  std::vector<std::vector<FittedMorph>> fitted(regions.size());
  parallelFor(order.size(), 1, settings.threads, [&](std::size_t i, std::size_t) {
    const std::size_t r = order[i];
    fitted[r] = morphsOf(displacements, regions[r], bases[r], counts[r]);
  });
  std::vector<FittedMorph> morphs;
  for (std::vector<FittedMorph>& own : fitted) {
    std::move(own.begin(), own.end(), std::back_inserter(morphs));
  }
  return morphs;
}

void addMorphs(std::span<const FittedMorph> morphs, std::size_t frame, std::span<Vec3> sum) {
  for (const FittedMorph& morph : morphs) {
    const double weight = morph.weights[frame];
    if (weight == 0.0) continue;
    for (std::size_t i = 0; i < morph.points.size(); ++i) {
      sum[morph.points[i]] += morph.deltas[i] * weight;
    }
  }
}

}  // namespace clipmill::stages::tet_bake
