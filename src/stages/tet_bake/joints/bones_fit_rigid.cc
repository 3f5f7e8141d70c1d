// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/joints/bones_fit_rigid.h"

#include <algorithm>

#include <Eigen/Dense>

namespace clipmill::stages::tet_bake {
namespace {

// Represents the points' preference to stay as they are, so that no direction is without one: in
// parts of their spread. Far below what any of them feels where it has a wish of its own.
constexpr double kStay = 1e-9;

Mat3 rotationNearestTo(const Mat3& map) {
  Eigen::Matrix3d matrix;
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) matrix(r, c) = map[c][r];
  }
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(matrix, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Vector3d sign(1.0, 1.0, 1.0);
  // A mirror image is undone along the direction with the least information.
  if ((svd.matrixU() * svd.matrixV().transpose()).determinant() < 0.0) sign[2] = -1.0;
  const Eigen::Matrix3d rotation = svd.matrixU() * sign.asDiagonal() * svd.matrixV().transpose();
  Mat3 result;
  for (int c = 0; c < 3; ++c) result[c] = Vec3(rotation(0, c), rotation(1, c), rotation(2, c));
  return result;
}

}  // namespace

void RigidFit::add(const Vec3& point, double weight, const Vec3& wanted, double share) {
  const double part = share * weight;
  squares_ += part * weight;
  point_sum_ += point * (part * weight);
  wanted_sum_ += wanted * part;
  product_ += glm::outerProduct(wanted * part, point);
  spread_ += part * weight * glm::dot(point, point);
}

Affine RigidFit::solve() const {
  if (!(squares_ > 0.0)) return {};
  const Vec3 middle = point_sum_ / squares_, wanted = wanted_sum_ / squares_;
  Mat3 product = product_ - glm::outerProduct(wanted_sum_, middle);
  const double spread = std::max(0.0, spread_ - squares_ * glm::dot(middle, middle));
  const double stay = spread > 0.0 ? kStay * spread : 1.0;
  for (int i = 0; i < 3; ++i) product[i][i] += stay;
  Affine motion;
  motion.linear = rotationNearestTo(product);
  motion.translation = wanted - motion.linear * middle;
  return motion;
}

}  // namespace clipmill::stages::tet_bake
