// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/limb_weights.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "checks.h"
#include "stages/tet_bake/bake_report.h"
#include "stages/tet_bake/bend_and_back.h"
#include "stages/tet_bake/limb_state.h"
#include "stages/tet_bake/make_limb.h"

TEST_SUITE_BEGIN("tet_bake.limb_weights");

using namespace clipmill;
using namespace clipmill::stages::tet_bake;
using namespace clipmill::test;

namespace {

// The frame in which the limb is bent most.
constexpr std::size_t kBent = 2;

// A limb bent by 50 degrees, with one morph that widens it about its joint.
struct WidenedLimb {
  Scene scene = limbScene(kCoarseLimb);
  std::vector<Motion> motions = {bendAndBack(scene, 50.0)};
  BakeRig rig = rigOf(scene);
  Baked baked = emptyBake(rig.surface.pointCount());
  std::vector<FittedMorph> morphs = {widening(rig)};

  WidenedLimb() { baked.limb_goals = {limbGoal(scene, rig, motions[0], 1)}; }

  static BakeRig rigOf(const Scene& scene) {
    TetBakeSettings settings;
    settings.max_tets = 4000;
    Warnings warnings;
    return std::move(makeBakeRig(scene, settings, warnings).value());
  }

  // Away from the axis of the limb, which is along y, by 10 mm at the joint.
  static FittedMorph widening(const BakeRig& rig) {
    FittedMorph morph;
    morph.weights.assign(kBendFrames, 0.0);
    for (std::uint32_t p = 0; p < rig.surface.pointCount(); ++p) {
      const Vec3& at = rig.surface.positions[p];
      const double near = 1.0 - std::abs(at.y) / 0.1;
      if (near <= 0.0 || !(std::hypot(at.x, at.z) > 0.0)) continue;
      morph.points.push_back(p);
      morph.deltas.push_back(0.01 * near * glm::normalize(Vec3(at.x, 0.0, at.z)));
    }
    return morph;
  }

  double volumeAt(std::size_t frame) const {
    const MorphedSkin skin = skinAt(scene, rig, motions[0], frame, morphs, frame);
    return rig.limbs.share(0, skin.morphed);
  }

  // What the limb is to have.
  double wanted() const {
    const LimbGoal& goal = baked.limb_goals[0];
    return std::min(std::max({goal.dual, goal.plain, 0.92}) + 0.002, 1.0);
  }

  // The same weight in all frames, with which the bent limb has this volume.
  double setVolume(double volume) {
    double low = -1.0, high = 1.0;
    for (int i = 0; i < 40; ++i) {
      const double middle = 0.5 * (low + high);
      morphs[0].weights.assign(kBendFrames, middle);
      (volumeAt(kBent) < volume ? low : high) = middle;
    }
    return morphs[0].weights[kBent];
  }

  void keep(int threads = 1) { keepLimbVolumes(scene, rig, motions, baked, morphs, threads); }
};

}  // namespace

TEST_CASE("a limb gets the volume that other skinning has, and frames with more keep their bits") {
  WidenedLimb limb;
  REQUIRE(limb.rig.limbs.limbCount() == 1);
  const double wanted = limb.wanted();
  const double weight = limb.setVolume(wanted - 0.001);
  REQUIRE(limb.volumeAt(0) > wanted);
  limb.keep();
  CHECK(limb.volumeAt(kBent) == nearTo(wanted, 1e-5));
  CHECK(limb.morphs[0].weights.front() == weight);
  CHECK(limb.morphs[0].weights.back() == weight);
}

TEST_CASE("a weight changes by no more than three tenths, and threads change nothing") {
  WidenedLimb limb;
  limb.morphs[0].weights.assign(kBendFrames, 0.01);
  REQUIRE(limb.volumeAt(kBent) < limb.wanted() - 0.01);
  WidenedLimb twin = limb;
  limb.keep();
  CHECK(limb.morphs[0].weights[kBent] == nearTo(0.013, 1e-6));
  twin.keep(4);
  CHECK(twin.morphs[0].weights == limb.morphs[0].weights);
}

TEST_CASE("weights stay within 1, displacements make up for it") {
  WidenedLimb limb;
  const double weight = limb.setVolume(limb.wanted() - 0.001);
  REQUIRE(weight > 0.0);
  // The same shape by weights of 1.
  for (double& own : limb.morphs[0].weights) own /= weight;
  for (Vec3& delta : limb.morphs[0].deltas) delta *= weight;
  limb.keep();
  CHECK(*std::max_element(limb.morphs[0].weights.begin(), limb.morphs[0].weights.end()) == 1.0);
  CHECK(limb.volumeAt(kBent) == nearTo(limb.wanted(), 1e-5));
}

TEST_SUITE_END();
