// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact_closing.h"

#include <algorithm>
#include <optional>

#include "box_figure.h"
#include "checks.h"
#include "stages/self_collision/exact_push.h"
#include "stages/self_collision/exact_source.h"

TEST_SUITE_BEGIN("self_collision.exact_closing");

using namespace clipmill;
using namespace clipmill::test;
using namespace clipmill::collision;

namespace {

constexpr std::size_t kFrames = 12;

// The figure of boxes with both forearms stretched to the front, beside each other. At the
// shoulders they are 0.4 m apart; turned inwards until they touch.
struct Forearms {
  Forearms()
      : motion(figure.still(kFrames)),
        skin(SelfPenetration::make(figure.scene(), figure.map).value()),
        poser(figure.scene(), figure.map, movableLimbs(figure.scene().skeleton, figure.map)),
        trial(figure.scene(), skin, poser) {
    const Vec3 up(0.0, 1.0, 0.0);
    for (std::size_t frame = 0; frame < kFrames; ++frame) {
      const auto turn = [&](HumanoidRole role, double angle_deg) {
        localAt(motion, frame, figure.at(role)).rotation = rotationAbout(up, angle_deg * kDegree);
      };
      turn(HumanoidRole::kLeftUpperArm, -kInwards_deg);
      turn(HumanoidRole::kRightUpperArm, kInwards_deg);
    }
    settings.longest_ease_s = settings.ease_s;
  }

  SourceMeasures measured() {
    return measureSource(figure.scene(), skin, poser, motion, 0.01 * skin.height_m(), trial);
  }

  std::size_t pairNamed(const std::string& name) const {
    for (std::size_t pair = 0; pair < skin.pairs().size(); ++pair) {
      if (skin.pairs()[pair].name == name) return pair;
    }
    FAIL("no pair " << name);
    return 0;
  }

  PairGroup armsGroup() const {
    for (const PairGroup& group : groupPairs(skin.pairs(), poser)) {
      if (group.name == "left arm and right arm" && group.links.empty()) return group;
    }
    FAIL("no group of both arms");
    return {};
  }

  double gap_m(std::size_t pair) const { return trial.clearance_m(pair, 1.0); }

  static constexpr double kInwards_deg = 105.0;

  BoxFigure figure = boxFigure();
  Motion motion;
  SelfPenetration skin;
  LimbPoser poser;
  SkinTrial trial;
  ExactSettings settings;
};

LimbChange shiftBy(const Vec3& shift) {
  LimbChange change;
  change.shift = shift;
  return change;
}

}  // namespace

TEST_CASE("forearms that touch and are parted by a layer are closed again") {
  Forearms arms;
  const SourceMeasures source = arms.measured();
  const std::size_t pair = arms.pairNamed("left arm - right arm");
  REQUIRE(source.touches[pair][4]);
  ClipSamples base(arms.figure.scene(), arms.motion);
  LayerStack stack(arms.figure.scene(), arms.poser, arms.motion, arms.settings, false);
  const PairGroup group = arms.armsGroup();
  TouchCloser closer(arms.poser, source, base, arms.trial, stack);
  const auto none = closer.lostTouches(group);
  CHECK(std::count(none.begin(), none.end(), true) == 0);

  Layer parted;
  parted.mode = {{group.limbs[0]}, {shiftBy(Vec3(0.2, 0.0, 0.0))}, 1.0};
  parted.required.assign(base.count(), 1.0);
  parted.amounts = parted.required;
  stack.layers().push_back(parted);
  const auto lost = closer.lostTouches(group);
  std::vector<std::size_t> samples;
  for (std::size_t s = 0; s < lost.size(); ++s) {
    CHECK(lost[s] == source.touchesAt(group.pairs, s));
    if (lost[s]) samples.push_back(s);
  }
  REQUIRE_FALSE(samples.empty());

  std::optional<Layer> closing = closer.close(group, samples);
  REQUIRE(closing);
  closing->amounts = closing->required;
  stack.layers().push_back(*closing);
  const auto still = closer.lostTouches(group);
  CHECK(std::count(still.begin(), still.end(), true) == 0);
  for (const std::size_t sample : samples) {
    arms.trial.begin(base.at(sample), stack.at(sample));
    for (const std::size_t p : group.pairs) {
      CHECK(arms.trial.measure(p).depth_m <= source.depthMost_m());
    }
  }
}

