// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/morph_fallback.h"

#include "checks.h"
#include "stages/tet_bake/make_limb.h"

TEST_SUITE_BEGIN("tet_bake.morph_fallback");

namespace {

using namespace clipmill;
using namespace clipmill::stages::tet_bake;

constexpr std::size_t kFrames = 5;

Motion bentLimb(const Scene& scene, double angle_deg) {
  Motion motion;
  motion.clip_name = "Bend";
  motion.grid = makeGrid(0.0, (kFrames - 1) / 30.0, 30.0);
  motion.node_count = scene.skeleton.size();
  motion.modified = TrackMask(motion.node_count);
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    std::vector<Transform> locals = restPose(scene.skeleton).locals;
    locals[1].rotation =
        rotationAbout(Vec3(1, 0, 0), angle_deg * kDegree * static_cast<double>(f) / (kFrames - 1));
    motion.locals.insert(motion.locals.end(), locals.begin(), locals.end());
  }
  return motion;
}

// Two clips of a limb, with the morphs that fit both.
struct TwoBends {
  Scene scene = test::limbScene();
  std::vector<Motion> motions = {bentLimb(scene, 90.0), bentLimb(scene, 80.0)};
  TetBakeSettings settings;
  BakeRig rig;
  std::vector<FittedMorph> fitted;

  Baked bake() {
    settings.max_tets = 4000;
    Warnings warnings;
    rig = std::move(makeBakeRig(scene, settings, warnings).value());
    Baked baked = std::move(bakeMotions(scene, rig, motions, settings, 1).value());
    fitted = fitMorphs(baked.before_skin, rig.regions, wholeRegion(rig.surface), {});
    return baked;
  }
};

}  // namespace

TEST_CASE("Morphs that come nearer to the solved surface stay as they are") {
  TwoBends bends;
  const Baked baked = bends.bake();
  REQUIRE_FALSE(bends.fitted.empty());
  const std::vector<double> weights = bends.fitted[0].weights;
  for (const std::size_t clip : {0u, 1u}) {
    CHECK(applyMorphFallback(bends.scene, bends.rig, bends.motions[clip], baked, clip, bends.fitted,
                             1)
              .nodes.empty());
  }
  CHECK(bends.fitted[0].weights == weights);
}

TEST_CASE("Morphs that lead away from it are left out of the clip, and of no other") {
  TwoBends bends;
  const Baked baked = bends.bake();
  REQUIRE_FALSE(bends.fitted.empty());
  // The second clip gets the opposite of what it needs.
  for (FittedMorph& morph : bends.fitted) {
    for (std::size_t f = kFrames; f < 2 * kFrames; ++f) morph.weights[f] *= -1.0;
  }
  const std::vector<double> weights = bends.fitted[0].weights;
  const FallbackSkin used =
      applyMorphFallback(bends.scene, bends.rig, bends.motions[1], baked, 1, bends.fitted, 2);
  CHECK(used.nodes == std::vector<int>{1});
  // What is left is plain skinning.
  CHECK(used.errors.morphed.rms_m > 0.0);
  CHECK(used.errors.morphed.rms_m == used.errors.skinned.rms_m);
  for (const FittedMorph& morph : bends.fitted) {
    for (std::size_t f = kFrames; f < 2 * kFrames; ++f) CHECK(morph.weights[f] == 0.0);
  }
  for (std::size_t f = 0; f < kFrames; ++f) CHECK(bends.fitted[0].weights[f] == weights[f]);
}

TEST_CASE("A fallback replaces a joint that is worse, and measures again without it") {
  TwoBends bends;
  const Baked baked = bends.bake();
  // A skin that is twice as far from where it is wanted as plain skinning, until the fallback
  // replaces it.
  bool is_open = true;
  int closed = 0;
  SkinFallback fallback;
  fallback.regions = bends.rig.regions;
  fallback.skin_of = [&](std::size_t frame) {
    MorphedSkin skin = skinAt(bends.scene, bends.rig, bends.motions[0], frame, {}, frame);
    for (std::size_t p = 0; is_open && p < skin.morphed.size(); ++p) {
      skin.morphed[p] -= baked.world.at(p, frame);
    }
    return skin;
  };
  fallback.leave_to_skin = [&](int) {
    ++closed;
    const bool was_open = is_open;
    is_open = false;
    return was_open;
  };
  const FallbackSkin used =
      applySkinFallback(bends.scene, bends.rig, bends.motions[0], baked, 0, fallback, 2);
  CHECK(used.nodes == std::vector<int>{1});
  CHECK(used.errors.morphed.max_m == used.errors.skinned.max_m);
  CHECK(closed == 1);
}
