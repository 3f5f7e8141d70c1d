// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/drivers/driver_fit.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "core/cancel.h"
#include "core/to_size.h"

namespace clipmill::stages::tet_bake {
namespace {

using Matrix = Eigen::MatrixXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

// Share of the error by which one more center has to lower it.
constexpr double kGainPerCenter = 0.001;
// Least share of the outputs that a driver has to predict of unknown parts.
constexpr double kMinDriverGain = 0.1;
// Largest value of a center, in largest outputs: beyond it large values of neighbours cancel out.
constexpr double kMaxValue = 4.0;
constexpr double kCenterSteps = 1e6;

// The rotations of the joints of a shape, by example and joint.
std::vector<Quat> rotationsOf(const DriverExamples& examples, const DriverShape& shape) {
  std::vector<Quat> rotations;
  for (std::size_t e = 0; e < examples.count(); ++e) {
    for (const std::size_t joint : shape.joints) {
      rotations.push_back(examples.rotations[e * examples.joints.size() + joint]);
    }
  }
  return rotations;
}

// The numbers of a center have few digits, so that files of drivers are small.
Quat shortRotation(const Quat& q) {
  const auto rounded = [](double x) { return std::round(x * kCenterSteps) / kCenterSteps; };
  return Quat(rounded(q.w), rounded(q.x), rounded(q.y), rounded(q.z));
}

// Centers in order of choice, and how far apart the first n of them are: what the next one is from
// the nearest of them. Distances of all examples from them: examples x centers.
struct CenterOrder {
  std::vector<Quat> rotations;
  std::vector<double> reach;
  Rows distance2;
};

CenterOrder farthestFirst(std::span<const Quat> rotations, const DriverShape& shape,
                          std::size_t example_count, std::size_t count) {
  const std::size_t joints = shape.joints.size();
  CenterOrder order;
  order.distance2.resize(static_cast<Eigen::Index>(example_count),
                         static_cast<Eigen::Index>(count));
  std::vector<Quat> center(joints, kIdentityRotation);
  std::vector<double> nearest(example_count, HUGE_VAL);
  while (order.reach.size() < count) {
    order.rotations.insert(order.rotations.end(), center.begin(), center.end());
    std::size_t farthest = 0;
    for (std::size_t e = 0; e < example_count; ++e) {
      const double apart =
          poseDistance2(shape.inputs, center, rotations.subspan(e * joints, joints));
      order.distance2(static_cast<Eigen::Index>(e), static_cast<Eigen::Index>(order.reach.size())) =
          apart;
      nearest[e] = std::min(nearest[e], apart);
      if (nearest[e] > nearest[farthest]) farthest = e;
    }
    order.reach.push_back(std::sqrt(nearest[farthest]));
    if (!(nearest[farthest] > 0.0)) break;
    const auto next = rotations.subspan(farthest * joints, joints);
    std::transform(next.begin(), next.end(), center.begin(), shortRotation);
  }
  return order;
}

std::vector<double> bindWeights(const PoseDriver& driver) {
  return centerWeights(driver, std::vector<Quat>(driver.joints.size(), kIdentityRotation));
}

// Weights of the centers minus those in the bind pose: examples x centers.
Rows basisOf(std::span<const Quat> rotations, std::size_t example_count, const PoseDriver& driver) {
  const std::size_t joints = driver.joints.size();
  const std::vector<double> at_bind = bindWeights(driver);
  Rows basis(static_cast<Eigen::Index>(example_count), static_cast<Eigen::Index>(at_bind.size()));
  for (std::size_t e = 0; e < example_count; ++e) {
    const std::vector<double> weights =
        centerWeights(driver, rotations.subspan(e * joints, joints));
    for (std::size_t c = 0; c < weights.size(); ++c) {
      basis(static_cast<Eigen::Index>(e), static_cast<Eigen::Index>(c)) = weights[c] - at_bind[c];
    }
  }
  return basis;
}

// The same of distances that are known.
Rows basisOf(const CenterOrder& order, const PoseDriver& driver) {
  const std::vector<double> at_bind = bindWeights(driver);
  Rows basis(order.distance2.rows(), static_cast<Eigen::Index>(at_bind.size()));
  std::vector<double> distances(at_bind.size());
  for (Eigen::Index e = 0; e < basis.rows(); ++e) {
    for (std::size_t c = 0; c < distances.size(); ++c) {
      distances[c] = order.distance2(e, static_cast<Eigen::Index>(c));
    }
    toCenterWeights(driver.width_rad, distances);
    for (std::size_t c = 0; c < distances.size(); ++c) {
      basis(e, static_cast<Eigen::Index>(c)) = distances[c] - at_bind[c];
    }
  }
  return basis;
}

// Sums of a weighted least squares problem over some examples.
struct NormalSums {
  Matrix gram;     // basis' W basis
  Matrix product;  // basis' W outputs
  double square = 0.0, weight = 0.0;

