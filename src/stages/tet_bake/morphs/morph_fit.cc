// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/morphs/morph_fit.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include <Eigen/Core>

#include "core/parallel.h"
#include "core/to_size.h"
#include "stages/tet_bake/morphs/morph_basis.h"
#include "stages/tet_bake/morphs/sparse_morphs.h"

namespace clipmill::stages::tet_bake {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// Points that are at least half a region's count for its worst hundredth.
constexpr double kMorphOwnShare = 0.5;
constexpr double kWorstPoints = 0.01;

// True where the tolerance takes what is left after `count` morphs.
bool isWithinTolerance(const PointDisplacements& displacements, const MorphRegion& region,
                       const MorphBasis& basis, Eigen::Index count,
                       const MorphFitSettings& settings) {
  double weight = 0.0;
  for (const double share : region.shares) weight += share;
  const double left = std::max(0.0, basis.total - basis.squares.head(count).sum());
  const double samples = weight * static_cast<double>(displacements.frameCount());
  if (std::sqrt(left / samples) > settings.rms_m) return false;
  std::vector<float> squares;
  const Matrix right = basis.right.leftCols(count);
  forPointBlocks(displacements, region, [&](std::size_t start, const RegionRows& rows) {
    RegionRows rest = rows;
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
                      const MorphBasis& basis, const MorphFitSettings& settings) {
  const Eigen::Index most = basis.squares.size();
  Eigen::Index count = 0;
  while (count < most && !isWithinTolerance(displacements, region, basis, count, settings)) ++count;
  return count;
}

std::vector<FittedMorph> morphsOf(const PointDisplacements& displacements,
                                  const MorphRegion& region, const MorphBasis& basis,
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
  forPointBlocks(displacements, region, [&](std::size_t, const RegionRows& rows) {
    const Matrix left = rows * right;
    for (Eigen::Index p = 0; p < left.rows(); p += 3) {
      for (Eigen::Index k = 0; k < count; ++k) {
        morphs[toSize(k)].deltas.emplace_back(left(p, k), left(p + 1, k), left(p + 2, k));
      }
    }
  });
  return morphs;
}

// The bases of all regions, and how many morphs each has.
struct RegionFits {
  std::vector<MorphBasis> bases;
  std::vector<Eigen::Index> counts;

  std::size_t morphCount() const {
    return toSize(std::accumulate(counts.begin(), counts.end(), Eigen::Index{0}));
  }
  // Points of all morphs together.
  std::size_t size(std::span<const MorphRegion> regions) const {
    std::size_t sum = 0;
    for (std::size_t r = 0; r < regions.size(); ++r) {
      sum += toSize(counts[r]) * regions[r].points.size();
    }
    return sum;
  }
  // Sum of squares that the morphs do not give.
  double left() const {
    double sum = 0.0;
    for (std::size_t r = 0; r < bases.size(); ++r) {
      sum += bases[r].total - bases[r].squares.head(counts[r]).sum();
    }
    return sum;
  }
};

// As many morphs as the tolerance takes.
RegionFits fitRegions(const PointDisplacements& displacements, std::span<const MorphRegion> regions,
                      const MorphFitSettings& settings) {
  RegionFits fits{std::vector<MorphBasis>(regions.size()),
                  std::vector<Eigen::Index>(regions.size(), 0)};
  const std::vector<std::size_t> order = largestFirst(regions);
  parallelFor(order.size(), 1, settings.threads, [&](std::size_t i, std::size_t) {
    const std::size_t r = order[i];
    fits.bases[r] = basisOf(displacements, regions[r], settings.max_per_region);
    if (fits.bases[r].squares.size() > 0) {
      fits.counts[r] = neededOf(displacements, regions[r], fits.bases[r], settings);
    }
  });
  return fits;
}

// Takes away the weakest until `most` are left.
void cutTo(std::size_t most, RegionFits& fits) {
  for (std::size_t count = fits.morphCount(); count > most; --count) {
    std::size_t weakest = fits.bases.size();
    double least = HUGE_VAL;
    for (std::size_t r = 0; r < fits.bases.size(); ++r) {
      if (fits.counts[r] == 0 || fits.bases[r].squares[fits.counts[r] - 1] >= least) continue;
      weakest = r;
      least = fits.bases[r].squares[fits.counts[r] - 1];
    }
    --fits.counts[weakest];
  }
}

std::vector<FittedMorph> morphsOfRegions(const PointDisplacements& displacements,
                                         std::span<const MorphRegion> regions,
                                         const RegionFits& fits, int threads) {
  std::vector<std::vector<FittedMorph>> fitted(regions.size());
  const std::vector<std::size_t> order = largestFirst(regions);
  parallelFor(order.size(), 1, threads, [&](std::size_t i, std::size_t) {
    const std::size_t r = order[i];
    fitted[r] = morphsOf(displacements, regions[r], fits.bases[r], fits.counts[r]);
  });
  std::vector<FittedMorph> morphs;
  for (std::vector<FittedMorph>& own : fitted) {
    std::move(own.begin(), own.end(), std::back_inserter(morphs));
  }
  return morphs;
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

MorphFit fitMorphs(const PointDisplacements& displacements, std::span<const MorphRegion> regions,
                   const MorphRegion& whole, const MorphFitSettings& settings) {
  RegionFits fits = fitRegions(displacements, regions, settings);
  if (settings.most > 0 && fits.morphCount() > settings.most) {
    const std::size_t size = fits.size(regions);
    cutTo(settings.most, fits);
    const double left_out_m = settings.left_out_m.value_or(settings.rms_m);
    SparseMorphs sparse =
        sparseMorphs(displacements, whole, {settings.most, left_out_m, size, settings.threads});
    if (sparse.left_m2 < fits.left()) return {std::move(sparse.morphs)};
  }
  return {morphsOfRegions(displacements, regions, fits, settings.threads)};
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
