// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/drivers/driven_morphs.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <Eigen/Dense>

#include "core/parallel.h"
#include "core/to_size.h"
#include "stages/tet_bake/drivers/driver_shapes.h"

namespace clipmill::stages::tet_bake {
namespace {

using Matrix = Eigen::MatrixXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

// Directions in which the displacements of a region are predicted.
constexpr std::size_t kMaxDirections = 24;
// Singular values below this part of the first are rounding.
constexpr double kSmallestPrediction = 1e-6;

double normOf(const FittedMorph& morph) {
  double sum = 0.0;
  for (const Vec3& delta : morph.deltas) sum += glm::dot(delta, delta);
  return std::sqrt(sum);
}

// The drivers and morphs of one region, the largest singular value first.
struct RegionMorphs {
  PoseDriver driver;
  std::vector<FittedMorph> morphs;          // without weights
  std::vector<std::vector<double>> values;  // by morph and center
  std::vector<double> squares;              // of the singular values
  double shares = 0.0;
};

class RegionFit {
 public:
  RegionFit(const MorphRegion& region, std::span<const int> joints, const BindRotations& bind,
            const RelativePoses& poses, const DriverFrames& frames)
      : region_(region), joints_(joints), bind_(bind), poses_(poses), frames_(frames) {}

  RegionMorphs fit(std::span<const FittedMorph> directions) const {
    if (directions.empty() || joints_.empty()) return {};
    const DriverExamples examples = examplesOf(directions);
    const FittedDriver fitted = fitBestDriver(examples, bind_);
    if (fitted.driver.centers.empty()) return {};
    return leading(directions, examples, fitted);
  }

 private:
  DriverExamples examplesOf(std::span<const FittedMorph> directions) const {
    DriverExamples examples = tet_bake::examplesOf(joints_, poses_, frames_);
    examples.output_count = directions.size();
    std::vector<double> lengths;
    for (const FittedMorph& morph : directions) lengths.push_back(normOf(morph));
    for (std::size_t f = 0; f < frames_.columns.size(); ++f) {
      for (std::size_t k = 0; k < directions.size(); ++k) {
        examples.outputs.push_back(directions[k].weights[f] * lengths[k]);
      }
    }
    return examples;
  }

  // Reduced-rank regression (Izenman 1975): the leading singular vectors of the predictions.
  RegionMorphs leading(std::span<const FittedMorph> directions, const DriverExamples& examples,
                       const FittedDriver& fitted) const {
    const auto outputs = static_cast<Eigen::Index>(examples.output_count);
    const Eigen::Map<const Rows> values(
        fitted.values.data(), static_cast<Eigen::Index>(fitted.driver.centerCount()), outputs);
    const Matrix predicted = predictions(examples, fitted.driver) * values;
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(predicted.transpose() * predicted);
    RegionMorphs result;
    result.driver = fitted.driver;
    result.driver.node = region_.node;
    for (const double share : region_.shares) result.shares += share;
    for (Eigen::Index m = outputs - 1; m >= 0; --m) {
      const double square = solver.eigenvalues()[m];
      if (!(square > kSmallestPrediction * kSmallestPrediction * solver.eigenvalues()[outputs - 1]))
        break;
      const Vector direction = solver.eigenvectors().col(m);
      add(directions, values * direction, direction, square, result);
    }
    return result;
  }

  // Weights of the centers at all examples, each times the root of the example's weight.
  Matrix predictions(const DriverExamples& examples, const PoseDriver& driver) const {
    Matrix weights(static_cast<Eigen::Index>(examples.count()),
                   static_cast<Eigen::Index>(driver.centerCount()));
    for (std::size_t e = 0; e < examples.count(); ++e) {
      const std::vector<double> row = weightsIn(poses_[frames_.columns[e]], driver);
      for (std::size_t c = 0; c < row.size(); ++c) {
        weights(static_cast<Eigen::Index>(e), static_cast<Eigen::Index>(c)) =
            std::sqrt(examples.weights[e]) * row[c];
      }
    }
    return weights;
  }

  // A morph along a direction; its largest value becomes 1 or -1.
  static void add(std::span<const FittedMorph> directions, const Vector& values,
                  const Vector& direction, double square, RegionMorphs& result) {
    const double scale = values.cwiseAbs().maxCoeff();
    if (!(scale > 0.0)) return;
    FittedMorph morph;
    morph.node = result.driver.node;
    morph.points = directions.front().points;
    morph.deltas.assign(morph.points.size(), Vec3(0.0));
    for (std::size_t k = 0; k < directions.size(); ++k) {
      const double factor = scale * direction[static_cast<Eigen::Index>(k)] / normOf(directions[k]);
      for (std::size_t p = 0; p < morph.points.size(); ++p) {
        morph.deltas[p] += factor * directions[k].deltas[p];
      }
    }
    result.morphs.push_back(std::move(morph));
    result.values.emplace_back(values.data(), values.data() + values.size());
    for (double& value : result.values.back()) value /= scale;
    result.squares.push_back(square);
  }

