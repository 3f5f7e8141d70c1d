// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/fold_contact.h"

#include "checks.h"
#include "stages/tet_bake/bend_and_back.h"
#include "stages/tet_bake/limb_state.h"
#include "stages/tet_bake/make_limb.h"

TEST_SUITE_BEGIN("tet_bake.fold_contact");

using namespace clipmill;
using namespace clipmill::stages::tet_bake;
using namespace clipmill::test;

namespace {

constexpr std::size_t kBent = 2;  // the frame in the middle

// A limb that bends until its sides penetrate each other. As baked it bends farther.
struct FoldedLimb {
  Scene scene = limbScene(kCoarseLimb);
  Motion motion = bendAndBack(scene, 140.0);
  TetBakeSettings settings;
  BakeRig rig;
  Baked baked;

  FoldedLimb() : settings(fewTets()), rig(rigOf()), baked(emptyBake(rig.surface.pointCount())) {
    const std::vector<Vec3> less = skinned(motion), more = skinned(bendAndBack(scene, 146.0));
    for (std::size_t p = 0; p < less.size(); ++p) baked.world.set(p, kBent, more[p] - less[p]);
  }

  std::vector<Vec3> skinned(const Motion& bend) const {
    std::vector<Vec3> positions(rig.surface.pointCount());
    skinSurface(rig.surface, worldsAt(scene, rig, bend, kBent), positions);
    return positions;
  }

  BakedSurface surface() const { return bakedSurface(scene, rig, motion, baked, 0, kBent); }

  double depths_m(const std::vector<Vec3>& positions) const {
    double sum_m = 0.0;
    for (const Overlap& overlap : rig.overlap.measure(positions)) sum_m += overlap.depth_m;
    return sum_m;
  }

  // As an average with frames that have none.
  void halvePaths(const std::vector<Vec3>& from) {
    for (std::size_t p = 0; p < from.size(); ++p) {
      baked.world.set(p, kBent, 0.5 * (from[p] + baked.world.at(p, kBent)));
    }
  }

  std::vector<Vec3> paths() const {
    std::vector<Vec3> all;
    for (std::size_t p = 0; p < rig.surface.pointCount(); ++p)
      all.push_back(baked.world.at(p, kBent));
    return all;
  }

 private:
  static TetBakeSettings fewTets() {
    TetBakeSettings few;
    few.max_tets = 4000;
    return few;
  }
  BakeRig rigOf() const {
    Warnings warnings;
    return std::move(makeBakeRig(scene, settings, warnings).value());
  }
};

}  // namespace

TEST_CASE("Skin that is farther within other skin than with plain skinning moves out, and again") {
  FoldedLimb limb;
  const SkinTools tools(limb.rig);
  ClipBaker baker(limb.scene, limb.rig, tools, limb.motion, limb.settings, 0, limb.baked);
  const double plain_m = limb.depths_m(limb.surface().plain);
  const double farther_m = limb.depths_m(limb.surface().solved);
  REQUIRE(plain_m > 0.0);
  REQUIRE(farther_m > plain_m);
  const std::vector<Vec3> before = limb.paths();
  FoldContact contact(limb.scene, limb.rig, tools, limb.motion, 0, 1, 1, baker, limb.baked);
  contact.separate();
  const double apart_m = limb.depths_m(limb.surface().solved);
  CHECK(apart_m < 0.9 * plain_m);

  // A frame that keeps its paths is left as it is.
  const std::vector<Vec3> apart = limb.paths();
  contact.separateAgain();
  CHECK(limb.paths() == apart);

  limb.halvePaths(before);
  const double averaged_m = limb.depths_m(limb.surface().solved);
  CHECK(averaged_m > 0.95 * plain_m);
  contact.separateAgain();
  CHECK(limb.depths_m(limb.surface().solved) < 0.9 * plain_m);
}
