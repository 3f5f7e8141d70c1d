// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/pose_driver.h"

#include <algorithm>
#include <numeric>

#include "checks.h"

TEST_SUITE_BEGIN("scene.pose_driver");

using namespace clipmill;
using namespace clipmill::test;

namespace {

const Vec3 kX(1, 0, 0), kY(0, 1, 0), kZ(0, 0, 1);
const std::vector<RotationPart> kAllParts = {RotationPart::kWhole, RotationPart::kSwing,
                                             RotationPart::kTwist};

Quat about(const Vec3& axis, double angle_deg) { return rotationAbout(axis, angle_deg * kDegree); }

// Two joints, all parts, five centers.
PoseDriver someDriver() {
  PoseDriver driver;
  driver.joints = {3, 5};
  driver.inputs = {{0, RotationPart::kWhole, kX, 1.0},
                   {1, RotationPart::kSwing, glm::normalize(Vec3(1, 2, 3)), 0.7},
                   {1, RotationPart::kTwist, glm::normalize(Vec3(1, 2, 3)), 0.4}};
  driver.width_rad = 0.4;
  for (int c = 0; c < 5; ++c) {
    driver.centers.push_back(about(glm::normalize(Vec3(c, 1, 2 - c)), 20.0 * c));
    driver.centers.push_back(about(glm::normalize(Vec3(1, c - 2, c)), 70.0 - 25.0 * c));
  }
  return driver;
}

std::vector<Quat> somePose(int number) {
  return {about(glm::normalize(Vec3(1, number, -2)), 37.0 * number),
          about(glm::normalize(Vec3(number, 1, 1)), -53.0 * number)};
}

}  // namespace

TEST_CASE("Distances of rotations have closed forms") {
  const Quat bent = about(kX, 50.0);
  CHECK(rotationDistance2({0, RotationPart::kWhole, kX, 1.0}, kIdentityRotation, bent) ==
        nearTo(2.0 - 2.0 * std::cos(50.0 * kDegree), 1e-12));
  // A swing of the axis y by 50 degrees, and no twist about it.
  CHECK(rotationDistance2({0, RotationPart::kSwing, kY, 1.0}, kIdentityRotation, bent) ==
        nearTo(2.0 - 2.0 * std::cos(50.0 * kDegree), 1e-12));
  CHECK(std::abs(rotationDistance2({0, RotationPart::kTwist, kY, 1.0}, kIdentityRotation, bent)) <
        1e-12);
  // A twist about x is no swing of it, and the twist of a swing behind it stays.
  const Quat twisted = bent * about(kY, 0.0);
  CHECK(std::abs(rotationDistance2({0, RotationPart::kSwing, kX, 1.0}, kIdentityRotation,
                                   twisted)) < 1e-12);
  const Quat both = about(kZ, 30.0) * about(kX, 80.0);
  CHECK(rotationDistance2({0, RotationPart::kTwist, kX, 1.0}, kIdentityRotation, both) ==
        nearTo(2.0 - 2.0 * std::cos(80.0 * kDegree), 1e-12));
  CHECK(rotationDistance2({0, RotationPart::kSwing, kX, 1.0}, kIdentityRotation, both) ==
        nearTo(2.0 - 2.0 * std::cos(30.0 * kDegree), 1e-12));
}

TEST_CASE("Weights of centers are positive and sum to 1, near the centers and far from them") {
  PoseDriver driver = someDriver();
  for (const double width_rad : {1e-3, 0.4, 10.0}) {
    driver.width_rad = width_rad;
    for (int number = -5; number <= 5; ++number) {
      const std::vector<double> weights = centerWeights(driver, somePose(number));
      REQUIRE(weights.size() == 5);
      CHECK(*std::min_element(weights.begin(), weights.end()) >= 0.0);
      CHECK(std::accumulate(weights.begin(), weights.end(), 0.0) == nearTo(1.0, 1e-12));
    }
  }
}

