// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "measure/joint_volumes.h"

#include "checks.h"
#include "stages/tet_bake/binding/tet_binding.h"
#include "stages/tet_bake/make_limb.h"
#include "stages/tet_bake/make_solids.h"

TEST_SUITE_BEGIN("measure.volume");

using namespace clipmill;
using namespace clipmill::measure;
using namespace clipmill::stages::tet_bake;

namespace {

// The integral of w (1 - w) along a smoothstep over two radii, by hand: 9/35 of the radius.
constexpr double kBlendIntegral = 9.0 / 35.0;
constexpr double kLengthInRadii = 8.0;

const Vec3 kAlong(0, 0, 1), kAside(1, 0, 0);

Scene fineLimb() { return test::limbScene({0.05, 0.2, 128, 256}); }

// Change of volume by linear blend skinning of the limb, in percent of the volume at rest.
double lossPercent(const Scene& scene, const Quat& rotation) {
  const SkinSurface surface = test::surfaceOf(scene);
  std::vector<Vec3> posed(surface.pointCount());
  skinSurface(surface,
              worldsFromBind(surface.bind_world_from_node, test::limbPose(scene, rotation)), posed);
  const double rest = enclosedVolume(surface.positions, surface.triangles);
  return 100.0 * (enclosedVolume(posed, surface.triangles) / rest - 1.0);
}

double twistFormulaPercent(double angle_rad) {
  return -200.0 * (1.0 - portable::cos(angle_rad)) * kBlendIntegral / kLengthInRadii;
}

}  // namespace

TEST_CASE("a box has the volume of a box, wherever it is") {
  const Vec3 far(1e3, -2e3, 5e2);
  const SkinSurface surface =
      test::surfaceOf(test::barsScene({{far, far + Vec3(2.0, 0.5, 1.5), 0}}));
  CHECK(enclosedVolume(surface.positions, surface.triangles) == test::nearTo(1.5, 1e-9));
  CHECK(enclosedVolume({}, {}) == 0.0);
}

TEST_CASE("linear blending loses the volume of the closed form when the limb twists") {
  for (const double degrees : {45.0, 90.0, 135.0, 180.0}) {
    CAPTURE(degrees);
    const double measured = lossPercent(fineLimb(), rotationAbout(kAlong, degrees * kDegree));
    CHECK(std::abs(measured - twistFormulaPercent(degrees * kDegree)) < 0.1);
  }
}

TEST_CASE("linear blending loses half as much when the limb bends") {
  for (const double degrees : {45.0, 90.0, 135.0, 150.0}) {
    CAPTURE(degrees);
    const double measured = lossPercent(fineLimb(), rotationAbout(kAside, degrees * kDegree));
    CHECK(std::abs(measured - 0.5 * twistFormulaPercent(degrees * kDegree)) < 0.1);
  }
}

TEST_CASE("dual quaternion blending keeps the volume") {
  const Scene scene = fineLimb();
  const SkinSurface surface = test::surfaceOf(scene);
  TetMesh points;  // the skin itself as corners
  points.positions = surface.positions;
  points.influence_start = surface.influence_start;
  points.influences = surface.influences;
  const double rest = enclosedVolume(surface.positions, surface.triangles);
  for (const Vec3& axis : {kAlong, kAside}) {
    for (const double degrees : {45.0, 90.0, 135.0}) {
      std::vector<Vec3> posed(surface.pointCount());
      const auto worlds = test::limbPose(scene, rotationAbout(axis, degrees * kDegree));
      skinTetsByDualQuaternions(points, worldsFromBind(surface.bind_world_from_node, worlds),
                                posed);
      CHECK(std::abs(enclosedVolume(posed, surface.triangles) / rest - 1.0) < 0.0005);
    }
  }
}

TEST_CASE("the volume about a joint is measured where the skin is open") {
  Scene scene = fineLimb();
  // Without its ends, as a limb is that goes on into a body.
  SkinnedMesh& mesh = scene.meshes[0];
  std::vector<std::uint32_t> side;
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) {
    double z = 0.0;
    for (std::size_t i = 0; i < 3; ++i) z += mesh.positions[mesh.triangles[t + i]].z / 3.0;
    if (std::abs(z) < 0.19999) side.insert(side.end(), &mesh.triangles[t], &mesh.triangles[t] + 3);
  }
  mesh.triangles = side;
  const SkinSurface surface = test::surfaceOf(scene);
  const JointVolumes volumes(surface, scene.skeleton);
  REQUIRE(volumes.limbCount() == 1);
  CHECK(volumes.nodeOf(0) == 1);
  CHECK(volumes.restVolume(0) == test::nearTo(kPi * 0.05 * 0.05 * 0.4, 1e-3));
  CHECK(volumes.share(0, surface.positions) == test::nearTo(1.0, 1e-12));
  std::vector<Vec3> posed(surface.pointCount());
  const auto worlds = test::limbPose(scene, rotationAbout(kAlong, 135.0 * kDegree));
  skinSurface(surface, worldsFromBind(surface.bind_world_from_node, worlds), posed);
  CHECK(std::abs(100.0 * (volumes.share(0, posed) - 1.0) - twistFormulaPercent(135.0 * kDegree)) <
        0.1);
}

TEST_CASE("joints without common skin have no limb") {
  const Scene scene = test::barsScene({{Vec3(0), Vec3(1), 0}, {Vec3(2), Vec3(3), 1}});
  const SkinSurface surface = test::surfaceOf(scene);
  CHECK(JointVolumes(surface, scene.skeleton).limbCount() == 0);
}

TEST_SUITE_END();
