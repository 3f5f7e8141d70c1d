// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/morph_fallback.h"

#include <algorithm>
#include <cmath>

#include "checks.h"
#include "stages/tet_bake/make_limb.h"

TEST_SUITE_BEGIN("tet_bake.morph_fallback");

namespace {

using namespace clipmill;
using namespace clipmill::stages::tet_bake;

constexpr std::size_t kFrames = 5;

// Slices of a limb that move up and down along it, as much as a bump over time: closed forms of
// what is shown, of strain and of acceleration.
struct Bump {
  static constexpr std::size_t kCount = 121;
  static constexpr std::size_t kMiddle = 60;
  static constexpr double kSigma_frames = 6.0;

  Scene scene = test::limbScene(test::kCoarseLimb);
  std::vector<Motion> motions;
  BakeRig rig;
  MorphFit fit;

  static double at(std::size_t frame) {
    const double x = (static_cast<double>(frame) - kMiddle) / kSigma_frames;
    return std::exp(-0.5 * x * x);
  }

  // Slices are 6.25 mm apart, and the largest path is `path_m` to either side.
  Baked bake(double path_m) {
    Motion motion;
    motion.clip_name = "Bump";
    motion.grid = makeGrid(0.0, (kCount - 1) / 30.0, 30.0);
    motion.node_count = scene.skeleton.size();
    motion.modified = TrackMask(motion.node_count);
    for (std::size_t f = 0; f < kCount; ++f) {
      const std::vector<Transform> locals = restPose(scene.skeleton).locals;
      motion.locals.insert(motion.locals.end(), locals.begin(), locals.end());
    }
    motions = {motion};
    TetBakeSettings settings;
    settings.max_tets = 4000;
    Warnings warnings;
    rig = std::move(makeBakeRig(scene, settings, warnings).value());
    Baked baked = std::move(bakeMotions(scene, rig, motions, settings, 1).value());
    FittedMorph morph;
    morph.node = rig.regions.front().node;
    morph.points = rig.regions.front().points;
    for (std::size_t f = 0; f < kCount; ++f) morph.weights.push_back(at(f));
    for (const std::uint32_t p : morph.points) {
      const auto slice = std::lround(rig.surface.positions[p].z / 0.00625);
      const double along_m = std::abs(rig.surface.positions[p].z) > 0.1 ? 0.0
                             : slice % 2 == 0                           ? path_m
                                                                        : -path_m;
      morph.deltas.emplace_back(0.0, 0.0, along_m);
      for (std::size_t f = 0; f < kCount; ++f) {
        baked.world.set(p, f, morph.deltas.back() * at(f));
        baked.before_skin.set(p, f, morph.deltas.back() * at(f));
      }
    }
    fit.morphs = {std::move(morph)};
    return baked;
  }
};

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
  MorphFit fit;

  Baked bake() {
    settings.max_tets = 4000;
    Warnings warnings;
    rig = std::move(makeBakeRig(scene, settings, warnings).value());
    Baked baked = std::move(bakeMotions(scene, rig, motions, settings, 1).value());
    fit = fitMorphs(baked.before_skin, rig.regions, wholeRegion(rig.surface), {});
    return baked;
  }
};

}  // namespace

TEST_CASE("Morphs that come nearer to the solved surface stay as they are") {
  TwoBends bends;
  const Baked baked = bends.bake();
  REQUIRE_FALSE(bends.fit.morphs.empty());
  const std::vector<double> weights = bends.fit.morphs[0].weights;
  for (const std::size_t clip : {0u, 1u}) {
    CHECK(applyMorphFallback(bends.scene, bends.rig, bends.motions[clip], baked, clip, bends.fit, 1)
              .nodes.empty());
  }
  CHECK(bends.fit.morphs[0].weights == weights);
}

