// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "checks.h"
#include "stages/tet_bake/rotating_limb.h"
#include "stages/tet_bake/surface/unscaled_pose.h"

TEST_SUITE_BEGIN("tet_bake.joint_scale");

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::tet_bake;
using namespace clipmill::test;

namespace {

constexpr double kTolerance_m = 0.5e-3;

double farthest(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0.0;
  for (std::size_t v = 0; v < a.size(); ++v) most = std::max(most, distance(a[v], b[v]));
  return most;
}

// Largest distance of the baked skin from plain skinning, over the whole clip.
double farthestFromSkinning(const Scene& scene, const Motion& motion) {
  const StageOutput output = bakedLimb(scene, motion);
  const Scene after = withAdditions(scene, output.additions);
  double most = 0.0;
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    most = std::max(
        most, farthest(shownAt(after, output.results[0].motion, f), shownAt(scene, motion, f)));
  }
  return most;
}

void scaleNode(Motion& motion, std::size_t node, const Vec3& first, const Vec3& last) {
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    const double t = static_cast<double>(f) / (kFrames - 1);
    motion.frame(f).locals[node].scale = first + (last - first) * t;
  }
}

}  // namespace

TEST_CASE("A joint with a constant scale of 1.4 is baked as plain skinning shows it") {
  const Scene scene = limbScene(kCoarseLimb);
  for (const std::size_t node : {std::size_t{0}, std::size_t{1}}) {
    Motion motion = rotatingLimb(scene, Vec3(1, 0, 0), 0.0);
    scaleNode(motion, node, Vec3(1.4), Vec3(1.4));
    CHECK(farthestFromSkinning(scene, motion) <= kTolerance_m);
  }
}

TEST_CASE("Animated squash and stretch is baked as plain skinning shows it") {
  const Scene scene = limbScene(kCoarseLimb);
  for (const std::size_t node : {std::size_t{0}, std::size_t{1}}) {
    Motion motion = rotatingLimb(scene, Vec3(1, 0, 0), 0.0);
    scaleNode(motion, node, Vec3(1.5, 1.5, 0.45), Vec3(0.7, 0.7, 2.0));
    CHECK(farthestFromSkinning(scene, motion) <= kTolerance_m);
  }
}

TEST_CASE("A bent limb below a scale is the bent limb, scaled") {
  const Scene scene = limbScene(kCoarseLimb);
  const Motion plain = rotatingLimb(scene, Vec3(1, 0, 0), 90.0);
  Motion scaled = plain;
  scaleNode(scaled, 0, Vec3(1.4), Vec3(1.4));
  const StageOutput a = bakedLimb(scene, plain), b = bakedLimb(scene, scaled);
  const Scene after_a = withAdditions(scene, a.additions),
              after_b = withAdditions(scene, b.additions);
  const Vec3 root = scene.skeleton.nodes[0].rest.translation;
  double correction_m = 0.0;
  for (std::size_t f = 0; f < kFrames; ++f) {
    std::vector<Vec3> expected = shownAt(after_a, a.results[0].motion, f);
    for (Vec3& position : expected) position = root + 1.4 * (position - root);
    const std::vector<Vec3> shown = shownAt(after_b, b.results[0].motion, f);
    CHECK(farthest(shown, expected) <= 4.0 * kTolerance_m);
    correction_m = std::max(correction_m, farthest(shown, shownAt(scene, scaled, f)));
  }
  CHECK(correction_m > 10.0 * kTolerance_m);
}

TEST_CASE("The polar rotation of a rotation times a symmetric stretch is that rotation") {
  const Mat3 rotation = glm::mat3_cast(rotationAbout(glm::normalize(Vec3(1, 2, -1)), 2.1));
  const Mat3 axes = glm::mat3_cast(rotationAbout(glm::normalize(Vec3(-1, 1, 3)), 0.8));
  for (const Vec3& scale : {Vec3(1.0), Vec3(0.01, 1.0, 3.0), Vec3(1e-4), Vec3(50.0, 2.0, 0.3)}) {
    const Mat3 diagonal(Vec3(scale.x, 0, 0), Vec3(0, scale.y, 0), Vec3(0, 0, scale.z));
    const Mat3 stretch = axes * diagonal * glm::transpose(axes);
    Mat3 found, mirrored;
    REQUIRE(polarRotation(rotation * stretch, found));
    REQUIRE(polarRotation(-(rotation * stretch), mirrored));
    for (int c = 0; c < 3; ++c) {
      CHECK(distance(found[c], rotation[c]) < 1e-12);
      CHECK(distance(mirrored[c], rotation[c]) < 1e-12);
    }
  }
  Mat3 none;
  CHECK_FALSE(polarRotation(Mat3(0.0), none));
}

TEST_SUITE_END();
