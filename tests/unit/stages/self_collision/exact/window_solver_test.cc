// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/window_solver.h"

#include <algorithm>

#include "stages/self_collision/exact/forearms.h"

TEST_SUITE_BEGIN("self_collision.window_solver");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::penetration;
using namespace clipmill::stages::self_collision;
using namespace clipmill::test;
using namespace clipmill::stages::self_collision;

namespace {

// The box character, whose left arm hangs in the trunk at frames 4 to 7.
struct HangingArm {
  HangingArm() {
    for (std::size_t frame = 4; frame < 8; ++frame) {
      rotateOutwards(character, motion, frame, HumanoidRole::kLeftUpperArm, -90.0);
    }
  }
  ClipContext clip() const {
    return ClipContext(character.scene(), character.map, skin, settings, motion);
  }

  BoxCharacter character = boxCharacter();
  Motion motion = character.still(12);
  SelfPenetration skin = SelfPenetration::make(character.scene(), character.map).value();
  SelfCollisionSettings settings;
};

std::vector<std::size_t> penetrating(const ClipContext& clip, const PairGroup& group) {
  std::vector<std::size_t> samples;
  for (std::size_t s = 0; s < clip.depths.sampleCount(); ++s) {
    if (clip.depths.maxDepth_m(group.pairs, s) > clip.source.tolerance_m) samples.push_back(s);
  }
  return samples;
}

}  // namespace

TEST_CASE("one layer resolves a window to the target depth and leaves far samples unchanged") {
  HangingArm arm;
  arm.settings.max_ease_s = arm.settings.ease_s = 0.05;
  ClipContext clip = arm.clip();
  const PairGroup group = groupNamed(clip, "left arm");
  const std::vector<std::size_t> samples = penetrating(clip, group);
  REQUIRE_FALSE(samples.empty());
  WindowSolver(clip).resolve(group, 0, samples);
  REQUIRE(clip.stack.layers().size() == 1);
  const CorrectionLayer& layer = clip.stack.layers()[0];
  for (std::size_t s = 0; s < layer.amounts.size(); ++s) {
    CHECK(layer.amounts[s] >= layer.required[s]);
    const bool is_listed = std::find(samples.begin(), samples.end(), s) != samples.end();
    CHECK((layer.required[s] > 0.0) == is_listed);
  }
  CHECK_FALSE(layer.isActive(0));
  CHECK_FALSE(layer.isActive(clip.base.count() - 1));
  // At the required amounts, without the margin that the envelope adds.
  clip.stack.layers()[0].amounts = clip.stack.layers()[0].required;
  for (const std::size_t sample : samples) {
    clip.setTrial(sample);
    for (const std::size_t pair : group.pairs) {
      CHECK(clip.trial.measure(pair).depth_m <= clip.source.targetDepth_m(sample, pair) + 1e-12);
    }
  }
}

TEST_CASE("samples that are free as they are get no layer") {
  const HangingArm arm;
  ClipContext clip = arm.clip();
  const PairGroup group = groupNamed(clip, "left arm");
  WindowSolver(clip).resolve(group, 0, std::vector<std::size_t>{0, 1});
  CHECK(clip.stack.layers().empty());
  WindowSolver(clip).resolve(group, 0, {});
  CHECK(clip.stack.layers().empty());
}

TEST_CASE("no samples are resolved by no change of an active layer") {
  const HangingArm arm;
  ClipContext clip = arm.clip();
  const PairGroup group = groupNamed(clip, "left arm");
  clip.stack.layers().push_back(
      constantLayer(clip, {group.limbs, {shiftBy(Vec3(0.1, 0.0, 0.0))}, 1.0}, 0.5));
  WindowSolver(clip).resolve(group, 0, {});
  REQUIRE(clip.stack.layers().size() == 1);
  CHECK(clip.stack.layers()[0].ease_s == 0.0);  // its envelope was not computed again
}

TEST_CASE("a window that is measured as penetrating with a layer raises that layer") {
  const HangingArm arm;
  ClipContext clip = arm.clip();
  const PairGroup group = groupNamed(clip, "left arm");
  const std::vector<std::size_t> samples = penetrating(clip, group);
  clip.stack.layers().push_back(
      constantLayer(clip, {group.limbs, {shiftBy(Vec3(1.0, 0.0, 0.0))}, 0.6}, 0.01));
  CHECK(WindowSolver(clip).raiseRequired(group, 0, samples, true) == 0);
  REQUIRE(clip.stack.layers().size() == 1);
  for (const std::size_t sample : samples) {
    CHECK(clip.stack.layers()[0].required[sample] > 0.01);
  }
}

TEST_CASE("a mode that is too small leaves all samples unresolved") {
  const HangingArm arm;
  ClipContext clip = arm.clip();
  const PairGroup group = groupNamed(clip, "left arm");
  const std::vector<std::size_t> samples = penetrating(clip, group);
  clip.stack.layers().push_back(
      constantLayer(clip, {group.limbs, {shiftBy(Vec3(1.0, 0.0, 0.0))}, 1e-4}, 0.0));
  CHECK(WindowSolver(clip).raiseRequired(group, 0, samples, false) == samples.size());
}

TEST_CASE("the amount found is free, and an amount less by the precision is not") {
  const HangingArm arm;
  ClipContext clip = arm.clip();
  const PairGroup group = groupNamed(clip, "left arm");
  const CorrectionMode mode{group.limbs, {shiftBy(Vec3(1.0, 0.0, 0.0))}, 0.6};
  constexpr double kPrecision = 1e-3;
  AmountSearch search(clip);
  for (const std::size_t sample : penetrating(clip, group)) {
    clip.setTrial(sample);
    const FoundAmount found =
        search.find(group, mode, sample, 0.0, {0.0, 0.6, 0.0, kPrecision}, false);
    REQUIRE(found.is_free);
    const auto marginAt = [&](double amount) {
      clip.trial.setChanges(group.limbs, std::vector<LimbChange>{mode.units[0] * amount});
      double margin_m = 1.0;
      for (const std::size_t pair : group.pairs) {
        margin_m = std::min(
            margin_m, clip.source.targetDepth_m(sample, pair) - clip.trial.measure(pair).depth_m);
      }
      return margin_m;
    };
    CHECK(marginAt(found.amount) >= 0.0);
    CHECK(marginAt(found.amount - 2.0 * kPrecision) < 0.0);
  }
}