TEST_CASE("With narrow Gaussians a center has its own values, and no pose exceeds them") {
  PoseDriver driver = someDriver();
  const DrivenMorph morph{"m", {0.0, 0.25, 1.0, 0.5, 0.75}};
  for (int number = -9; number <= 9; ++number) {
    const double weight = morphWeight(morph, centerWeights(driver, somePose(number)));
    CHECK(weight >= 0.0);
    CHECK(weight <= 1.0);
  }
  driver.width_rad = 0.01;
  for (std::size_t c = 0; c < driver.centerCount(); ++c) {
    const auto center = std::span(driver.centers).subspan(2 * c, 2);
    CHECK(morphWeight(morph, centerWeights(driver, center)) == nearTo(morph.values[c], 1e-12));
  }
}

TEST_CASE("Quaternions of either sign are one rotation") {
  const PoseDriver driver = someDriver();
  for (int number = -3; number <= 3; ++number) {
    std::vector<Quat> pose = somePose(number);
    const std::vector<double> expected = centerWeights(driver, pose);
    pose[0] = -pose[0];
    CHECK(centerWeights(driver, pose) == expected);
    pose[1] = -pose[1];
    CHECK(centerWeights(driver, pose) == expected);
  }
}

TEST_CASE("Weights do not depend on the axes that a joint has in the bind pose") {
  const PoseDriver driver = someDriver();
  const std::vector<Quat> bind = {about(kY, 17.0), about(glm::normalize(Vec3(1, -1, 2)), 140.0)};
  // The same character with other axes of its joints: every rotation is followed by these.
  const std::vector<Quat> axes = {about(kZ, -75.0), about(glm::normalize(Vec3(3, 1, 1)), 112.0)};
  PoseDriver other = driver;
  for (std::size_t i = 0; i < other.centers.size(); ++i) {
    const Quat& own = axes[i % 2];
    other.centers[i] = glm::conjugate(own) * driver.centers[i] * own;
  }
  for (DriverInput& input : other.inputs) {
    input.axis = glm::conjugate(axes[input.joint]) * input.axis;
  }
  for (int number = -3; number <= 3; ++number) {
    const std::vector<Quat> pose = somePose(number);
    std::vector<Quat> relative, other_relative;
    for (std::size_t j = 0; j < 2; ++j) {
      const Quat local = bind[j] * pose[j];
      relative.push_back(relativeRotation(bind[j], local));
      other_relative.push_back(relativeRotation(bind[j] * axes[j], local * axes[j]));
    }
    const std::vector<double> expected = centerWeights(driver, relative);
    const std::vector<double> found = centerWeights(other, other_relative);
    for (std::size_t c = 0; c < expected.size(); ++c) {
      CHECK(std::abs(found[c] - expected[c]) < 1e-12);
    }
  }
}

TEST_CASE("A helper has the mean of its translations and of its rotation vectors") {
  DrivenHelper helper;
  helper.translations = {Vec3(0, 0, 1), Vec3(2, 0, 1)};
  helper.rotations_rad = {Vec3(0.0), Vec3(0, 80.0 * kDegree, 0)};
  const Transform half = helperTransform(helper, std::vector<double>{0.5, 0.5});
  CHECK(distance(half.translation, Vec3(1, 0, 1)) < 1e-12);
  CHECK(angleBetween(half.rotation, about(kY, 40.0)) < 1e-7);
  CHECK(half.scale == Vec3(1.0));
  // Axes of several centers add up before they become one rotation.
  helper.rotations_rad = {Vec3(1.2, 0, 0), Vec3(0, 0, -0.4)};
  const Transform mixed = helperTransform(helper, std::vector<double>{0.25, 0.75});
  const Vec3 sum(0.3, 0, -0.3);
  CHECK(angleBetween(mixed.rotation, rotationAbout(glm::normalize(sum), lengthOf(sum))) < 1e-7);
}

TEST_CASE("A swing of 180 degrees leaves the twist undetermined, and finite") {
  PoseDriver driver = someDriver();
  const Quat opposite = rotationAbout(kY, kPi);
  driver.inputs = {{0, RotationPart::kTwist, kX, 1.0}};
  for (const double weight : centerWeights(driver, std::vector<Quat>{opposite, opposite})) {
    CHECK(std::isfinite(weight));
  }
}

TEST_SUITE_END();
