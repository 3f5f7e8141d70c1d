// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/contact_guard.h"

#include <functional>

#include "checks.h"
#include "stages/tet_bake/bend_and_back.h"
#include "stages/tet_bake/limb_state.h"
#include "stages/tet_bake/make_limb.h"

TEST_SUITE_BEGIN("tet_bake.contact_guard");

using namespace clipmill;
using namespace clipmill::stages::tet_bake;
using namespace clipmill::test;

namespace {

constexpr std::size_t kBent = 2;  // the frame in the middle

// A limb that bends and comes back, with plain skinning as its bake.
struct BentLimb {
  Scene scene = test::limbScene(test::kCoarseLimb);
  Motion motion = bendAndBack(scene, 50.0);
  TetBakeSettings settings;
  BakeRig rig;
  Baked baked;

  BentLimb() : settings(fewTets()), rig(rigOf()), baked(emptyBake(rig.surface.pointCount())) {
    baked.contact.resize(1);
    baked.limb_goals = {limbGoal(scene, rig, motion, 1)};
  }

  // Moves all points of the bent frame, by their positions at rest, as contact would.
  void shift(const std::function<Vec3(const Vec3& rest)>& path_of) {
    for (std::size_t p = 0; p < rig.surface.pointCount(); ++p) {
      const Vec3 path = path_of(rig.surface.positions[p]);
      baked.world.set(p, kBent, path);
      baked.before_skin.set(p, kBent, path);
    }
  }

  double largestPath_m() const {
    double largest = 0.0;
    for (std::size_t p = 0; p < rig.surface.pointCount(); ++p) {
      largest = std::max(largest, glm::length(baked.world.at(p, kBent)));
    }
    return largest;
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

// Outward by up to a millimetre about the joint.
Vec3 outward(const Vec3& rest) {
  const double near = std::max(1.0 - std::abs(rest.z) / 0.1, 0.0);
  return Vec3(rest.x, rest.y, 0.0) * (0.02 * near);
}

// Rings of vertices swap positions about the joint.
Vec3 flipping(const Vec3& rest) {
  return std::abs(rest.z) < 0.03 ? Vec3(0.0, 0.0, -2.0 * rest.z) : Vec3(0.0);
}

Vec3 inward(const Vec3& rest) { return -5.0 * outward(rest); }

}  // namespace

TEST_CASE("Contact that makes nothing worse stays as it is") {
  BentLimb limb;
  ContactGuard guard(limb.scene, limb.rig, limb.motion, 0, 1, limb.baked);
  limb.shift(outward);
  const ContactLayer layer = guard.takeBack();
  for (std::size_t p = 0; p < limb.rig.surface.pointCount(); ++p) {
    const Vec3 path = outward(limb.rig.surface.positions[p]);
    CHECK(glm::distance(limb.baked.world.at(p, kBent), path) < 1e-8);
    const bool is_moved = std::binary_search(layer.points.begin(), layer.points.end(), p);
    CHECK(is_moved == (path != Vec3(0.0)));
  }
}

TEST_CASE("Contact that flips edges is left out, and so is contact that takes volume") {
  for (const auto& path_of : {flipping, inward}) {
    BentLimb limb;
    ContactGuard guard(limb.scene, limb.rig, limb.motion, 0, 1, limb.baked);
    limb.shift(path_of);
    REQUIRE(limb.largestPath_m() > 1e-3);
    guard.takeBack();
    CHECK(limb.largestPath_m() == 0.0);
  }
}

TEST_CASE("Contact is withdrawn where a joint is held back, and in the frames in which it fades") {
  BentLimb limb;
  ContactGuard guard(limb.scene, limb.rig, limb.motion, 0, 1, limb.baked);
  limb.shift(outward);
  limb.baked.contact[0] = guard.takeBack();
  const double all_m = limb.largestPath_m();
  const int node = limb.rig.regions.front().node;
  const std::vector<Motion> motions = {limb.motion};
  double factor = 0.5;
  const auto withdraw = [&](const FallbackSkin& skin) {
    return withdrawContact(limb.scene, limb.rig, motions, std::vector<FallbackSkin>{skin}, factor,
                           1, limb.baked);
  };
  CHECK(!withdraw({}));
  std::vector<double> shares(limb.motion.grid.frame_count, 1.0);
  CHECK(!withdraw({{}, {}, {}, {{node, WorseBy::kFolds, shares}}}));
  CHECK(limb.largestPath_m() == all_m);
  shares[kBent] = 0.75;
  CHECK(withdraw({{}, {}, {}, {{node, WorseBy::kFolds, shares}}}));
  CHECK(limb.largestPath_m() == test::nearTo(0.5 * all_m, 1e-8));
  factor = 0.0;
  CHECK(withdraw({{}, {}, {}, {{node, WorseBy::kFolds, shares}}}));
  CHECK(limb.largestPath_m() == 0.0);
  // The other frames had none of it, but nobody knows.
  CHECK(withdraw({{node}, {}, {WorseBy::kNormals}, {}}));
  CHECK(!withdraw({{node}, {}, {WorseBy::kNormals}, {}}));
}

TEST_SUITE_END();
