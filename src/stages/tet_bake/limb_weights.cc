// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/limb_weights.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "core/cancel.h"
#include "core/parallel.h"
#include "core/to_size.h"
#include "stages/tet_bake/bake_report.h"
#include "stages/tet_bake/for_clips.h"
#include "stages/tet_bake/morphs/bind_corrections.h"

namespace clipmill::stages::tet_bake {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// Beyond the volume of other skinning: what rounding of keys and bytes takes.
constexpr double kMargin = 0.002;
// What limbs keep where other skinning loses more: nine tenths, and what a fade takes of it.
constexpr double kLeastVolume = 0.92;
// Change of the weights, as a share of what the morphs displace in the frame.
constexpr double kMaxChangeShare = 0.3;
// Volume is cubic in the weights, and nearly linear: few steps of Newton do.
constexpr int kNewtonSteps = 3;
// The step of a difference quotient, as a weight.
constexpr double kWeightStep = 1e-3;
// Added to diagonals, as a share of their mean: morphs may depend on each other.
constexpr double kDiagonalShare = 1e-6;
constexpr std::size_t kVolumeFramesPerBlock = 4;

void addToDiagonal(Matrix& matrix) {
  const double mean = matrix.trace() / std::max<double>(1.0, static_cast<double>(matrix.rows()));
  matrix.diagonal().array() += kDiagonalShare * mean;
}

// The products of the displacements of morphs, square metres.
Matrix productsOf(std::span<const FittedMorph> morphs, std::size_t point_count) {
  const auto count = static_cast<Eigen::Index>(morphs.size());
  Matrix products = Matrix::Zero(count, count);
  std::vector<Vec3> own(point_count, Vec3(0.0));
  for (Eigen::Index k = 0; k < count; ++k) {
    pollCancel();
    const FittedMorph& morph = morphs[toSize(k)];
    for (std::size_t i = 0; i < morph.points.size(); ++i) own[morph.points[i]] = morph.deltas[i];
    for (Eigen::Index l = 0; l < count; ++l) {
      const FittedMorph& other = morphs[toSize(l)];
      for (std::size_t i = 0; i < other.points.size(); ++i)
        products(k, l) += glm::dot(own[other.points[i]], other.deltas[i]);
    }
    for (const std::uint32_t p : morph.points) own[p] = Vec3(0.0);
  }
  addToDiagonal(products);
  return products;
}

// By limb, whether each morph moves a point of it.
std::vector<std::vector<char>> limbsMoved(const BakeRig& rig, std::span<const FittedMorph> morphs) {
  std::vector<std::vector<char>> moved;
  for (std::size_t limb = 0; limb < rig.limbs.limbCount(); ++limb) {
    std::vector<char> is_of(rig.surface.pointCount(), 0);
    for (const std::uint32_t p : rig.limbs.trianglesOf(limb)) is_of[p] = 1;
    std::vector<char>& own = moved.emplace_back();
    for (const FittedMorph& morph : morphs) {
      own.push_back(std::any_of(morph.points.begin(), morph.points.end(),
                                [&](std::uint32_t p) { return is_of[p] != 0; }));
    }
  }
  return moved;
}

double lengthIn(const Matrix& metric, const Vector& x) {
  return std::sqrt(std::max(0.0, x.dot(metric * x)));
}

// The change with the least length in `metric` that raises values by `missing`, of which
// `gradients` has a row each; no longer than `max_length`. (Least squares with equality
// constraints, by multipliers of Lagrange.)
Vector leastChange(const Matrix& metric, const Matrix& gradients, const Vector& missing,
                   double max_length) {
  const Matrix moves = metric.ldlt().solve(gradients.transpose());
  Matrix response = gradients * moves;
  addToDiagonal(response);
  const Vector change = moves * response.ldlt().solve(missing);
  const double length = lengthIn(metric, change);
  if (!std::isfinite(length)) return Vector::Zero(metric.rows());
  return length > max_length ? Vector(change * (max_length / length)) : change;
}

// The limbs in one clip. A scaled limb is judged as the same one without a scale.
class LimbWeights {
 public:
  LimbWeights(const Scene& scene, const BakeRig& rig, const Motion& motion, std::size_t start,
              const Matrix& metric, std::span<const std::vector<char>> moved,
              std::span<FittedMorph> morphs)
      : scene_(scene),
        rig_(rig),
        motion_(motion),
        start_(start),
        metric_(metric),
        moved_(moved),
        morphs_(morphs) {}

  void keep(const LimbGoal& goal, int threads) {
    const double least = std::max({goal.dual, goal.plain, kLeastVolume});
    forFrames(threads, [&](std::size_t f) { raise(f, std::min(least + kMargin, 1.0)); });
  }

 private:
  template <class Body>
  void forFrames(int threads, const Body& body) const {
    parallelFor(motion_.grid.frame_count, kVolumeFramesPerBlock, threads,
                [&](std::size_t start, std::size_t end) {
                  for (std::size_t f = start; f < end; ++f) body(f);
                });
  }