TEST_CASE("Morphs that lead away from it are left out of the clip, and of no other") {
  TwoBends bends;
  const Baked baked = bends.bake();
  REQUIRE_FALSE(bends.fit.morphs.empty());
  // The second clip gets the opposite of what it needs.
  for (FittedMorph& morph : bends.fit.morphs) {
    for (std::size_t f = kFrames; f < 2 * kFrames; ++f) morph.weights[f] *= -1.0;
  }
  const std::vector<double> weights = bends.fit.morphs[0].weights;
  const FallbackSkin used =
      applyMorphFallback(bends.scene, bends.rig, bends.motions[1], baked, 1, bends.fit, 2);
  CHECK(used.nodes == std::vector<int>{1});
  // What is left is plain skinning.
  CHECK(used.errors.morphed.rms_m > 0.0);
  CHECK(used.errors.morphed.rms_m == used.errors.skinned.rms_m);
  for (const FittedMorph& morph : bends.fit.morphs) {
    for (std::size_t f = kFrames; f < 2 * kFrames; ++f) CHECK(morph.weights[f] == 0.0);
  }
  for (std::size_t f = 0; f < kFrames; ++f) CHECK(bends.fit.morphs[0].weights[f] == weights[f]);
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
  fallback.show = [&](int, std::span<const double> shares) {
    ++closed;
    CHECK(std::all_of(shares.begin(), shares.end(), [](double share) { return share == 0.0; }));
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

TEST_CASE("A few frames that are worse fade, the others keep the bake, and nothing pops") {
  constexpr double kPath_m = 2e-3;
  Bump bump;
  const Baked baked = bump.bake(kPath_m);
  const FallbackSkin used =
      applyMorphFallback(bump.scene, bump.rig, bump.motions[0], baked, 0, bump.fit, 2);
  CHECK(used.nodes.empty());
  REQUIRE(used.faded.size() == 1);
  CHECK(used.faded[0].node == 1);
  CHECK(used.faded[0].reason == WorseBy::kStretch);
  const std::vector<double>& shares = used.faded[0].shares;
  const std::vector<double>& weights = bump.fit.morphs[0].weights;
  double faded = 0.0, full = 0.0, most = 0.0;
  for (std::size_t f = 0; f < Bump::kCount; ++f) {
    CHECK(weights[f] == test::nearTo(shares[f] * Bump::at(f), 1e-12));
    most = std::max(most, weights[f]);
    if (f == 0 || f + 1 == Bump::kCount) continue;
    const double next = Bump::at(f + 1), last = Bump::at(f - 1);
    full = std::max(full, std::abs(next - 2.0 * Bump::at(f) + last));
    faded = std::max(faded, std::abs(weights[f + 1] - 2.0 * weights[f] + weights[f - 1]));
  }
  CHECK(faded <= 1.1 * full);
  CHECK(most < 1.0);
  CHECK(most > 0.4);
  CHECK(shares[0] == 1.0);
  CHECK(shares[Bump::kCount - 1] == 1.0);
  for (const WorseBy worse : used.errors.worse[0]) CHECK(worse == WorseBy::kNothing);
}

TEST_CASE("Morphs of the whole surface fade like those of a joint") {
  Bump bump;
  const Baked baked = bump.bake(2e-3);
  for (FittedMorph& morph : bump.fit.morphs) morph.node = -1;
  const FallbackSkin used =
      applyMorphFallback(bump.scene, bump.rig, bump.motions[0], baked, 0, bump.fit, 2);
  CHECK(used.nodes.empty());
  REQUIRE(used.faded.size() == 1);
  CHECK(used.faded[0].node == -1);
  const std::vector<double>& shares = used.faded[0].shares;
  CHECK(*std::min_element(shares.begin(), shares.end()) < 1.0);
  for (std::size_t f = 0; f < Bump::kCount; ++f) {
    CHECK(bump.fit.morphs[0].weights[f] == test::nearTo(shares[f] * Bump::at(f), 1e-12));
  }
}

TEST_CASE("A joint that is worse in most frames by any share keeps plain skinning") {
  Bump bump;
  Baked baked = bump.bake(0.03);
  for (FittedMorph& morph : bump.fit.morphs) {
    for (std::size_t f = 0; f < Bump::kCount; ++f) {
      morph.weights[f] = 1.0;
      for (std::size_t i = 0; i < morph.points.size(); ++i) {
        baked.world.set(morph.points[i], f, morph.deltas[i]);
      }
    }
  }
  const FallbackSkin used =
      applyMorphFallback(bump.scene, bump.rig, bump.motions[0], baked, 0, bump.fit, 2);
  CHECK(used.nodes == std::vector<int>{1});
  CHECK(used.faded.empty());
  for (const double weight : bump.fit.morphs[0].weights) CHECK(weight == 0.0);
}
