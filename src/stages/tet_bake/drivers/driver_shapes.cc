// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/drivers/driver_shapes.h"

#include <algorithm>
#include <array>

#include <Eigen/Dense>

#include "core/to_size.h"

namespace clipmill::stages::tet_bake {
namespace {

// A twist moves the skin less than a swing by the same angle.
constexpr double kDriverTwistWeight = 0.5;
constexpr std::size_t kMaxDriverJoints = 5;
// Of further joints; the first has 1.
constexpr std::array<double, 2> kJointWeights = {0.1, 0.4};
// Share of the error by which one more joint has to lower it.
constexpr double kGainPerJoint = 0.05;

// The axis about which the first joint of the examples rotates most, from the bind pose.
Vec3 hingeAxis(const DriverExamples& examples) {
  Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
  for (std::size_t e = 0; e < examples.count(); ++e) {
    const Quat& q = examples.rotations[e * examples.joints.size()];
    const Eigen::Vector3d v(q.x, q.y, q.z);
    sum += examples.weights[e] * v * v.transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(sum);
  const Eigen::Vector3d axis = solver.eigenvectors().col(2);
  return {axis[0], axis[1], axis[2]};
}

// A joint of a driver, and the factor of its squared distances.
struct WeightedJoint {
  std::size_t joint = 0;  // index in DriverExamples::joints
  double weight = 1.0;
};

// Rotations of joints as a whole, or swing and twist apart.
DriverShape shapeOf(const DriverExamples& examples, std::span<const WeightedJoint> joints,
                    const BindRotations& bind, bool is_split) {
  DriverShape shape;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    shape.joints.push_back(joints[j].joint);
    const double weight = joints[j].weight;
    const Vec3& axis = bind.bone_axes[toSize(examples.joints[joints[j].joint])];
    if (!is_split) {
      shape.inputs.push_back({j, RotationPart::kWhole, axis, weight});
      continue;
    }
    shape.inputs.push_back({j, RotationPart::kSwing, axis, weight});
    shape.inputs.push_back({j, RotationPart::kTwist, axis, kDriverTwistWeight * weight});
  }
  return shape;
}

// The joints of a region, from its own on, each that with the least error in unknown frames, as
// long as that falls.
std::vector<WeightedJoint> chosenJoints(const DriverExamples& examples, const BindRotations& bind) {
  const auto error_of = [&](std::span<const WeightedJoint> joints) {
    const std::vector<DriverShape> shape = {shapeOf(examples, joints, bind, false)};
    const FittedDriver fitted = fitDriver(examples, shape, quickGrid());
    return fitted.driver.centers.empty() ? fitted.total : fitted.left_unknown;
  };
  std::vector<WeightedJoint> chosen = {{0, 1.0}};
  double least = error_of(chosen);
  while (chosen.size() < kMaxDriverJoints) {
    std::vector<WeightedJoint> best = chosen;
    double best_error = (1.0 - kGainPerJoint) * least;
    for (std::size_t j = 0; j < examples.joints.size(); ++j) {
      const auto is_own = [&](const WeightedJoint& own) { return own.joint == j; };
      if (std::any_of(chosen.begin(), chosen.end(), is_own)) continue;
      for (const double weight : kJointWeights) {
        std::vector<WeightedJoint> more = chosen;
        more.push_back({j, weight});
        const double error = error_of(more);
        if (!(error < best_error)) continue;
        best_error = error;
        best = std::move(more);
      }
    }
    if (best.size() == chosen.size()) break;
    chosen = std::move(best);
    least = best_error;
  }
  return chosen;
}

std::vector<DriverShape> shapesOf(const DriverExamples& examples, const BindRotations& bind) {
  DriverShape hinge;
  hinge.joints = {0};
  hinge.inputs.push_back({0, RotationPart::kTwist, hingeAxis(examples), 1.0});
  std::vector<DriverShape> shapes = {std::move(hinge)};
  const std::vector<WeightedJoint> joints = chosenJoints(examples, bind);
  for (const bool is_split : {false, true}) {
    shapes.push_back(shapeOf(examples, joints, bind, is_split));
  }
  return shapes;
}

}  // namespace

FittedDriver fitBestDriver(const DriverExamples& examples, const BindRotations& bind) {
  return fitDriver(examples, shapesOf(examples, bind));
}

}  // namespace clipmill::stages::tet_bake
