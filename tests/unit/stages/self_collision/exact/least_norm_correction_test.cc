// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/least_norm_correction.h"

#include <algorithm>

#include "stages/self_collision/exact/forearms.h"

TEST_SUITE_BEGIN("self_collision.least_norm_correction");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::stages::self_collision;
using namespace clipmill::test;
using namespace clipmill::stages::self_collision;

namespace {

double gap_m(const ClipContext& clip, std::size_t pair) {
  return clip.trial.clearance_m(pair, 1.0);
}

double squaredNormOf(const std::vector<LimbChange>& correction) {
  double square = 0.0;
  for (const LimbChange& change : correction) {
    square += glm::dot(change.shift, change.shift) + glm::dot(change.rotation, change.rotation) +
              change.swivel * change.swivel;
  }
  return square;
}

}  // namespace

TEST_CASE("a correction keeps forearms in contact and moves both away from the head") {
  const Forearms arms;
  ClipContext clip = arms.clip();
  const std::size_t pair = arms.pairNamed("left arm - right arm"),
                    head = arms.pairNamed("left arm - head"),
                    other_head = arms.pairNamed("right arm - head");
  clip.setTrial(0);
  const double contact_m = clip.source.contact_distance_m;
  REQUIRE(gap_m(clip, pair) < contact_m);
  const double away_m = std::min(gap_m(clip, head), gap_m(clip, other_head)) + 0.05;
  const PairGroup group = armsGroup(clip);
  ConstrainedPose pose = constrainedPoseAt(clip, 0);
  pose.limits = {{pair, -0.25 * contact_m, 0.6 * contact_m}, {head, away_m}, {other_head, away_m}};
  const auto corrections = leastNormCorrections(clip.trial, group.limbs, {&pose, 1}, contact_m);
  REQUIRE_FALSE(corrections.empty());
  for (const auto& correction : corrections) {
    clip.trial.setChanges(group.limbs, correction);
    CHECK(gap_m(clip, head) >= away_m);
    CHECK(gap_m(clip, other_head) >= away_m);
    CHECK(gap_m(clip, pair) <= 0.6 * contact_m);
    CHECK(gap_m(clip, pair) >= -0.25 * contact_m);
  }
  for (std::size_t i = 1; i < corrections.size(); ++i) {
    CHECK(squaredNormOf(corrections[i - 1]) <= squaredNormOf(corrections[i]));
  }
}

TEST_CASE("the least correction is none if all limits hold, and limits that conflict have none") {
  const Forearms arms;
  ClipContext clip = arms.clip();
  const std::size_t pair = arms.pairNamed("left arm - right arm");
  clip.setTrial(0);
  const double contact_m = clip.source.contact_distance_m;
  const PairGroup group = armsGroup(clip);
  ConstrainedPose pose = constrainedPoseAt(clip, 0);
  pose.limits = {{pair, -contact_m, contact_m}};
  const auto none = leastNormCorrections(clip.trial, group.limbs, {&pose, 1}, contact_m);
  REQUIRE_FALSE(none.empty());
  for (const LimbChange& change : none.front()) CHECK(change == kNoChange);
  pose.limits = {{pair, 2.0 * contact_m, contact_m}};
  CHECK(leastNormCorrections(clip.trial, group.limbs, {&pose, 1}, contact_m).empty());
}

TEST_CASE("one correction resolves all poses it is computed for, and one has rotations only") {
  Forearms arms;
  // In the second pose both arms are lower.
  for (const HumanoidRole role : {HumanoidRole::kLeftUpperArm, HumanoidRole::kRightUpperArm}) {
    Quat& rotation = localAt(arms.motion, 1, arms.character.at(role)).rotation;
    rotation = rotationAbout(Vec3(1.0, 0.0, 0.0), 10.0 * kDegree) * rotation;
  }
  ClipContext clip = arms.clip();
  const std::size_t pair = arms.pairNamed("left arm - right arm"),
                    head = arms.pairNamed("left arm - head");
  const double contact_m = clip.source.contact_distance_m;
  const PairGroup group = armsGroup(clip);
  std::vector<ConstrainedPose> poses = {constrainedPoseAt(clip, 0), constrainedPoseAt(clip, 2)};
  clip.setTrial(0);
  const double away_m = gap_m(clip, head) + 0.03;
  for (ConstrainedPose& pose : poses) {
    pose.limits = {{pair, -0.25 * contact_m, contact_m}, {head, away_m}};
  }
  bool has_rotations_only = false;
  for (const auto& correction : leastNormCorrections(clip.trial, group.limbs, poses, contact_m)) {
    for (const std::size_t sample : {0u, 2u}) {
      clip.setTrial(sample);
      clip.trial.setChanges(group.limbs, correction);
      CHECK(gap_m(clip, head) >= away_m);
      CHECK(gap_m(clip, pair) >= -0.25 * contact_m);
      CHECK(gap_m(clip, pair) <= contact_m);
    }
    has_rotations_only = has_rotations_only || std::all_of(correction.begin(), correction.end(),
                                                           [](const LimbChange& change) {
                                                             return change.shift == Vec3(0.0);
                                                           });
  }
  CHECK(has_rotations_only);
}
