// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/skin_trial.h"

#include "stages/self_collision/exact/forearms.h"

TEST_SUITE_BEGIN("self_collision.skin_trial");

using namespace clipmill;
using namespace clipmill::penetration;
using namespace clipmill::stages::self_collision;
using namespace clipmill::test;
using namespace clipmill::stages::self_collision;

TEST_CASE("changing limbs of a set pose measures the same as setting the changed pose") {
  const Forearms arms;
  ClipContext clip = arms.clip();
  const PairGroup group = armsGroup(clip);
  std::vector<LimbChange> changes(clip.poser.limbCount());
  changes[group.limbs[0]] = shiftBy(Vec3(-0.05, 0.02, -0.1));
  changes[group.limbs[1]].swivel = 0.4;
  clip.trial.setPose(clip.base.at(0), changes);
  std::vector<PairDepth> wanted;
  for (std::size_t p = 0; p < clip.skin.pairs().size(); ++p)
    wanted.push_back(clip.trial.measure(p));
  const Vec3 hand_m = clip.trial.positionOf(clip.poser.limb(group.limbs[0]).end);
  clip.trial.setPose(clip.base.at(0), {});
  clip.trial.setChanges(group.limbs,
                        std::vector<LimbChange>{changes[group.limbs[0]], changes[group.limbs[1]]});
  CHECK(distance(clip.trial.positionOf(clip.poser.limb(group.limbs[0]).end), hand_m) < 1e-12);
  for (std::size_t p = 0; p < wanted.size(); ++p) {
    CHECK(clip.trial.measure(p).depth_m == wanted[p].depth_m);
    CHECK(clip.trial.measure(p).penetrating_count == wanted[p].penetrating_count);
  }
}

TEST_CASE("the base of a trial is the pose without changes") {
  const Forearms arms;
  ClipContext clip = arms.clip();
  const PairGroup group = armsGroup(clip);
  const int hand = clip.poser.limb(group.limbs[0]).end;
  clip.trial.setPose(clip.base.at(0), {});
  const Vec3 before_m = clip.trial.positionOf(hand);
  clip.trial.setChanges(group.limbs, std::vector<LimbChange>(2, shiftBy(Vec3(0.0, 0.1, 0.0))));
  CHECK(distance(clip.trial.basePositionOf(hand), before_m) < 1e-12);
  CHECK(distance(clip.trial.positionOf(hand), before_m) > 0.01);
}
