// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/blend/pose_mix.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "checks.h"

using namespace clipmill;
using namespace clipmill::test;
using namespace clipmill::stages::blend;

TEST_SUITE_BEGIN("blend.pose_mix");

namespace {

// Spread within about 80 degrees of each other.
std::vector<Quat> someRotations() {
  return {rotationAbout(glm::normalize(Vec3(1, 2, -1)), 0.7),
          rotationAbout(glm::normalize(Vec3(-1, 0.5, 0.3)), 0.6),
          rotationAbout(glm::normalize(Vec3(0.2, -1, 2)), 0.9),
          rotationAbout(glm::normalize(Vec3(0, 0.1, 1)), 0.4)};
}

}  // namespace

TEST_CASE("a mean of two rotations is their slerp, whatever their signs") {
  const Quat a = someRotations()[0], b = someRotations()[1];
  for (double t : {0.0, 0.2, 0.5, 0.99, 1.0}) {
    const double weights[] = {1.0 - t, t};
    const Quat same[] = {a, b}, other[] = {a, -b};
    CHECK(distance(meanRotation(same, weights), slerp(a, b, t)) < 1e-12);
    CHECK(distance(meanRotation(other, weights), slerp(a, b, t)) < 1e-12);
  }
}

TEST_CASE("rotations about one axis have the mean of their angles") {
  const Vec3 axis = glm::normalize(Vec3(3, -1, 2));
  const std::vector<Quat> rotations = {rotationAbout(axis, 0.1), rotationAbout(axis, -0.5),
                                       rotationAbout(axis, 0.9)};
  const std::vector<double> weights = {0.2, 0.5, 0.3};
  CHECK(distance(meanRotation(rotations, weights),
                 rotationAbout(axis, 0.2 * 0.1 - 0.5 * 0.5 + 0.3 * 0.9)) < 1e-9);
}

TEST_CASE("weighted rotation vectors from the mean to all rotations sum to 0") {
  const std::vector<Quat> rotations = someRotations();
  const std::vector<double> weights = {0.1, 0.4, 0.3, 0.2};
  const Quat mean = meanRotation(rotations, weights);
  Vec3 sum(0.0);
  for (std::size_t i = 0; i < rotations.size(); ++i) {
    sum += weights[i] * rotationVector(mean, rotations[i]);
  }
  CHECK(distance(sum, Vec3(0.0)) < 1e-12);
}

TEST_CASE("the order of rotations and their signs do not matter") {
  const std::vector<Quat> rotations = someRotations();
  const std::vector<double> weights = {0.1, 0.4, 0.3, 0.2};
  const Quat mean = meanRotation(rotations, weights);
  std::vector<std::size_t> order = {0, 1, 2, 3};
  do {
    std::vector<Quat> q;
    std::vector<double> w;
    for (std::size_t i : order) {
      q.push_back(order[0] % 2 == i % 2 ? rotations[i] : -rotations[i]);
      w.push_back(weights[i]);
    }
    CHECK(distance(meanRotation(q, w), mean) < 1e-9);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("rotating all rotations rotates their mean") {
  const Quat rotation = rotationAbout(glm::normalize(Vec3(-1, 1, 1)), 2.5);
  const std::vector<double> weights = {0.1, 0.4, 0.3, 0.2};
  std::vector<Quat> rotated = someRotations();
  for (Quat& q : rotated) q = rotation * q;
  CHECK(distance(meanRotation(rotated, weights),
                 rotation * meanRotation(someRotations(), weights)) < 1e-9);
}

TEST_CASE("a transform with all the weight comes back bit for bit") {
  const Transform a{Vec3(1, 2, 3), Quat(0.1, 0.2, 0.3, 0.4), Vec3(1, 1.0 / 3.0, 2)};
  const Transform others[] = {Transform{}, a, Transform{}};
  const double weights[] = {0.0, 1.0, 0.0};
  CHECK(meanTransform(others, weights) == a);
}

TEST_CASE("translations and scales are weighted sums") {
  const Transform locals[] = {{Vec3(1, 0, 0), kIdentityRotation, Vec3(1)},
                              {Vec3(0, 2, 0), kIdentityRotation, Vec3(3)}};
  const double weights[] = {0.25, 0.75};
  const Transform mean = meanTransform(locals, weights);
  CHECK(mean.translation == Vec3(0.25, 1.5, 0));
  CHECK(mean.scale == Vec3(2.5));
}

TEST_CASE("a difference added to its reference is the pose it was taken from") {
  const Transform reference{Vec3(1, 2, 3), someRotations()[0], Vec3(1, 2, 4)};
  const Transform local{Vec3(-1, 0, 2), someRotations()[2], Vec3(2, 1, 1)};
  const Transform difference = differenceFrom(reference, local);
  const Transform whole = withDifference(reference, difference, 1.0);
  CHECK(distance(whole.translation, local.translation) < 1e-12);
  CHECK(distance(whole.rotation, local.rotation) < 1e-9);
  CHECK(distance(whole.scale, local.scale) < 1e-12);
  const Transform none = withDifference(reference, difference, 0.0);
  CHECK(none.translation == reference.translation);
  CHECK(distance(none.rotation, reference.rotation) < 1e-9);
  CHECK(none.scale == reference.scale);
}

TEST_CASE("a difference rotates a bone about its own axes") {
  const Transform reference{Vec3(0), rotationAbout(Vec3(1, 0, 0), 0.3), Vec3(1)};
  const Transform local{Vec3(0), rotationAbout(Vec3(1, 0, 0), 0.8), Vec3(1)};
  const Quat base = rotationAbout(Vec3(0, 1, 0), 1.0);
  const Transform added =
      withDifference({Vec3(0), base, Vec3(1)}, differenceFrom(reference, local), 0.5);
  CHECK(distance(added.rotation, base * rotationAbout(Vec3(1, 0, 0), 0.25)) < 1e-9);
}
