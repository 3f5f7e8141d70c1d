// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <span>

#include "core/math.h"

namespace clipmill {

/// A symmetric matrix: its diagonal, and the elements yz, zx, xy.
struct SymmetricMatrix {
  Vec3 diagonal{0.0};
  Vec3 rest{0.0};

  void addSquareOf(const Vec3& v, double factor) {
    diagonal += factor * v * v;
    rest += factor * Vec3(v.y * v.z, v.z * v.x, v.x * v.y);
  }
  /// The symmetric part of a b^T.
  void addProduct(const Vec3& a, const Vec3& b) {
    diagonal += a * b;
    rest += 0.5 * Vec3(a.y * b.z + a.z * b.y, a.z * b.x + a.x * b.z, a.x * b.y + a.y * b.x);
  }
  /// v^T M v
  double along(const Vec3& v) const {
    return glm::dot(diagonal, v * v) + 2.0 * glm::dot(rest, Vec3(v.y * v.z, v.z * v.x, v.x * v.y));
  }
  double trace() const { return diagonal.x + diagonal.y + diagonal.z; }
};

/// A symmetric tensor of third order: elements xxx yyy zzz, xxy yyz zzx, xxz yyx zzy, xyz.
struct SymmetricCube {
  Vec3 pure{0.0}, next{0.0}, last{0.0};
  double mixed = 0.0;

  /// Adds factor times the symmetric part of v M.
  void add(const Vec3& v, const SymmetricMatrix& m, double factor) {
    const Vec3 third = (factor / 3.0) * v, &d = m.diagonal;
    const Vec3 v_next(third.y, third.z, third.x), v_last(third.z, third.x, third.y);
    pure += 3.0 * third * d;
    next += 2.0 * third * Vec3(m.rest.z, m.rest.x, m.rest.y) + v_next * d;
    last += 2.0 * third * Vec3(m.rest.y, m.rest.z, m.rest.x) + v_last * d;
    mixed += glm::dot(third, m.rest);
  }
  void add(const SymmetricCube& other) {
    pure += other.pure;
    next += other.next;
    last += other.last;
    mixed += other.mixed;
  }
  /// The tensor with v for all three arguments.
  double along(const Vec3& v) const {
    const Vec3 squares = v * v;
    return glm::dot(squares,
                    v * pure + 3.0 * (Vec3(v.y, v.z, v.x) * next + Vec3(v.z, v.x, v.y) * last)) +
           6.0 * mixed * v.x * v.y * v.z;
  }
  /// The vector with elements xxi + yyi + zzi.
  Vec3 traces() const { return pure + Vec3(last.y + next.z, last.z + next.x, last.x + next.y); }
};

/// The solid angle of a patch of surface as seen from afar: the first three terms of its expansion
/// about the centre (Barill et al. 2018). With r = centre - point and the gradient r / |r|^3 of the
/// solid angle, the terms are its derivatives times the moments of the patch's area vectors.
struct FarSolidAngle {
  Vec3 centre{0.0};
  double absolute_area = 0.0;
  Vec3 area{0.0};          ///< Sum of area times normal.
  SymmetricMatrix spread;  ///< Symmetric part of the sum of (position - centre) area^T.
  SymmetricCube bend;      ///< Likewise of (position - centre)(position - centre)^T area.

  /// Of some triangles.
  static FarSolidAngle of(std::span<const std::array<Vec3, 3>> triangles) {
    FarSolidAngle far;
    Vec3 mean(0.0);
    for (const std::array<Vec3, 3>& corners : triangles) {
      const Vec3 area = areaOf(corners), middle = (corners[0] + corners[1] + corners[2]) / 3.0;
      const double absolute = std::sqrt(glm::dot(area, area));
      far.absolute_area += absolute;
      far.area += area;
      far.centre += absolute * middle;
      mean += middle;
    }
    far.centre = far.absolute_area > 0.0 ? far.centre / far.absolute_area
                                         : mean / static_cast<double>(triangles.size());
    for (const std::array<Vec3, 3>& corners : triangles) far.addTriangle(corners);
    return far;
  }

  /// The whole that some patches make. Where they have no area, its centre is the mean of theirs.
  static FarSolidAngle sumOf(std::span<const FarSolidAngle> parts) {
    FarSolidAngle far;
    Vec3 mean(0.0);
    for (const FarSolidAngle& part : parts) {
      far.absolute_area += part.absolute_area;
      far.area += part.area;
      far.centre += part.absolute_area * part.centre;
      mean += part.centre / static_cast<double>(parts.size());
    }
    far.centre = far.absolute_area > 0.0 ? far.centre / far.absolute_area : mean;
    for (const FarSolidAngle& part : parts) far.addMoments(part);
    return far;
  }

  double from(const Vec3& point) const {
    const Vec3 r = centre - point;
    const double inverse_square = 1.0 / glm::dot(r, r);
    const double inverse_cube = inverse_square * std::sqrt(inverse_square);
    const double first = glm::dot(area, r);
    const double second = spread.trace() - 3.0 * inverse_square * spread.along(r);
    const double third =
        inverse_square * (7.5 * inverse_square * bend.along(r) - 4.5 * glm::dot(bend.traces(), r));
    return inverse_cube * (first + second + third);
  }

 private:
  static Vec3 areaOf(const std::array<Vec3, 3>& corners) {
    return 0.5 * glm::cross(corners[1] - corners[0], corners[2] - corners[0]);
  }

  // A triangle's second moment, per area, is a twelfth of the squares of its corners and of three
  // times its middle.
  void addTriangle(const std::array<Vec3, 3>& corners) {
    SymmetricMatrix squares;
    Vec3 sum(0.0);
    for (const Vec3& corner : corners) {
      squares.addSquareOf(corner - centre, 1.0 / 12.0);
      sum += corner - centre;
    }
    squares.addSquareOf(sum, 1.0 / 12.0);
    const Vec3 triangle_area = areaOf(corners);
    bend.add(triangle_area, squares, 1.0);
    spread.addProduct(sum / 3.0, triangle_area);
  }

  void addMoments(const FarSolidAngle& part) {
    const Vec3 d = part.centre - centre;
    SymmetricMatrix square;
    square.addSquareOf(d, 1.0);
    bend.add(part.bend);
    bend.add(d, part.spread, 2.0);
    bend.add(part.area, square, 1.0);
    spread.diagonal += part.spread.diagonal;
    spread.rest += part.spread.rest;
    spread.addProduct(d, part.area);
  }
};

}  // namespace clipmill