  const MorphRegion& region_;
  std::span<const int> joints_;
  const BindRotations& bind_;
  const RelativePoses& poses_;
  const DriverFrames& frames_;
};

// How many morphs of a region the tolerance needs.
std::size_t neededOf(const RegionMorphs& region, double weight, double rms_m) {
  double left = 0.0;
  for (const double square : region.squares) left += square;
  const double allowed = rms_m * rms_m * region.shares * weight;
  std::size_t count = 0;
  while (count < region.squares.size() && left > allowed) left -= region.squares[count++];
  return count;
}

// Numbers of morphs of all regions: those that are needed, of these the ones with the largest
// singular values.
std::vector<std::size_t> countsOf(std::span<const RegionMorphs> regions, double weight,
                                  const DrivenFitSettings& settings) {
  std::vector<std::size_t> counts(regions.size(), 0), needed;
  for (const RegionMorphs& region : regions) {
    needed.push_back(neededOf(region, weight, settings.rms_m));
  }
  if (settings.most == 0) return needed;
  for (std::size_t left = settings.most; left > 0; --left) {
    std::size_t best = regions.size();
    for (std::size_t r = 0; r < regions.size(); ++r) {
      if (counts[r] == needed[r]) continue;
      if (best == regions.size() ||
          regions[r].squares[counts[r]] > regions[best].squares[counts[best]]) {
        best = r;
      }
    }
    if (best == regions.size()) break;
    ++counts[best];
  }
  return counts;
}

std::vector<FittedMorph> inRegion(std::span<const FittedMorph> morphs, int node) {
  std::vector<FittedMorph> own;
  std::copy_if(morphs.begin(), morphs.end(), std::back_inserter(own),
               [&](const FittedMorph& morph) { return morph.node == node; });
  return own;
}

// Adds the first morphs of a region with a weight in every pose.
void addDriver(RegionMorphs&& region, std::size_t count, const RelativePoses& poses,
               DrivenMorphs& result) {
  if (count == 0) return;
  PoseDriver driver = std::move(region.driver);
  for (std::size_t m = 0; m < count; ++m) driver.morphs.push_back({"", region.values[m]});
  const std::size_t first = result.fitted.size();
  std::move(region.morphs.begin(), region.morphs.begin() + static_cast<std::ptrdiff_t>(count),
            std::back_inserter(result.fitted));
  for (const std::vector<Quat>& pose : poses) {
    const std::vector<double> weights = weightsIn(pose, driver);
    for (std::size_t m = 0; m < count; ++m) {
      result.fitted[first + m].weights.push_back(morphWeight(driver.morphs[m], weights));
    }
  }
  result.drivers.push_back(std::move(driver));
}

}  // namespace

DrivenMorphs fitDrivenMorphs(const PointDisplacements& displacements,
                             std::span<const MorphRegion> regions,
                             std::span<const std::vector<int>> joints, const BindRotations& bind,
                             const RelativePoses& poses, const DriverFrames& frames,
                             const DrivenFitSettings& settings) {
  if (frames.columns.empty()) return {};
  MorphFitSettings all;
  all.rms_m = 0.0;
  all.max_per_region = kMaxDirections;
  all.threads = settings.threads;
  const PointDisplacements chosen = framesOf(displacements, frames);
  const std::vector<FittedMorph> directions = fitMorphs(chosen, regions, {}, all).morphs;
  std::vector<RegionMorphs> fitted(regions.size());
  parallelFor(regions.size(), 1, settings.threads, [&](std::size_t r, std::size_t) {
    const RegionFit fit(regions[r], joints[r], bind, poses, frames);
    fitted[r] = fit.fit(inRegion(directions, regions[r].node));
  });
  double weight = 0.0;
  for (const double own : frames.weights) weight += own;
  const std::vector<std::size_t> counts = countsOf(fitted, weight, settings);
  DrivenMorphs result;
  for (std::size_t r = 0; r < regions.size(); ++r) {
    addDriver(std::move(fitted[r]), counts[r], poses, result);
  }
  return result;
}

bool removeDrivers(int node, DrivenMorphs& morphs) {
  const auto is_own = [&](const PoseDriver& driver) { return driver.node == node; };
  if (std::erase_if(morphs.drivers, is_own) == 0) return false;
  std::erase_if(morphs.fitted, [&](const FittedMorph& morph) { return morph.node == node; });
  return true;
}

}  // namespace clipmill::stages::tet_bake
