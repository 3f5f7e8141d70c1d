// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/mode_choice.h"

#include <algorithm>
#include <cmath>

#include "stages/self_collision/exact/forearms.h"

TEST_SUITE_BEGIN("self_collision.mode_choice");

using namespace clipmill;
using namespace clipmill::stages::self_collision;
using namespace clipmill::test;
using namespace clipmill::stages::self_collision;

namespace {

PenetrationSite siteOf(std::size_t limbs) {
  PenetrationSite site;
  site.exit_direction = Vec3(0.02, 0.0, 0.01);
  site.root_offset.assign(limbs, Vec3(0.0, -0.4, 0.0));
  site.clavicle_offset.assign(limbs, Vec3(0.1, -0.4, 0.0));
  site.end_offset.assign(limbs, Vec3(0.0, -0.1, 0.0));
  site.is_pinned.assign(limbs, false);
  site.has_contact.assign(limbs, false);
  return site;
}

}  // namespace

TEST_CASE("a candidate mode has one unit per limb, and each unit changes one quantity by 1") {
  const Forearms arms;
  const ClipContext clip = arms.clip();
  for (const char* name : {"left arm", "left arm and right arm", "left leg and right leg"}) {
    const PairGroup group = groupNamed(clip, name);
    const auto modes = candidateModes(group, clip.poser, siteOf(group.limbs.size()), 1.0);
    CHECK_FALSE(modes.empty());
    for (const CorrectionMode& mode : modes) {
      REQUIRE(mode.units.size() == mode.limbs.size());
      CHECK(mode.max_amount > 0.0);
      for (const LimbChange& unit : mode.units) {
        const double norm = glm::length(unit.clavicle_rotation) + glm::length(unit.rotation) +
                            glm::length(unit.shift) + std::abs(unit.swivel) +
                            glm::length(unit.end_rotation);
        CHECK(norm == doctest::Approx(1.0));
      }
      for (const std::size_t limb : mode.limbs) {
        CHECK(std::find(group.limbs.begin(), group.limbs.end(), limb) != group.limbs.end());
      }
    }
  }
}

TEST_CASE("a pinned limb keeps its end: its only modes are swivels") {
  const Forearms arms;
  const ClipContext clip = arms.clip();
  const PairGroup group = groupNamed(clip, "left arm");
  PenetrationSite site = siteOf(1);
  site.is_pinned = {true};
  const auto modes = candidateModes(group, clip.poser, site, 1.0);
  CHECK(modes.size() == 2);
  for (const CorrectionMode& mode : modes) CHECK(std::abs(mode.units[0].swivel) == 1.0);
}

TEST_CASE("an arm in contact with the other arm can move it along by the same shift") {
  const Forearms arms;
  const ClipContext clip = arms.clip();
  const PairGroup group = groupNamed(clip, "left arm"), both = armsGroup(clip);
  PenetrationSite site = siteOf(1);
  site.companion = both.limbs[1];
  const auto modes = candidateModes(group, clip.poser, site, 1.0);
  std::size_t joint = 0;
  for (const CorrectionMode& mode : modes) {
    if (mode.limbs.size() != 2) continue;
    ++joint;
    CHECK(mode.moves(both.limbs[1]));
    CHECK(mode.units[0] == mode.units[1]);
  }
  CHECK(joint > 0);
}

TEST_CASE("no mode is chosen for no samples") {
  const Forearms arms;
  ClipContext clip = arms.clip();
  ModeChooser chooser(clip);
  const PairGroup group = armsGroup(clip);
  CHECK(chooser.chooseStandard(group, {}).empty());
  CHECK(chooser.chooseLeastNorm(group, {}).empty());
}