  NormalSums& operator+=(const NormalSums& other) {
    gram += other.gram;
    product += other.product;
    square += other.square;
    weight += other.weight;
    return *this;
  }
  NormalSums without(const NormalSums& other) const {
    return {gram - other.gram, product - other.product, square - other.square,
            weight - other.weight};
  }
  Matrix solve(double ridge) const {
    const double mean = gram.trace() / static_cast<double>(gram.rows());
    Matrix damped = gram;
    damped.diagonal().array() += std::max(ridge * mean, 1e-300);
    return damped.ldlt().solve(product);
  }
  // Sum of the squares that `values` leave.
  double leftBy(const Matrix& values) const {
    const double crossed = values.cwiseProduct(product).sum();
    return square - 2.0 * crossed + values.cwiseProduct(gram * values).sum();
  }
};

NormalSums sumsOf(const DriverExamples& examples, const Rows& basis, const Rows& outputs,
                  int part) {
  const Eigen::Index n = basis.cols(), k = outputs.cols();
  NormalSums sums{Matrix::Zero(n, n), Matrix::Zero(n, k)};
  std::vector<Eigen::Index> members;
  for (std::size_t e = 0; e < examples.count(); ++e) {
    if (examples.parts[e] == part) members.push_back(static_cast<Eigen::Index>(e));
  }
  Matrix own(static_cast<Eigen::Index>(members.size()), n);
  Matrix wanted(own.rows(), k);
  for (Eigen::Index row = 0; row < own.rows(); ++row) {
    const double weight = examples.weights[toSize(members[toSize(row)])];
    own.row(row) = std::sqrt(weight) * basis.row(members[toSize(row)]);
    wanted.row(row) = std::sqrt(weight) * outputs.row(members[toSize(row)]);
    sums.weight += weight;
  }
  sums.gram.noalias() = own.transpose() * own;
  sums.product.noalias() = own.transpose() * wanted;
  sums.square = wanted.squaredNorm();
  return sums;
}

Rows outputsOf(const DriverExamples& examples) {
  return Eigen::Map<const Rows>(examples.outputs.data(),
                                static_cast<Eigen::Index>(examples.count()),
                                static_cast<Eigen::Index>(examples.output_count));
}

int partCount(const DriverExamples& examples) {
  return examples.parts.empty()
             ? 0
             : 1 + *std::max_element(examples.parts.begin(), examples.parts.end());
}

// Searches the shapes, widths, numbers of centers and ridges.
class DriverSearch {
 public:
  DriverSearch(const DriverExamples& examples, const DriverSearchGrid& grid)
      : examples_(examples),
        grid_(grid),
        outputs_(outputsOf(examples)),
        parts_(partCount(examples)),
        max_value_(kMaxValue * outputs_.cwiseAbs().maxCoeff()) {}

  void tryShape(const DriverShape& shape) {
    const std::vector<Quat> rotations = rotationsOf(examples_, shape);
    const CenterOrder order =
        farthestFirst(rotations, shape, examples_.count(), grid_.center_counts.back() + 1);
    for (const std::size_t count : grid_.center_counts) {
      if (count >= order.reach.size()) break;
      for (const double width : grid_.widths) {
        pollCancel();
        PoseDriver driver;
        for (const std::size_t joint : shape.joints) {
          driver.joints.push_back(examples_.joints[joint]);
        }
        driver.inputs = shape.inputs;
        driver.width_rad = width * order.reach[count - 1];
        const auto first = order.rotations.begin();
        driver.centers.assign(first,
                              first + static_cast<std::ptrdiff_t>(count * shape.joints.size()));
        tryDriver(driver, basisOf(order, driver));
      }
    }
  }

