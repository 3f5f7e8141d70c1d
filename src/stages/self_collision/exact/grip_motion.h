// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <Eigen/Dense>

#include "stages/self_collision/exact/clip_context.h"
#include "stages/self_collision/exact/correction_layers.h"
#include "stages/self_collision/exact/uniform_spline.h"

namespace clipmill::stages::self_collision {

/// A change of both arms over a clip that keeps the transform of one hand relative to the other,
/// as numbers that follow uniform cubic B-splines, and the rotations of joints that come of it.
class GripMotion {
 public:
  /// Of each control value: shift and rotation of both hands, pitch of both arms, swivel of each,
  /// as in LimbChange.
  static constexpr Eigen::Index kNumbers = 9;
  static constexpr double kProbe = 1e-3;  ///< Of derivatives by finite differences.
  enum ArmJoint : std::size_t { kUpper, kLower, kEnd, kArmJointCount };

  using OneNumbers = Eigen::Matrix<double, kNumbers, 1>;
  using Change = std::array<LimbChange, 2>;  ///< Of both arms.
  using JerkVectors = std::vector<Vec3>;     ///< Radians a frame^3.
  /// Local rotations of the joints of both arms in a frame, and their derivatives by the numbers
  /// there (rotation vectors).
  struct FrameRotations {
    std::array<std::array<Quat, kArmJointCount>, 2> rotation;
    std::array<std::array<Eigen::Matrix<double, 3, kNumbers>, kArmJointCount>, 2> slopes;
  };

  /// Of a clip of a character with two hands. Keeps a reference to it.
  explicit GripMotion(ClipContext& clip);

  const std::array<std::size_t, 2>& arms() const { return arms_; }
  std::size_t frameCount() const { return frames_.size(); }
  /// All control values, kNumbers each, that change nothing.
  Eigen::VectorXd noChange() const;

  static Change changeOf(const OneNumbers& numbers);
  OneNumbers numbersAt(const Eigen::VectorXd& values, std::size_t sample) const;
  /// Derivatives by the numbers at a sample as those by all control values.
  Eigen::MatrixXd spread(const Eigen::MatrixXd& slopes, std::size_t sample) const;

  /// Computes what frame() and jerkOf() return.
  void rotateFrames(const Eigen::VectorXd& values);
  const FrameRotations& frame(std::size_t frame) const { return frames_[frame]; }
  /// Third differences of the rotations of a joint.
  JerkVectors jerkOf(std::size_t arm, std::size_t joint) const;
  /// The rotation of a joint in the clip.
  Quat baseRotation(std::size_t arm, std::size_t frame, std::size_t joint) const;

  /// One layer for each control value; their sum is the change.
  std::vector<CorrectionLayer> layersOf(const Eigen::VectorXd& values,
                                        std::size_t group_index) const;

 private:
  std::array<int, kArmJointCount> jointsOf(std::size_t arm) const;
  std::array<Quat, kArmJointCount> rotationsOf(std::size_t arm, std::size_t frame,
                                               const LimbChange& change);

  ClipContext& clip_;
  std::array<std::size_t, 2> arms_;
  UniformSpline spline_;
  std::vector<std::vector<Transform>> locals_;  // of the clip, one a frame
  std::vector<std::vector<Affine>> worlds_;
  std::vector<FrameRotations> frames_;
};

}  // namespace clipmill::stages::self_collision
