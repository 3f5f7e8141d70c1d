// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "scene/pose_driver.h"
#include "stages/tet_bake/joints/bones_fit_steps.h"

/// Rigid motions of helper joints as numbers that can be averaged.
namespace clipmill::stages::tet_bake {

/// A rigid motion of the bind pose as that of a pivot and a rotation about it, metric world.
struct PivotMotion {
  Vec3 translation_m{0.0};
  Vec3 rotation_rad{0.0};  ///< Axis times angle.
};

/// The motion of a helper in a frame, and the map of the bind pose that it is.
PivotMotion motionAt(const HelperBone& bone, std::size_t frame);
Affine movedBy(const HelperBone& bone, const PivotMotion& motion);

/// The motions of some helpers in coordinates whose squares sum up to the squared distances by
/// which these motions, if they are small, move the points in the bind pose (weighted by shares).
/// So a least squares fit of the coordinates is one of the skin, and motions that hardly move it
/// hardly count. In the bind pose all of them are 0.
class MotionCoordinates {
 public:
  /// Of no helpers.
  MotionCoordinates() = default;

  /// Of the helpers `own`, indices in `bones`.
  MotionCoordinates(const SkinSurface& surface, std::span<const BonesPoint> points,
                    std::span<const HelperBone> bones, std::span<const std::size_t> own);

  /// Six per helper.
  std::size_t count() const { return size_; }

  /// The coordinates of motions, one per helper. Linear in them.
  std::vector<double> of(std::span<const PivotMotion> motions) const;

  /// The motion of the helper `index`. Linear in the coordinates.
  PivotMotion motionOf(std::span<const double> coordinates, std::size_t index) const;

 private:
  std::size_t size_ = 0;
  std::vector<double> to_, from_;  // size_ x size_, row by row
};

/// Adds the local transform that a helper has with a motion to those at its centers, rounded so
/// that files are small: to less than a thousandth of a millimetre, and to a millionth of a radian.
void addCenter(const SkinSurface& surface, const HelperBone& bone, const PivotMotion& motion,
               DrivenHelper& helper);

}  // namespace clipmill::stages::tet_bake
