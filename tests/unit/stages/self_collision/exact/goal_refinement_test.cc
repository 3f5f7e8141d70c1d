// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/goal_refinement.h"

#include <memory>

#include "checks.h"
#include "core/to_size.h"
#include "stages/self_collision/exact/forearms.h"
#include "stages/self_collision/exact/uniform_spline.h"

TEST_SUITE_BEGIN("self_collision.goal_refinement");

using namespace clipmill;
using namespace clipmill::stages::self_collision;
using namespace clipmill::test;

namespace {

constexpr double kArmsForward_deg = 90.0;

// Both arms forward and still; the left hand belongs `offset_m` from where it is.
struct OneGoal {
  explicit OneGoal(const Vec3& offset_m)
      : skin(std::make_shared<const penetration::BodySkin>(
            penetration::BodySkin::make(arms.character.scene(), arms.character.map).value())) {
    contacts.skin = skin;
    contacts.with_upper_arms = std::make_shared<const penetration::SelfPenetration>(
        penetration::SelfPenetration::make(arms.character.scene(), arms.character.map, true)
            .value());
    const auto vertexOf = [&](humanoid::BodyPart part) {
      return static_cast<std::uint32_t>(skin->verticesOf(part).end - 1);
    };
    retarget::ContactGoal goal;
    goal.parts = "left arm - trunk";
    goal.end_s = 10.0;
    goal.limb = {{vertexOf(humanoid::BodyPart::kLeftForearm), 1.0}};
    goal.moments = {{0.0, {{vertexOf(humanoid::BodyPart::kTrunk), 1.0}}, Vec3(0.0)}};
    contacts.goals = {goal};
    // The box character faces +z with its left at +x, so the axes of the body are those of the
    // world.
    contacts.goals[0].moments[0].gap =
        (offset_m - missing_m({})) / contacts.with_upper_arms->height_m();
  }

  // From the hand to where it belongs.
  Vec3 missing_m(const LimbChange& change) const {
    ClipContext clip = makeClip();
    GoalPose pose(clip.scene, clip.poser, contacts);
    std::vector<LimbChange> changes(clip.poser.limbCount());
    changes[limbOf(clip)] = change;
    pose.set(0.0, clip.base.at(0), changes);
    return pose.missing_m(contacts.goals[0]).value();
  }

  ClipContext makeClip() const {
    return ClipContext(arms.character.scene(), arms.character.map, arms.skin, arms.settings,
                       arms.motion, &contacts);
  }

  static std::size_t limbOf(const ClipContext& clip) {
    std::size_t limb = 0;
    while (clip.poser.limb(limb).name != "left arm") ++limb;
    return limb;
  }

  Forearms arms{kArmsForward_deg};
  std::shared_ptr<const penetration::BodySkin> skin;
  retarget::ClipContacts contacts;
};

// One value for the whole clip: no change.
GoalCurve constantCurve(const ClipContext& clip, std::size_t limb) {
  GoalCurve curve;
  curve.limb = limb;
  curve.is_free = {true};
  curve.values = Eigen::MatrixXd::Zero(1, GoalTrack::kNumberCount);
  curve.smoothness = Eigen::MatrixXd::Zero(1, 1);
  curve.weights.assign(clip.base.count(), {{{0, 1.0}, {0, 0.0}, {0, 0.0}, {0, 0.0}}});
  return curve;
}

GoalCurve refined(const OneGoal& goal, ClipContext& clip) {
  GoalProblem problem(clip, goal.contacts);
  std::vector<GoalCurve> curves = {constantCurve(clip, OneGoal::limbOf(clip))};
  const auto all = GoalRefinement(clip, problem, curves).refined();
  REQUIRE(!all.empty());
  return all.back()[0];
}

}  // namespace

TEST_CASE("a hand comes to where it belongs, in a clip without motion by one change") {
  const OneGoal goal(Vec3(0.04, 0.06, -0.05));
  CHECK(lengthOf(goal.missing_m({})) == doctest::Approx(lengthOf(Vec3(0.04, 0.06, -0.05))));
  ClipContext clip = goal.makeClip();
  const GoalCurve curve = refined(goal, clip);
  CHECK(lengthOf(goal.missing_m(GoalTrack::changeOf(curve.at(0)))) < 1e-3);
  CHECK(isSmooth({&curve, 1}, 1e-6, clip));
}

TEST_CASE("a goal out of reach is followed within the limits of the pose") {
  const OneGoal goal(Vec3(0.0, 2.0, -0.5));
  ClipContext clip = goal.makeClip();
  const GoalCurve curve = refined(goal, clip);
  const LimbChange change = GoalTrack::changeOf(curve.at(0));
  CHECK(lengthOf(goal.missing_m(change)) < 0.9 * lengthOf(goal.missing_m({})));
  CHECK(clip.limits.use(curve.limb, 0, change).largest() <= 1.0);
}

TEST_CASE("the layers of a curve add up to it") {
  const OneGoal goal(Vec3(0.0));
  const ClipContext clip = goal.makeClip();
  const UniformSpline spline(clip.base.step_s() * static_cast<double>(clip.base.count() - 1), 0.1,
                             false);
  GoalCurve curve;
  curve.limb = OneGoal::limbOf(clip);
  curve.is_free.assign(spline.valueCount(), true);
  curve.is_free[0] = false;
  curve.values = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(spline.valueCount()),
                                       GoalTrack::kNumberCount);
  for (Eigen::Index k = 1; k < curve.values.rows(); ++k) {
    for (Eigen::Index n = 0; n < GoalTrack::kClavicleNumber; ++n) {
      curve.values(k, n) = 0.01 * static_cast<double>(k * k - 3 * n);
    }
  }
  curve.clavicle.tail<3>() = Eigen::Vector3d(0.1, -0.2, 0.3);
  for (std::size_t s = 0; s < clip.base.count(); ++s) {
    curve.weights.push_back(spline.weightsAt(clip.base.step_s() * static_cast<double>(s)));
  }
  const std::vector<CorrectionLayer> layers = layersOf(curve);
  for (std::size_t s = 0; s < clip.base.count(); ++s) {
    LimbChange sum;
    for (const CorrectionLayer& layer : layers) sum += layer.mode.units[0] * layer.amounts[s];
    const LimbChange whole = GoalTrack::changeOf(curve.at(s));
    CHECK(lengthOf(sum.rotation - whole.rotation) < 1e-12);
    CHECK(lengthOf(sum.end_rotation - whole.end_rotation) < 1e-12);
    CHECK(lengthOf(sum.clavicle_rotation - whole.clavicle_rotation) < 1e-12);
    CHECK(sum.flexion == doctest::Approx(whole.flexion));
    CHECK(curve.isActive(s));
  }
  curve.is_free.assign(spline.valueCount(), false);
  CHECK_FALSE(curve.isActive(0));
}

TEST_SUITE_END();
