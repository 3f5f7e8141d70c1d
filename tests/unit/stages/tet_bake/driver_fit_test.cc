// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/drivers/driver_fit.h"

#include <cmath>

#include "checks.h"

TEST_SUITE_BEGIN("tet_bake.drivers");

using namespace clipmill;
using namespace clipmill::stages::tet_bake;
using namespace clipmill::test;

namespace {

const Vec3 kHinge = glm::normalize(Vec3(1, 0.2, -0.1));

// What skinning takes from the radius of a round limb between two bones, as it is put back before
// skinning: the mean of two directions at the angle a has the length cos(a / 2).
double hingeCorrection(double angle_rad) { return 1.0 / std::cos(0.5 * angle_rad) - 1.0; }

DriverExamples hingeExamples(std::size_t count, double min_deg, double max_deg) {
  DriverExamples examples;
  examples.joints = {4};
  examples.output_count = 2;
  for (std::size_t e = 0; e < count; ++e) {
    const double share = static_cast<double>(e) / static_cast<double>(count - 1);
    const double angle_rad = kDegree * (min_deg + (max_deg - min_deg) * share);
    examples.rotations.push_back(rotationAbout(kHinge, angle_rad));
    examples.outputs.push_back(hingeCorrection(angle_rad));
    examples.outputs.push_back(-0.5 * std::sin(angle_rad));
    examples.weights.push_back(1.0);
    examples.parts.push_back(static_cast<int>(e % 4));
  }
  return examples;
}

double valueAt(const FittedDriver& fitted, std::span<const Quat> pose, std::size_t output,
               std::size_t output_count) {
  const std::vector<double> weights = centerWeights(fitted.driver, pose);
  double sum = 0.0;
  for (std::size_t c = 0; c < weights.size(); ++c) {
    sum += weights[c] * fitted.values[c * output_count + output];
  }
  return sum;
}

const std::vector<DriverShape> kHingeShapes = {{{0}, {{0, RotationPart::kTwist, kHinge, 1.0}}},
                                               {{0}, {{0, RotationPart::kWhole, kHinge, 1.0}}}};

}  // namespace

TEST_CASE("A hinge is fitted between its examples, and is 0 in the bind pose") {
  const FittedDriver fitted = fitDriver(hingeExamples(60, -5.0, 140.0), kHingeShapes);
  REQUIRE(fitted.driver.centerCount() > 0);
  double largest = 0.0;
  for (double angle_deg = -4.0; angle_deg < 140.0; angle_deg += 1.7) {
    const std::vector<Quat> pose = {rotationAbout(kHinge, angle_deg * kDegree)};
    const double wanted = hingeCorrection(angle_deg * kDegree);
    largest = std::max(largest, std::abs(valueAt(fitted, pose, 0, 2) - wanted));
  }
  // 1 % of what it is at 140 degrees.
  CHECK(largest < 0.01 * hingeCorrection(140.0 * kDegree));
  const std::vector<Quat> bind = {kIdentityRotation};
  for (std::size_t k = 0; k < 2; ++k) CHECK(std::abs(valueAt(fitted, bind, k, 2)) < 1e-12);
  CHECK(fitted.left_unknown < 1e-4 * fitted.total);
}

TEST_CASE("Few examples of a hinge predict the angles between them") {
  // Every 10 degrees; angles halfway between are unknown.
  const FittedDriver fitted = fitDriver(hingeExamples(15, 0.0, 140.0), kHingeShapes);
  for (double angle_deg = 5.0; angle_deg < 140.0; angle_deg += 10.0) {
    const std::vector<Quat> pose = {rotationAbout(kHinge, angle_deg * kDegree)};
    const double wanted = hingeCorrection(angle_deg * kDegree);
    CHECK(std::abs(valueAt(fitted, pose, 0, 2) - wanted) < 0.05 * hingeCorrection(140.0 * kDegree));
  }
}

TEST_CASE("Radial basis functions interpolate their centers") {
  DriverExamples examples;
  examples.joints = {1, 2};
  examples.output_count = 1;
  PoseDriver driver;
  driver.joints = examples.joints;
  driver.inputs = {{0, RotationPart::kWhole, Vec3(1, 0, 0), 1.0},
                   {1, RotationPart::kWhole, Vec3(1, 0, 0), 0.5}};
  driver.width_rad = 0.5;
  driver.centers = {kIdentityRotation, kIdentityRotation};
  for (int e = 0; e < 12; ++e) {
    const Quat first = rotationAbout(glm::normalize(Vec3(e, 3 - e, 2)), 0.2 * e + 0.2);
    const Quat second = rotationAbout(glm::normalize(Vec3(1, e, -e)), 1.5 - 0.2 * e);
    examples.rotations.insert(examples.rotations.end(), {first, second});
    driver.centers.insert(driver.centers.end(), {first, second});
    examples.outputs.push_back(std::sin(3.0 * e) + 0.1 * e);
    examples.weights.push_back(1.0);
  }
  const FittedDriver fitted = fitDriverAt(examples, driver, 0.0);
  for (std::size_t e = 0; e < examples.count(); ++e) {
    const auto pose = std::span(examples.rotations).subspan(2 * e, 2);
    CHECK(std::abs(valueAt(fitted, pose, 0, 1) - examples.outputs[e]) < 1e-6);
  }
  const std::vector<Quat> bind(2, kIdentityRotation);
  CHECK(std::abs(valueAt(fitted, bind, 0, 1)) < 1e-12);
}

TEST_CASE("What does not depend on the pose gets no driver") {
  DriverExamples examples = hingeExamples(60, -5.0, 140.0);
  for (std::size_t i = 0; i < examples.outputs.size(); ++i) {
    examples.outputs[i] = i / 2 % 2 == 0 ? 1.0 : -1.0;
  }
  // Neighbors differ by their sign, so that an example does not predict the next one.
  for (std::size_t e = 0; e < examples.count(); ++e) {
    examples.parts[e] = static_cast<int>(e / 2 % 4);
  }
  const FittedDriver fitted = fitDriver(examples, kHingeShapes);
  CHECK(fitted.driver.centers.empty());
  CHECK(fitted.values.empty());
}

TEST_SUITE_END();
