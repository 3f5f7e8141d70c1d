// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/drivers/helper_motion.h"

#include <cmath>

#include <Eigen/Dense>

#include "core/to_size.h"

namespace clipmill::stages::tet_bake {
namespace {

using Matrix = Eigen::MatrixXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::size_t kMotionSize = 6;
// Motions that move the skin by less than the root of this part of the average one count as much as
// such a one.
constexpr double kLeastEffect = 1e-3;
constexpr double kRotationSteps = 1e6;
constexpr double kTranslationStep_m = 1e-6;

// Columns of x -> rotation x (x - pivot): the displacement by a small rotation.
Eigen::Matrix<double, 3, kMotionSize> effectAt(const Vec3& arm) {
  Eigen::Matrix<double, 3, kMotionSize> effect;
  effect << 1, 0, 0, 0, arm.z, -arm.y,  //
      0, 1, 0, -arm.z, 0, arm.x,        //
      0, 0, 1, arm.y, -arm.x, 0;
  return effect;
}

// Squares of the displacements of all points, as a form of the motions.
Matrix effectsOf(const SkinSurface& surface, std::span<const BonesPoint> points,
                 std::span<const HelperBone> bones, std::span<const std::size_t> own) {
  const auto size = static_cast<Eigen::Index>(kMotionSize * own.size());
  Matrix sum = Matrix::Zero(size, size);
  Matrix effect(3, size);
  for (const BonesPoint& point : points) {
    effect.setZero();
    bool follows = false;
    for (std::size_t i = 0; i < own.size(); ++i) {
      for (std::size_t k = 0; k < point.bones.size(); ++k) {
        if (point.bones[k] != own[i] || point.weights[k] == 0.0) continue;
        const Vec3 arm = surface.positions[point.point] - bones[own[i]].pivot;
        effect.middleCols<kMotionSize>(static_cast<Eigen::Index>(kMotionSize * i)) =
            point.weights[k] * effectAt(arm);
        follows = true;
      }
    }
    if (follows) sum += point.share * effect.transpose() * effect;
  }
  return sum;
}

std::vector<double> product(std::span<const double> rows, std::span<const double> numbers) {
  std::vector<double> result(numbers.size(), 0.0);
  for (std::size_t r = 0; r < result.size(); ++r) {
    for (std::size_t c = 0; c < result.size(); ++c) {
      result[r] += rows[r * result.size() + c] * numbers[c];
    }
  }
  return result;
}

std::vector<double> rowsOf(const Matrix& matrix) {
  const Rows rows = matrix;
  return {rows.data(), rows.data() + rows.size()};
}

Vec3 rounded(const Vec3& numbers, double steps) {
  Vec3 result;
  for (int axis = 0; axis < 3; ++axis) result[axis] = std::round(numbers[axis] * steps) / steps;
  return result;
}

// How many steps a unit has: a power of ten, for the least step that is short enough.
double translationSteps(double unit_m) {
  double steps = 1.0;
  while (unit_m / steps > kTranslationStep_m) steps *= 10.0;
  return steps;
}

}  // namespace

PivotMotion motionAt(const HelperBone& bone, std::size_t frame) {
  const Affine& moved = bone.moved[frame];
  return {transformPoint(moved, bone.pivot) - bone.pivot,
          rotationVector(kIdentityRotation, rotationOf(moved))};
}

Affine movedBy(const HelperBone& bone, const PivotMotion& motion) {
  const Quat rotation = rotatedBy(motion.rotation_rad);
  return toAffine({bone.pivot + motion.translation_m - rotation * bone.pivot, rotation, Vec3(1.0)});
}

MotionCoordinates::MotionCoordinates(const SkinSurface& surface, std::span<const BonesPoint> points,
                                     std::span<const HelperBone> bones,
                                     std::span<const std::size_t> own)
    : size_(kMotionSize * own.size()) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(effectsOf(surface, points, bones, own));
  const Eigen::VectorXd squares = solver.eigenvalues().cwiseMax(0.0);
  const double least = std::max(kLeastEffect * squares.mean(), 1e-300);
  const Eigen::VectorXd lengths = (squares.array() + least).sqrt();
  to_ = rowsOf(lengths.asDiagonal() * solver.eigenvectors().transpose());
  from_ = rowsOf(solver.eigenvectors() * lengths.cwiseInverse().asDiagonal());
}

std::vector<double> MotionCoordinates::of(std::span<const PivotMotion> motions) const {
  std::vector<double> numbers;
  for (const PivotMotion& motion : motions) {
    for (const Vec3& part : {motion.translation_m, motion.rotation_rad}) {
      numbers.insert(numbers.end(), {part.x, part.y, part.z});
    }
  }
  return product(to_, numbers);
}

PivotMotion MotionCoordinates::motionOf(std::span<const double> coordinates,
                                        std::size_t index) const {
  double numbers[kMotionSize] = {};
  for (std::size_t r = 0; r < kMotionSize; ++r) {
    for (std::size_t c = 0; c < size_; ++c) {
      numbers[r] += from_[(kMotionSize * index + r) * size_ + c] * coordinates[c];
    }
  }
  return {Vec3(numbers[0], numbers[1], numbers[2]), Vec3(numbers[3], numbers[4], numbers[5])};
}

void addCenter(const SkinSurface& surface, const HelperBone& bone, const PivotMotion& motion,
               DrivenHelper& helper) {
  // Helpers hang on joints that are bound with a rotation and one scale (mayOwnHelpers()).
  const Affine& bind = surface.bind_world_from_node[bone.owner];
  const double unit_m = glm::length(bind.linear[0]);
  const Mat3 axes = bind.linear * (1.0 / unit_m);
  const double sense = glm::determinant(axes) < 0.0 ? -1.0 : 1.0;
  const Vec3 position = transformPoint(inverse(bind), bone.pivot + motion.translation_m);
  helper.translations.push_back(rounded(position, translationSteps(unit_m)));
  helper.rotations_rad.push_back(
      rounded(sense * (glm::transpose(axes) * motion.rotation_rad), kRotationSteps));
}

}  // namespace clipmill::stages::tet_bake
