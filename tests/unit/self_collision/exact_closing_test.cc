// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact_closing.h"

#include <algorithm>

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

  std::vector<Layer> ways = closer.waysToClose(group, samples);
  REQUIRE_FALSE(ways.empty());
  Layer& closing = ways.front();
  closing.amounts = closing.required;
  stack.layers().push_back(closing);
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
  CHECK(closer.waysToClose(group, std::vector<std::size_t>{sample}).empty());
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
  LayerStack stack(arms.figure.scene(), arms.poser, arms.motion, arms.settings, false);
  PushPose pose = pushPoseAt(base, stack, 0);
  pose.limits = {{left, -0.25 * near_m, 0.6 * near_m}, {head, away_m}, {other_head, away_m}};
  const auto pushes = leastPushes(arms.trial, group.limbs, {&pose, 1}, near_m);
  REQUIRE_FALSE(pushes.empty());
  for (const auto& push : pushes) {
    arms.trial.change(group.limbs, push);
    CHECK(arms.gap_m(head) >= away_m);
    CHECK(arms.gap_m(other_head) >= away_m);
    CHECK(arms.gap_m(left) <= 0.6 * near_m);
    CHECK(arms.gap_m(left) >= -0.25 * near_m);
  }
  const auto sizeOf = [](const std::vector<LimbChange>& push) {
    double square = 0.0;
    for (const LimbChange& change : push) {
      square += glm::dot(change.shift, change.shift) + glm::dot(change.turn, change.turn) +
                change.swivel * change.swivel;
    }
    return square;
  };
  for (std::size_t i = 1; i < pushes.size(); ++i) {
    CHECK(sizeOf(pushes[i - 1]) <= sizeOf(pushes[i]));
  }
}

TEST_CASE(
    "where all limits hold the least push is none, and limits that exclude each other have none") {
  Forearms arms;
  const std::size_t left = arms.pairNamed("left arm - right arm");
  ClipSamples base(arms.figure.scene(), arms.motion);
  arms.trial.begin(base.at(0), {});
  const double near_m = 0.02 * arms.skin.height_m();
  const PairGroup group = arms.armsGroup();
  LayerStack stack(arms.figure.scene(), arms.poser, arms.motion, arms.settings, false);
  PushPose pose = pushPoseAt(base, stack, 0);
  pose.limits = {{left, -near_m, near_m}};
  const auto none = leastPushes(arms.trial, group.limbs, {&pose, 1}, near_m);
  REQUIRE_FALSE(none.empty());
  for (const LimbChange& change : none.front()) CHECK(change == kNoChange);
  pose.limits = {{left, 2.0 * near_m, near_m}};
  CHECK(leastPushes(arms.trial, group.limbs, {&pose, 1}, near_m).empty());
}

TEST_CASE("a push is one for all poses that it is asked for, and there is one of turns alone") {
  Forearms arms;
  // In the second pose both arms hang lower.
  for (const HumanoidRole role : {HumanoidRole::kLeftUpperArm, HumanoidRole::kRightUpperArm}) {
    Quat& rotation = localAt(arms.motion, 1, arms.figure.at(role)).rotation;
    rotation = rotationAbout(Vec3(1.0, 0.0, 0.0), 10.0 * kDegree) * rotation;
  }
  const std::size_t left = arms.pairNamed("left arm - right arm"),
                    head = arms.pairNamed("left arm - head");
  ClipSamples base(arms.figure.scene(), arms.motion);
  LayerStack stack(arms.figure.scene(), arms.poser, arms.motion, arms.settings, false);
  const double near_m = 0.02 * arms.skin.height_m();
  const PairGroup group = arms.armsGroup();
  std::vector<PushPose> poses = {pushPoseAt(base, stack, 0), pushPoseAt(base, stack, 2)};
  arms.trial.begin(base.at(0), {});
  const double away_m = arms.gap_m(head) + 0.03;
  for (PushPose& pose : poses) pose.limits = {{left, -0.25 * near_m, near_m}, {head, away_m}};
  const auto pushes = leastPushes(arms.trial, group.limbs, poses, near_m);
  bool has_turns = false;
  for (const auto& push : pushes) {
    for (const std::size_t sample : {0u, 2u}) {
      arms.trial.begin(base.at(sample), {});
      arms.trial.change(group.limbs, push);
      CHECK(arms.gap_m(head) >= away_m);
      CHECK(arms.gap_m(left) >= -0.25 * near_m);
      CHECK(arms.gap_m(left) <= near_m);
    }
    has_turns = has_turns || std::all_of(push.begin(), push.end(), [](const LimbChange& change) {
                  return change.shift == Vec3(0.0);
                });
  }
  CHECK(has_turns);
}
