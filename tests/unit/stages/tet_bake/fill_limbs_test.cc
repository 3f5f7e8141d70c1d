// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/fill_limbs.h"

#include <algorithm>
#include <array>

#include "checks.h"
#include "stages/tet_bake/bend_and_back.h"
#include "stages/tet_bake/limb_state.h"
#include "stages/tet_bake/make_limb.h"

TEST_SUITE_BEGIN("tet_bake.fill_limbs");

using namespace clipmill;
using namespace clipmill::stages::tet_bake;
using namespace clipmill::test;

TEST_CASE("A limb of plain skinning is filled to the volume of dual quaternions, near its joint") {
  const Scene scene = test::limbScene(test::kCoarseLimb);
  const Motion motion = bendAndBack(scene, 50.0);
  TetBakeSettings settings;
  settings.max_tets = 4000;
  Warnings warnings;
  const BakeRig rig = std::move(makeBakeRig(scene, settings, warnings).value());
  REQUIRE(rig.limbs.limbCount() == 1);
  const std::size_t points = rig.surface.pointCount();
  Baked baked = emptyBake(points);
  const SkinTools tools(rig);
  baked.limb_goals = {limbGoal(scene, rig, motion, 1)};
  ClipBaker baker(scene, rig, tools, motion, settings, 0, baked);
  const auto volumeAt = [&](std::size_t frame) {
    return rig.limbs.share(0, bakedSurface(scene, rig, motion, baked, 0, frame).solved);
  };
  std::array<double, kBendFrames> plain{};
  for (std::size_t f = 0; f < kBendFrames; ++f) plain[f] = volumeAt(f);
  const LimbState before = worstLimbState(scene, rig, motion, baked, 0, 1);
  const double wanted = baked.limb_goals[0].wanted(0.02);
  REQUIRE(before.volumes[0] < wanted - 1e-3);
  fillLimbs(scene, rig, motion, 0, 2, baker, baked);
  const LimbState after = worstLimbState(scene, rig, motion, baked, 0, 1);
  CHECK(after.volumes[0] == test::nearTo(wanted, 1e-6));
  CHECK(after.worse_frames == before.worse_frames);
  // No frame gets more than it misses.
  for (std::size_t f = 0; f < kBendFrames; ++f) {
    CHECK(volumeAt(f) == test::nearTo(std::max(plain[f], wanted), 1e-6));
  }
  double max_path_m = 0.0;
  for (std::size_t p = 0; p < points; ++p) {
    for (const std::size_t at_rest : {std::size_t{0}, kBendFrames - 1}) {
      CHECK(baked.world.at(p, at_rest) == Vec3(0.0));
    }
    const double path_m = glm::length(baked.world.at(p, 2));
    // Three radii of 50 mm from the joint nothing moves.
    if (glm::length(rig.surface.positions[p]) > 0.15 + 1e-9) CHECK(path_m == 0.0);
    max_path_m = std::max(max_path_m, path_m);
  }
  CHECK(max_path_m > 1e-4);
  CHECK(max_path_m <= 0.1 * 0.05 * 1.001);
}

TEST_CASE("A limb that has its volume keeps its bits") {
  const Scene scene = test::limbScene(test::kCoarseLimb);
  const Motion motion = bendAndBack(scene, 0.0);
  TetBakeSettings settings;
  settings.max_tets = 4000;
  Warnings warnings;
  const BakeRig rig = std::move(makeBakeRig(scene, settings, warnings).value());
  Baked baked = emptyBake(rig.surface.pointCount());
  const SkinTools tools(rig);
  baked.limb_goals = {limbGoal(scene, rig, motion, 1)};
  ClipBaker baker(scene, rig, tools, motion, settings, 0, baked);
  fillLimbs(scene, rig, motion, 0, 1, baker, baked);
  for (std::size_t p = 0; p < rig.surface.pointCount(); ++p) {
    for (std::size_t f = 0; f < kBendFrames; ++f) CHECK(baked.world.at(p, f) == Vec3(0.0));
  }
}

TEST_SUITE_END();
