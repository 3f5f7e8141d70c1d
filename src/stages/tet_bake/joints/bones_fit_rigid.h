// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math.h"

namespace clipmill::stages::tet_bake {

/// Finds the rigid motion that carries weighted points nearest to where they are wanted: the least
/// sum of share * |weight * moved(point) - wanted|^2 (Kabsch 1976; with weights inside the norm as
/// in Le and Deng 2012, "Smooth Skinning Decomposition with Rigid Bones", section 4.2).
class RigidFit {
 public:
  /// `wanted` is a position times `weight`.
  void add(const Vec3& point, double weight, const Vec3& wanted, double share);

  /// A rotation (determinant +1, no scale, no shear) and a translation; the identity where nothing
  /// was added. Rotations that the points leave undetermined (all at one position or on
  /// one line) are the smallest.
  Affine solve() const;

 private:
  double squares_ = 0.0;  // of weights
  Vec3 point_sum_{0.0};   // weight^2 * point
  Vec3 wanted_sum_{0.0};  // weight * wanted
  Mat3 product_{0.0};     // weight * wanted * point'
  double spread_ = 0.0;   // weight^2 * |point|^2
};

}  // namespace clipmill::stages::tet_bake