TEST_CASE("gaps that are too wide stay open, and the reason can be told") {
  Forearms arms;
  const SourceMeasures source = arms.measured();
  ClipSamples base(arms.figure.scene(), arms.motion);
  LayerStack stack(arms.figure.scene(), arms.poser, arms.motion, arms.settings, false);
  const PairGroup group = arms.armsGroup();
  // Both arms back to the sides.
  Layer apart;
  LimbChange left_away, right_away;
  left_away.turn = Vec3(0.0, Forearms::kInwards_deg * kDegree, 0.0);
  right_away.turn = -left_away.turn;
  apart.mode = {group.limbs, {left_away, right_away}, 1.0};
  apart.required.assign(base.count(), 1.0);
  apart.amounts = apart.required;
  stack.layers().push_back(apart);
  TouchCloser closer(arms.poser, source, base, arms.trial, stack);
  const std::size_t sample = 8;
  CHECK(closer.lostTouches(group)[sample]);
  CHECK_FALSE(closer.close(group, std::vector<std::size_t>{sample}));
  CHECK(std::string(textOf(ClosingOutcome::kNoWay)) != textOf(ClosingOutcome::kTooRough));
}

TEST_CASE("a push keeps forearms that touch together and brings both as far as they have to go") {
  Forearms arms;
  const std::size_t left = arms.pairNamed("left arm - right arm"),
                    head = arms.pairNamed("left arm - head"),
                    other_head = arms.pairNamed("right arm - head");
  ClipSamples base(arms.figure.scene(), arms.motion);
  arms.trial.begin(base.at(0), {});
  const double near_m = 0.02 * arms.skin.height_m();
  REQUIRE(arms.gap_m(left) < near_m);
  const double away_m = std::min(arms.gap_m(head), arms.gap_m(other_head)) + 0.05;
  const PairGroup group = arms.armsGroup();
  const std::vector<ClearanceLimits> limits = {
      {left, -0.25 * near_m, 0.6 * near_m}, {head, away_m}, {other_head, away_m}};
  const auto push = leastPush(arms.trial, group.limbs, limits, near_m);
  REQUIRE(push);
  // The changes of the trial are those from before.
  CHECK(std::all_of(arms.trial.changes().begin(), arms.trial.changes().end(),
                    [](const LimbChange& change) { return change == kNoChange; }));
  arms.trial.change(group.limbs, *push);
  CHECK(arms.gap_m(head) >= away_m);
  CHECK(arms.gap_m(other_head) >= away_m);
  CHECK(arms.gap_m(left) <= 0.6 * near_m);
  CHECK(arms.gap_m(left) >= -0.25 * near_m);
}

TEST_CASE(
    "where all limits hold the least push is none, and limits that exclude each other have none") {
  Forearms arms;
  const std::size_t left = arms.pairNamed("left arm - right arm");
  ClipSamples base(arms.figure.scene(), arms.motion);
  arms.trial.begin(base.at(0), {});
  const double near_m = 0.02 * arms.skin.height_m();
  const PairGroup group = arms.armsGroup();
  const std::vector<ClearanceLimits> holds = {{left, -near_m, near_m}};
  const auto none = leastPush(arms.trial, group.limbs, holds, near_m);
  REQUIRE(none);
  for (const LimbChange& change : *none) CHECK(change == kNoChange);
  const std::vector<ClearanceLimits> never = {{left, 2.0 * near_m, near_m}};
  CHECK_FALSE(leastPush(arms.trial, group.limbs, never, near_m));
}