  FittedDriver best() && { return std::move(best_); }

 private:
  void tryDriver(const PoseDriver& driver, const Rows& basis) {
    std::vector<NormalSums> of_part;
    for (int part = 0; part < parts_; ++part) {
      of_part.push_back(sumsOf(examples_, basis, outputs_, part));
    }
    NormalSums all = of_part.front();
    for (std::size_t part = 1; part < of_part.size(); ++part) all += of_part[part];
    best_.total = all.square / all.weight;
    for (const double ridge : grid_.ridges) {
      double unknown = 0.0;
      for (const NormalSums& part : of_part) {
        if (part.weight > 0.0) unknown += part.leftBy(all.without(part).solve(ridge));
      }
      unknown /= all.weight;
      const double score =
          unknown * (1.0 + kGainPerCenter * static_cast<double>(driver.centerCount()));
      if (!(score < best_score_) || unknown > (1.0 - kMinDriverGain) * best_.total) continue;
      const Matrix values = all.solve(ridge);
      if (!(values.cwiseAbs().maxCoeff() <= max_value_)) continue;
      best_score_ = score;
      best_.left = all.leftBy(values) / all.weight;
      best_.left_unknown = unknown;
      best_.driver = driver;
      best_.ridge = ridge;
      const Rows rows = values;
      best_.values.assign(rows.data(), rows.data() + rows.size());
    }
  }

  const DriverExamples& examples_;
  const DriverSearchGrid& grid_;
  Rows outputs_;
  int parts_;
  double max_value_;
  FittedDriver best_;
  double best_score_ = HUGE_VAL;
};

// Outputs are 0 in the bind pose: the values there are taken from all of them.
void takeBindValues(FittedDriver& fitted, std::size_t output_count) {
  if (fitted.driver.centers.empty()) return;
  const std::vector<double> at_bind = bindWeights(fitted.driver);
  for (std::size_t k = 0; k < output_count; ++k) {
    double offset = 0.0;
    for (std::size_t c = 0; c < at_bind.size(); ++c) {
      offset += at_bind[c] * fitted.values[c * output_count + k];
    }
    for (std::size_t c = 0; c < at_bind.size(); ++c) {
      fitted.values[c * output_count + k] -= offset;
    }
  }
}

}  // namespace

DriverSearchGrid wholeGrid() {
  return {{4, 8, 16, 32, 64, 128}, {0.6, 1.0, 1.6, 2.4}, {1e-6, 1e-4, 1e-2, 1e-1}};
}

DriverSearchGrid quickGrid() { return {{8, 32}, {0.8, 1.6}, {1e-2}}; }

FittedDriver fitDriver(const DriverExamples& examples, std::span<const DriverShape> shapes,
                       const DriverSearchGrid& grid) {
  if (examples.count() == 0 || examples.output_count == 0) return {};
  DriverSearch search(examples, grid);
  for (const DriverShape& shape : shapes) search.tryShape(shape);
  FittedDriver fitted = std::move(search).best();
  takeBindValues(fitted, examples.output_count);
  return fitted;
}

FittedDriver fitDriverAt(const DriverExamples& examples, const PoseDriver& driver, double ridge) {
  FittedDriver fitted;
  fitted.driver = driver;
  fitted.ridge = ridge;
  const Rows basis = basisOf(examples.rotations, examples.count(), driver);
  const Rows outputs = outputsOf(examples);
  DriverExamples whole = examples;
  whole.parts.assign(examples.count(), 0);
  const NormalSums sums = sumsOf(whole, basis, outputs, 0);
  const Rows values = sums.solve(ridge);
  fitted.values.assign(values.data(), values.data() + values.size());
  fitted.total = sums.square / sums.weight;
  fitted.left = fitted.left_unknown = sums.leftBy(values) / sums.weight;
  takeBindValues(fitted, examples.output_count);
  return fitted;
}

}  // namespace clipmill::stages::tet_bake
