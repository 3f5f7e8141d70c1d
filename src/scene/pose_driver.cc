// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/pose_driver.h"

#include <algorithm>
#include <cmath>

#include "core/portable_math.h"

namespace clipmill {
namespace {

// A distance of 180 degrees.
constexpr double kFarthest2 = 4.0;

// cos and sin of half the angle about an axis, of unit length; both 0 where a swing of 180 degrees
// leaves the twist undetermined.
Vec2 halfTwist(const Quat& q, const Vec3& axis) {
  const Vec2 half(q.w, glm::dot(Vec3(q.x, q.y, q.z), axis));
  const double length = std::sqrt(glm::dot(half, half));
  return length > 0.0 ? half / length : Vec2(0.0);
}

}  // namespace

double rotationDistance2(const DriverInput& input, const Quat& a, const Quat& b) {
  if (input.part == RotationPart::kSwing) {
    return 2.0 - 2.0 * glm::dot(a * input.axis, b * input.axis);
  }
  // The dot product of unit quaternions is the cosine of half the angle between them.
  const double half = input.part == RotationPart::kTwist
                          ? glm::dot(halfTwist(a, input.axis), halfTwist(b, input.axis))
                          : glm::dot(a, b);
  return kFarthest2 * (1.0 - half * half);
}

double poseDistance2(std::span<const DriverInput> inputs, std::span<const Quat> a,
                     std::span<const Quat> b) {
  double sum = 0.0;
  for (const DriverInput& input : inputs) {
    sum += input.weight * rotationDistance2(input, a[input.joint], b[input.joint]);
  }
  return sum;
}

std::vector<double> centerWeights(const PoseDriver& driver, std::span<const Quat> rotations) {
  const std::size_t joints = driver.joints.size();
  std::vector<double> weights(driver.centerCount());
  for (std::size_t c = 0; c < weights.size(); ++c) {
    const auto center = std::span(driver.centers).subspan(c * joints, joints);
    weights[c] = poseDistance2(driver.inputs, center, rotations);
  }
  toCenterWeights(driver.width_rad, weights);
  return weights;
}

void toCenterWeights(double width_rad, std::span<double> distances2) {
  if (distances2.empty()) return;
  // Relative to the nearest center, so that not all vanish far from them.
  const double nearest = *std::min_element(distances2.begin(), distances2.end());
  const double factor = -0.5 / (width_rad * width_rad);
  double sum = 0.0;
  for (double& weight : distances2) {
    weight = portable::exp(factor * (weight - nearest));
    sum += weight;
  }
  for (double& weight : distances2) weight /= sum;
}

double morphWeight(const DrivenMorph& morph, std::span<const double> center_weights) {
  double weight = 0.0;
  for (std::size_t c = 0; c < morph.values.size(); ++c) {
    weight += morph.values[c] * center_weights[c];
  }
  return weight;
}

Transform helperTransform(const DrivenHelper& helper, std::span<const double> center_weights) {
  Transform transform;
  Vec3 rotation_rad(0.0);
  for (std::size_t c = 0; c < helper.translations.size(); ++c) {
    transform.translation += center_weights[c] * helper.translations[c];
    rotation_rad += center_weights[c] * helper.rotations_rad[c];
  }
  transform.rotation = rotatedBy(rotation_rad);
  return transform;
}

}  // namespace clipmill
