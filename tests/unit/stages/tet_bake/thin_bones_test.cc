// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/surface/thin_bones.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "checks.h"
#include "stages/tet_bake/bend_and_back.h"
#include "stages/tet_bake/clip_baker.h"
#include "stages/tet_bake/limb.h"
#include "stages/tet_bake/limb_state.h"
#include "stages/tet_bake/make_limb.h"

TEST_SUITE_BEGIN("tet_bake: thin bones");

using namespace clipmill;
using namespace clipmill::stages::tet_bake;
using namespace clipmill::test;

namespace {

constexpr double kCell_m = 0.02;

BakeBone boneOf(double radius_in_cells) {
  BakeBone bone;
  bone.area_m2 = 0.01;
  bone.radius_m = radius_in_cells * kCell_m;
  return bone;
}

}  // namespace

TEST_CASE("a bone keeps nothing at one cell across, all at 1.6, half in the middle") {
  CHECK(cellShare(boneOf(0.4), kCell_m) == 0.0);
  CHECK(cellShare(boneOf(0.5), kCell_m) == 0.0);
  CHECK(cellShare(boneOf(0.65), kCell_m) == nearTo(0.5, 1e-9));
  CHECK(cellShare(boneOf(0.8), kCell_m) == nearTo(1.0, 1e-9));
  CHECK(cellShare(boneOf(3.0), kCell_m) == 1.0);
}

TEST_CASE("bones that keep less than half are named, others and those without skin are not") {
  Skeleton skeleton;
  for (const char* name : {"Arm", "Finger", "Thumb", "Root"})
    skeleton.nodes.emplace_back().name = name;
  std::vector<BakeBone> bones = {boneOf(2.0), boneOf(0.6), boneOf(0.7), boneOf(0.0)};
  bones[3].area_m2 = 0.0;
  Warnings warnings;
  warnOfThinBones(skeleton, bones, kCell_m, warnings);
  REQUIRE(warnings.count("cells_too_large") == 1);
  CHECK(warnings.all()[0].first == "Finger: 24 mm thick, cells of 20 mm");
}

TEST_CASE("skin too thin for the cells is where dual quaternions have it") {
  const Scene scene = limbScene(kCoarseLimb);
  const Motion motion = bendAndBack(scene, 80.0);
  TetBakeSettings settings;
  settings.cell_mm = 110.0;  // the limb has a radius of 50 mm
  Warnings warnings;
  const BakeRig rig = std::move(makeBakeRig(scene, settings, warnings).value());
  CHECK(warnings.count("cells_too_large") > 0);
  Baked baked = emptyBake(rig.surface.pointCount());
  const SkinTools tools(rig);
  ClipBaker baker(scene, rig, tools, motion, settings, 0, baked);
  std::vector<Vec3> corners(rig.lattice.mesh.vertexCount()), targets(corners);
  baker.carry(2, corners, targets);
  baker.keep(2, corners, {});
  const auto surface = bakedSurface(scene, rig, motion, baked, 0, 2);
  double max_off_m = 0.0;
  for (std::size_t p = 0; p < rig.surface.pointCount(); ++p) {
    const Vec3 expected =
        limbRotated({}, {Vec3(1, 0, 0), 80.0 * kDegree}, rig.surface.positions[p]);
    max_off_m = std::max(max_off_m, distance(surface.solved[p], expected));
  }
  CHECK(max_off_m < 1e-6);
}

TEST_SUITE_END();
