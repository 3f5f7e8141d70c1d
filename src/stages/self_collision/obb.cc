// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/obb.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"

namespace clipmill::stages::self_collision {
namespace {

constexpr int kMaxSweeps = 32;
constexpr double kCoarseStep_rad = 3.0 * kDegree;
constexpr double kFineStep_rad = 0.01 * kDegree;
constexpr int kStepsInQuarter = 30;  // of kCoarseStep_rad
constexpr int kMaxFitRounds = 4;
constexpr double kWorthARound = 1.0 - 1e-4;
constexpr double kParallelSine2 = 1e-12;  // square of the sine
// Flat boxes in one plane overlap in spite of rounding; relative to the size of the boxes.
constexpr double kBoxRounding = 1e-12;

Mat3 covarianceOf(std::span<const Vec3> points) {
  Vec3 mean(0.0);
  for (const Vec3& point : points) mean += point;
  mean /= static_cast<double>(points.size());
  Mat3 covariance(0.0);
  for (const Vec3& point : points) covariance += glm::outerProduct(point - mean, point - mean);
  return covariance;
}

// Rotates columns i and j of `axes` so that entry (i, j) of the symmetric matrix m vanishes.
void rotateAway(int i, int j, Mat3& m, Mat3& axes) {
  if (m[i][j] == 0.0) return;
  const double theta = (m[j][j] - m[i][i]) / (2.0 * m[i][j]);
  const double root = std::sqrt(theta * theta + 1.0);
  const double tangent = theta < 0.0 ? -1.0 / (root - theta) : 1.0 / (root + theta);
  const double cosine = 1.0 / std::sqrt(tangent * tangent + 1.0);
  const double sine = tangent * cosine;
  Mat3 rotate(1.0);
  rotate[i][i] = rotate[j][j] = cosine;
  rotate[j][i] = sine;
  rotate[i][j] = -sine;
  m = glm::transpose(rotate) * m * rotate;
  m[i][j] = m[j][i] = 0.0;
  axes = axes * rotate;
}

// Eigenvectors of a symmetric matrix as columns, by Jacobi's rotations.
Mat3 principalAxes(Mat3 m) {
  Mat3 axes(1.0);
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    if (m[0][1] == 0.0 && m[0][2] == 0.0 && m[1][2] == 0.0) break;
    rotateAway(0, 1, m, axes);
    rotateAway(0, 2, m, axes);
    rotateAway(1, 2, m, axes);
  }
  return axes;
}

Mat3 orthonormal(const Mat3& axes) {
  const Vec3 x = axes[0] / lengthOf(axes[0]);
  Vec3 y = axes[1] - x * glm::dot(x, axes[1]);
  y /= lengthOf(y);
  return Mat3(x, y, glm::cross(x, y));
}

Obb boxAlong(const Mat3& axes, std::span<const Vec3> points) {
  Vec3 low = points.front() * axes, high = low;  // v * M: the dot products with the columns
  for (const Vec3& point : points) {
    const Vec3 count_below = point * axes;
    low = glm::min(low, count_below);
    high = glm::max(high, count_below);
  }
  return {axes * (0.5 * (low + high)), axes, 0.5 * (high - low)};
}

double surfaceOf(const Obb& box) {
  const Vec3& h = box.half;
  return h.x * h.y + h.y * h.z + h.z * h.x;
}

// The axes rotated about their column k.
Mat3 rotatedAbout(const Mat3& axes, int k, double angle_rad) {
  const Mat3 rotate = glm::mat3_cast(rotationAbout(axes[k], angle_rad));
  Mat3 rotated = rotate * axes;
  rotated[k] = axes[k];
  return orthonormal(rotated);
}

// The smallest box among those rotated about axis k: in steps of a few degrees, then refined.
Obb smallestRotatedBox(const Obb& box, int k, std::span<const Vec3> points) {
  const Mat3 start = box.axes;
  Obb best = box;
  double best_rad = 0.0;
  const auto consider = [&](double angle_rad) {
    const Obb rotated = boxAlong(rotatedAbout(start, k, angle_rad), points);
    if (!(surfaceOf(rotated) < surfaceOf(best))) return;
    best = rotated;
    best_rad = angle_rad;
  };
  for (int i = 1; i < kStepsInQuarter; ++i) consider(i * kCoarseStep_rad);
  for (double step_rad = 0.5 * kCoarseStep_rad; step_rad > kFineStep_rad; step_rad *= 0.5) {
    const double middle_rad = best_rad;
    consider(middle_rad - step_rad);
    consider(middle_rad + step_rad);
  }
  return best;
}

// Box against box: what the separating axes need.
struct BoxPair {
  const Obb& a;
  const Obb& b;
  Mat3 cosines;  // cosines[j][i]: axis i of a with axis j of b
  Mat3 lengths;  // their absolute values
  Vec3 offset;   // from centre to centre, along the axes of a
  double slack;