  std::vector<Affine> poseAt(std::size_t frame) const {
    const std::vector<Affine> worlds = worldsAt(scene_, rig_, motion_, frame);
    return shownUnscaledAt(rig_, worlds, start_ + frame).world_from_bind;
  }

  std::vector<Vec3> morphedIn(std::span<const Affine> pose, std::size_t frame) const {
    std::vector<Vec3> positions(rig_.surface.pointCount());
    skinSurface(rig_.shown(), pose, positions);
    addSkinnedMorphs(rig_, pose, morphs_, start_ + frame, positions);
    return positions;
  }

  // Raises the limbs of one frame that have less than `wanted`.
  void raise(std::size_t frame, double wanted) {
    const std::vector<Affine> pose = poseAt(frame);
    std::vector<Vec3> positions = morphedIn(pose, frame);
    std::vector<std::size_t> limbs;
    for (std::size_t limb = 0; limb < rig_.limbs.limbCount(); ++limb) {
      if (rig_.limbs.share(limb, positions) < wanted) limbs.push_back(limb);
    }
    if (limbs.empty()) return;
    const Vector first = weightsAt(frame);
    const double max_length = kMaxChangeShare * lengthIn(metric_, first);
    Vector change = Vector::Zero(first.size());
    for (int step = 0; step < kNewtonSteps; ++step) {
      pollCancel();
      if (step > 0) positions = morphedIn(pose, frame);
      Vector volumes(static_cast<Eigen::Index>(limbs.size()));
      for (std::size_t i = 0; i < limbs.size(); ++i)
        volumes[static_cast<Eigen::Index>(i)] = rig_.limbs.share(limbs[i], positions);
      const Matrix gradients = gradientsIn(pose, limbs, positions, volumes);
      const Vector missing = Vector::Constant(volumes.size(), wanted) - volumes;
      change = leastChange(metric_, gradients, missing + gradients * change, max_length);
      setWeights(frame, first + change);
    }
  }

  // How the volumes of limbs change with the weights.
  Matrix gradientsIn(std::span<const Affine> pose, std::span<const std::size_t> limbs,
                     const std::vector<Vec3>& positions, const Vector& volumes) const {
    Matrix gradients = Matrix::Zero(volumes.size(), static_cast<Eigen::Index>(morphs_.size()));
    std::vector<Vec3> moved = positions;
    for (std::size_t k = 0; k < morphs_.size(); ++k) {
      const auto isMoved = [&](std::size_t limb) { return moved_[limb][k] != 0; };
      if (std::none_of(limbs.begin(), limbs.end(), isMoved)) continue;
      const FittedMorph& morph = morphs_[k];
      for (std::size_t i = 0; i < morph.points.size(); ++i) {
        const std::uint32_t p = morph.points[i];
        moved[p] += blendedLinear(rig_.shown(), pose, p) * (kWeightStep * morph.deltas[i]);
      }
      for (std::size_t i = 0; i < limbs.size(); ++i) {
        if (!isMoved(limbs[i])) continue;
        const auto row = static_cast<Eigen::Index>(i);
        gradients(row, static_cast<Eigen::Index>(k)) =
            (rig_.limbs.share(limbs[i], moved) - volumes[row]) / kWeightStep;
      }
      for (const std::uint32_t p : morph.points) moved[p] = positions[p];
    }
    return gradients;
  }

  Vector weightsAt(std::size_t frame) const {
    Vector weights(static_cast<Eigen::Index>(morphs_.size()));
    for (Eigen::Index k = 0; k < weights.size(); ++k)
      weights[k] = morphs_[toSize(k)].weights[start_ + frame];
    return weights;
  }

  void setWeights(std::size_t frame, const Vector& weights) {
    for (Eigen::Index k = 0; k < weights.size(); ++k)
      morphs_[toSize(k)].weights[start_ + frame] = weights[k];
  }

  const Scene& scene_;
  const BakeRig& rig_;
  const Motion& motion_;
  std::size_t start_;
  const Matrix& metric_;
  std::span<const std::vector<char>> moved_;  // limbsMoved()
  std::span<FittedMorph> morphs_;
};

// No weight is beyond 1 or -1.
void normalize(FittedMorph& morph) {
  double largest = 1.0;
  for (const double weight : morph.weights) largest = std::max(largest, std::abs(weight));
  if (largest == 1.0) return;
  for (double& weight : morph.weights) weight /= largest;
  for (Vec3& delta : morph.deltas) delta *= largest;
}

}  // namespace

void keepLimbVolumes(const Scene& scene, const BakeRig& rig, std::span<const Motion> motions,
                     const Baked& baked, std::span<FittedMorph> morphs, int threads) {
  if (morphs.empty() || rig.limbs.limbCount() == 0) return;
  const Matrix metric = productsOf(morphs, rig.surface.pointCount());
  const std::vector<std::vector<char>> moved = limbsMoved(rig, morphs);
  forClips(baked.start, threads, [&](std::size_t m, int clip_threads) {
    LimbWeights(scene, rig, motions[m], baked.start[m], metric, moved, morphs)
        .keep(baked.limb_goals[m], clip_threads);
  });
  for (FittedMorph& morph : morphs) normalize(morph);
}

}  // namespace clipmill::stages::tet_bake
