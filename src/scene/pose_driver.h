// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/math.h"

/// Morph weights and transforms of helper joints as functions of joint rotations: pose space
/// deformation (Lewis, Cordner and Fong 2000), per joint (Kurihara and Miyata 2004), with
/// normalized Gaussian radial basis functions.
namespace clipmill {

/// The part of a joint's rotation that a driver measures.
enum class RotationPart {
  kWhole,
  kSwing,  ///< Where the rotation takes an axis of the joint.
  kTwist,  ///< The rotation about that axis: for a hinge, its angle.
};

/// One rotation that a driver reads.
struct DriverInput {
  std::size_t joint = 0;  ///< Index in PoseDriver::joints.
  RotationPart part = RotationPart::kWhole;
  Vec3 axis{1.0, 0.0, 0.0};  ///< Of kSwing and kTwist: unit, in the axes of the joint at bind.
  double weight = 1.0;       ///< Factor of the squared distance.
};

/// One morph of a driver. In a pose it has the mean of its values, weighted by centerWeights().
struct DrivenMorph {
  std::string name;
  std::vector<double> values;  ///< Its weight at each center.
};

/// A joint that a driver moves. In a pose its local translation is the mean of its translations,
/// and its local rotation is that about the mean of its rotation vectors (rotatedBy()), both
/// weighted by centerWeights(). Its scale is 1.
struct DrivenHelper {
  std::string name;
  std::vector<Vec3> translations;   ///< At each center, in the space of its parent.
  std::vector<Vec3> rotations_rad;  ///< At each center: axis times angle.
};

/// Morphs and helper joints that follow the rotations of a few joints.
struct PoseDriver {
  int node = 0;             ///< The joint whose skin is corrected, index in Skeleton::nodes.
  std::vector<int> joints;  ///< Indices in Skeleton::nodes.
  std::vector<DriverInput> inputs;
  double width_rad = 1.0;     ///< Sigma of the Gaussian.
  std::vector<Quat> centers;  ///< One rotation per center and joint: all joints of a center first.
  std::vector<DrivenMorph> morphs;
  std::vector<DrivenHelper> helpers = {};

  std::size_t centerCount() const { return joints.empty() ? 0 : centers.size() / joints.size(); }
};

/// The square of the distance between two rotations, rad^2 where they are near: for kWhole and
/// kTwist 2 - 2 cos a, with a the angle between them; for kSwing that between the two rotated axes.
/// At most 4, but for rounding. The same for q and -q, and in any axes in which both are given.
double rotationDistance2(const DriverInput& input, const Quat& a, const Quat& b);

/// The weighted sum over all inputs. `a`, `b`: one rotation per joint.
double poseDistance2(std::span<const DriverInput> inputs, std::span<const Quat> a,
                     std::span<const Quat> b);

/// Weights of the centers of a driver in a pose, which are positive and sum to 1: Gaussians of the
/// weighted sum of the squared distances of all inputs. `rotations`: one per joint, relative to the
/// bind pose (relativeRotation()). Far from all centers the nearest has weight 1.
std::vector<double> centerWeights(const PoseDriver& driver, std::span<const Quat> rotations);

/// Converts squared distances of a pose from centers to such weights.
void toCenterWeights(double width_rad, std::span<double> distances2);

/// The weight of a morph for weights of the centers. Never beyond its values.
double morphWeight(const DrivenMorph& morph, std::span<const double> center_weights);

/// The local transform of a helper for weights of the centers.
Transform helperTransform(const DrivenHelper& helper, std::span<const double> center_weights);

/// A local rotation relative to that in the bind pose, in the axes of the joint at bind.
inline Quat relativeRotation(const Quat& bind, const Quat& local) {
  return glm::conjugate(normalizedOrIdentity(bind)) * normalizedOrIdentity(local);
}

}  // namespace clipmill