  BoxPair(const Obb& a_box, const Obb& b_box)
      : a(a_box),
        b(b_box),
        cosines(glm::transpose(a_box.axes) * b_box.axes),
        offset((b_box.center - a_box.center) * a_box.axes),
        slack(kBoxRounding * (a_box.half.x + a_box.half.y + a_box.half.z + b_box.half.x +
                              b_box.half.y + b_box.half.z)) {
    for (int j = 0; j < 3; ++j) lengths[j] = glm::abs(cosines[j]);
  }

  bool partAlongFaces() const {
    for (int i = 0; i < 3; ++i) {
      const double reach = a.half[i] + b.half.x * lengths[0][i] + b.half.y * lengths[1][i] +
                           b.half.z * lengths[2][i];
      if (std::abs(offset[i]) > reach + slack) return true;
    }
    for (int j = 0; j < 3; ++j) {
      const double reach = b.half[j] + glm::dot(a.half, lengths[j]);
      if (std::abs(glm::dot(offset, cosines[j])) > reach + slack) return true;
    }
    return false;
  }

  // Along the product of axis i of a and axis j of b.
  bool partAcross(int i, int j) const {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    if (1.0 - cosines[j][i] * cosines[j][i] < kParallelSine2) return false;
    const double reach = a.half[i1] * lengths[j][i2] + a.half[i2] * lengths[j][i1] +
                         b.half[j1] * lengths[j2][i] + b.half[j2] * lengths[j1][i];
    return std::abs(offset[i2] * cosines[j][i1] - offset[i1] * cosines[j][i2]) > reach + slack;
  }
};

}  // namespace

Obb principalObb(std::span<const Vec3> points) {
  if (points.empty()) return {};
  return boxAlong(orthonormal(principalAxes(covarianceOf(points))), points);
}

Obb fitObb(std::span<const Vec3> points) {
  Obb box = principalObb(points);
  if (points.empty()) return box;
  for (int round = 0; round < kMaxFitRounds; ++round) {
    const double before = surfaceOf(box);
    for (int k = 0; k < 3; ++k) box = smallestRotatedBox(box, k, points);
    if (!(surfaceOf(box) < kWorthARound * before)) break;
  }
  return box;
}

Sphere fitSphere(std::span<const Vec3> points) {
  if (points.empty()) return {};
  Vec3 mean(0.0);
  for (const Vec3& point : points) mean += point;
  mean /= static_cast<double>(points.size());
  double farthest2 = 0.0;
  for (const Vec3& point : points) {
    farthest2 = std::max(farthest2, glm::dot(point - mean, point - mean));
  }
  return {mean, std::sqrt(farthest2)};
}

Obb transformedBox(const Affine& map, const Obb& box) {
  const Mat3 edges = map.linear * box.axes;
  Obb moved;
  moved.center = transformPoint(map, box.center);
  // A map that flattens leaves no axes of its own.
  moved.axes = glm::determinant(edges) == 0.0 ? Mat3(1.0) : orthonormal(edges);
  for (int i = 0; i < 3; ++i) {
    moved.half[i] = glm::dot(glm::abs(moved.axes[i] * edges), box.half);
  }
  return moved;
}

Sphere sphereAround(const Obb& box) { return {box.center, lengthOf(box.half)}; }

bool overlap(const Obb& a, const Obb& b) {
  const BoxPair pair(a, b);
  if (pair.partAlongFaces()) return false;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (pair.partAcross(i, j)) return false;
    }
  }
  return true;
}

bool overlap(const Sphere& sphere, const Obb& box) {
  const Vec3 count_below = (sphere.center - box.center) * box.axes;
  const Vec3 beyond = glm::max(glm::abs(count_below) - box.half, Vec3(0.0));
  return glm::dot(beyond, beyond) <= sphere.radius * sphere.radius;
}

bool overlap(const Sphere& a, const Sphere& b) {
  const Vec3 offset = b.center - a.center;
  const double reach = a.radius + b.radius;
  return glm::dot(offset, offset) <= reach * reach;
}

}  // namespace clipmill::stages::self_collision
