// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/firm_limbs.h"

#include <algorithm>
#include <deque>

#include "checks.h"
#include "stages/tet_bake/binding/tet_binding.h"
#include "stages/tet_bake/equilibria.h"
#include "stages/tet_bake/make_limb.h"

TEST_SUITE_BEGIN("tet_bake.firm_limbs");

namespace {

using namespace clipmill;
using namespace clipmill::stages::tet_bake;

constexpr std::size_t kFirmFrames = 7;

Motion largeBend(const Scene& scene, double angle_deg) {
  Motion motion;
  motion.clip_name = "Bend";
  motion.grid = makeGrid(0.0, (kFirmFrames - 1) / 30.0, 30.0);
  motion.node_count = scene.skeleton.size();
  motion.modified = TrackMask(motion.node_count);
  for (std::size_t f = 0; f < kFirmFrames; ++f) {
    std::vector<Transform> locals = restPose(scene.skeleton).locals;
    locals[1].rotation = rotationAbout(
        Vec3(1, 0, 0), angle_deg * kDegree * static_cast<double>(f) / (kFirmFrames - 1));
    motion.locals.insert(motion.locals.end(), locals.begin(), locals.end());
  }
  return motion;
}

}  // namespace

TEST_CASE("What is about a joint is firm, the rest of the body is not") {
  const Scene scene = test::limbScene(test::kCoarseLimb);
  TetBakeSettings settings;
  settings.max_tets = 4000;
  Warnings warnings;
  const BakeRig rig = std::move(makeBakeRig(scene, settings, warnings).value());
  TetMesh mesh = rig.lattice.mesh;
  makeFirm(scene, rig, {{1, 5.0}}, mesh);
  REQUIRE(mesh.firmness.size() == mesh.tets.size());
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    double high_m = -1.0, low_m = 1.0;
    for (const std::uint32_t corner : mesh.tets[t]) {
      high_m = std::max(high_m, mesh.positions[corner].z);
      low_m = std::min(low_m, mesh.positions[corner].z);
    }
    // The lower bone is above z = 0; of the upper one three radii of 50 mm are firm.
    if (low_m > 0.05 || low_m > -0.12) CHECK(mesh.firmness[t] == 5.0);
    if (high_m < -0.18) CHECK(mesh.firmness[t] == 1.0);
  }
}

TEST_CASE("A limb with less volume than by dual quaternions is solved again, and loses half less") {
  const Scene scene = test::limbScene(test::kCoarseLimb);
  const std::vector<Motion> motions = {largeBend(scene, 150.0)};
  TetBakeSettings settings;
  settings.max_tets = 8000;
  Warnings warnings;
  const BakeRig rig = std::move(makeBakeRig(scene, settings, warnings).value());
  REQUIRE(rig.limbs.limbCount() == 1);
  const std::size_t points = rig.surface.pointCount();
  Baked baked{PointDisplacements(points, kFirmFrames),
              PointDisplacements(points, kFirmFrames),
              std::vector<BakedFrame>(kFirmFrames),
              {0, kFirmFrames},
              {},
              {}};
  baked.limb_goals = {limbGoal(scene, rig, motions[0], 1)};
  const SkinTools tools(rig);
  std::deque<ClipBaker> bakers;
  bakers.emplace_back(scene, rig, tools, motions[0], settings, 0, baked);

  double dual_least = 1.0;
  const auto leastVolume = [&] {
    double least = 1.0;
    for (std::size_t f = 0; f < kFirmFrames; ++f) {
      const std::vector<Affine> worlds = worldsAt(scene, rig, motions[0], f);
      std::vector<Vec3> solved(points), dual(points);
      skinSurface(rig.surface, worlds, solved);
      skinSurfaceByDualQuaternions(rig.surface, worlds, dual);
      for (std::size_t p = 0; p < points; ++p) solved[p] += baked.world.at(p, f);
      least = std::min(least, rig.limbs.share(0, solved));
      dual_least = std::min(dual_least, rig.limbs.share(0, dual));
    }
    return least;
  };
  REQUIRE(solveEquilibria(rig.lattice.mesh, settings, 1, {&bakers[0]}));
  const double soft = leastVolume();
  REQUIRE(soft < dual_least);
  REQUIRE(solveFirmLimbs(scene, rig, motions, settings, 2, bakers, baked));
  const double firm = leastVolume();
  CHECK(1.0 - firm < 0.5 * (1.0 - soft));
  CHECK(firm >= dual_least);
}

TEST_SUITE_END();
