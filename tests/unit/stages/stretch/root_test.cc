// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "checks.h"
#include "core/to_size.h"
#include "human_scene.h"
#include "locomotion/ground.h"
#include "locomotion/root_joint.h"
#include "locomotion/root_motion.h"
#include "stages/stretch/walker.h"

using namespace clipmill;
using namespace clipmill::locomotion;
using namespace clipmill::stages;
using namespace clipmill::stages::stretch;
using namespace clipmill::test;

TEST_SUITE_BEGIN("stretch.root");

namespace {

// Root motion is on the hips, as in files without a root bone; they rotate by 200 degrees.
Motion hipsClip(const Walker& walker, double fps = 30.0) {
  return motionOf(walker.scene, 2.0, fps, [&](double t, PoseView pose) {
    walker.poseOf([](double) { return Vec3(0); })(t, pose);
    Transform& hips = pose.locals[toSize(walker.hips)];
    hips.translation += curvedPath(t) + Vec3(0.05, 0, 0.02);
    hips.rotation = rotationAbout(Vec3(0, 1, 0), 100.0 * kDegree * t) *
                    rotationAbout(Vec3(1, 0, 0), 0.2 * std::sin(3 * t));
  });
}

StageResult extracted(const Walker& walker, const Motion& clip, double smooth_s = 0.0) {
  StretchSettings settings;
  settings.root_motion = RootMotionMode::kExtract;
  settings.hips_joint = "hips";
  settings.root_joint = "root";
  settings.root_smooth_s = smooth_s;
  return stretchOne(walker.scene, clip, settings);
}

double worstOf(const Walker& walker, const Motion& a, const Motion& b,
               std::initializer_list<int> nodes) {
  double worst = 0.0;
  for (std::size_t frame = 0; frame < a.grid.frame_count; ++frame) {
    const auto worlds_a = worldsAt(walker.scene, a, frame);
    const auto worlds_b = worldsAt(walker.scene, b, frame);
    for (int node : nodes) {
      const auto i = toSize(node);
      worst = std::max(worst, distance(worlds_a[i].translation, worlds_b[i].translation));
      for (int axis = 0; axis < 3; ++axis) {
        worst = std::max(worst, distance(worlds_a[i].linear[axis], worlds_b[i].linear[axis]));
      }
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("The root-motion joint is detected as root, hips or armature, never as a limb") {
  const Walker walker;
  CHECK(findMovingJoint(walker.scene, walker.clip(straightPath), 0.01) == walker.root);
  CHECK(findMovingJoint(walker.scene, hipsClip(walker), 0.01) == walker.hips);
  const Motion armature = motionOf(walker.scene, 1.0, 30.0, [&](double t, PoseView pose) {
    walker.poseOf([](double) { return Vec3(0); })(t, pose);
    pose.locals[toSize(walker.armature)].translation.x = t;
  });
  CHECK(findMovingJoint(walker.scene, armature, 0.01) == walker.armature);
  // There and back, with a foot that goes farther than the root.
  const Motion lunge = motionOf(walker.scene, 1.0, 30.0, [&](double t, PoseView pose) {
    const double out = std::sin(kPi * t);
    pose.locals[toSize(walker.root)].translation.z = out;
    pose.locals[toSize(walker.left_foot)].translation.z = 3.0 * out;
  });
  CHECK(findMovingJoint(walker.scene, lunge, 0.01) == walker.root);
  // There and back exactly, while the hips end a little aside.
  const Motion sway = walker.clip([](double t) { return Vec3(0.05 * std::sin(kPi * t), 0, 0); });
  CHECK(findMovingJoint(walker.scene, sway, 0.01) == walker.root);
  CHECK(findMovingJoint(walker.scene, stillMotion(walker.scene, 1.0, 30.0), 0.01) == -1);
  CHECK(nodeAboveCharacter(walker.scene) == walker.hips);
  CHECK(bodyNode(walker.scene, walker.root) == walker.hips);
  CHECK(characterHeight(walker.scene) == doctest::Approx(1.7));
}

TEST_CASE("The root-motion joint of a single object without a skin is detected") {
  Scene scene;
  addNode(scene, "camera", -1, Vec3(0));
  const int box = addNode(scene, "box", -1, Vec3(0));
  addNode(scene, "lid", box, Vec3(0));
  const Motion slide = motionOf(scene, 1.0, 30.0, [&](double t, PoseView pose) {
    pose.locals[toSize(box)].translation.z = t;
  });
  CHECK(findMovingJoint(scene, slide, 0.01) == box);
  const StageResult result = stretchOne(scene, slide, toDistance(4.0));
  CHECK(pathOfNode(scene, result.motion, box).back().z == doctest::Approx(4.0));
}

TEST_CASE(
    "Moves give the same world positions under rotated, mirrored and non-uniformly scaled "
    "parents") {
  const Transform above[] = {
      {Vec3(1, 2, 3), rotationAbout(Vec3(0.6, 0, 0.8), 1.0), Vec3(2.0)},
      {Vec3(0), rotationAbout(Vec3(1, 0, 0), -kPi / 2), Vec3(0.01)},
      {Vec3(0), kIdentityRotation, Vec3(-1, 1, 1)},
      {Vec3(0), kIdentityRotation, Vec3(1, 3, 1)},  // uneven along the vertical only
  };
  for (const Transform& armature : above) {
    const Walker walker(armature);
    const Motion clip = walker.clip(curvedPath);
    Motion moved = clip;
    std::vector<RootMove> moves;
    for (std::size_t i = 0; i < clip.grid.frame_count; ++i) {
      const double t = clip.grid.timeOf(i);
      moves.push_back({Vec3(t, 0, 1), Vec3(1, 0.2 * t, -t), 0.9 * t});
    }
    Warnings warnings;
    const int nodes[] = {walker.root};
    writeMoves(walker.scene, nodes, moves, moved, warnings);
    CHECK(warnings.empty());
    for (std::size_t i = 0; i < clip.grid.frame_count; ++i) {
      const auto before = worldsAt(walker.scene, clip, i);
      const auto after = worldsAt(walker.scene, moved, i);
      const auto& [from, to, rotation] = moves[i];
      for (int node : {walker.root, walker.hips, walker.head, walker.right_foot}) {
        const auto n = toSize(node);
        const Vec3 expected = to + rotated(before[n].translation - from, rotation);
        CHECK(distance(after[n].translation, expected) < 1e-9);
      }
    }
  }
}

TEST_CASE("Rotations under a non-uniform scale and moves under a scale of 0 give warnings") {
  for (const Vec3& scale : {Vec3(1, 1, 2), Vec3(1, 0, 1)}) {
    const Walker walker({Vec3(0), kIdentityRotation, scale});
    Motion moved = walker.clip(curvedPath);
    const std::vector<RootMove> moves(moved.grid.frame_count, {Vec3(0), Vec3(1, 0, 0), 0.5});
    Warnings warnings;
    const int nodes[] = {walker.root};
    writeMoves(walker.scene, nodes, moves, moved, warnings);
    CHECK(warnings.count(scale.y == 0.0
                             ? "parent_without_inverse"
                             : "rotation_under_nonuniform_scale") == moved.grid.frame_count);
    for (const Transform& local : moved.locals) CHECK(isFinite(local.translation));
  }
}

TEST_CASE("A node that does not inherit scale rotates as a rigid body under a non-uniform scale") {
  for (InheritScale inherit : {InheritScale::kComponentwise, InheritScale::kSkipParent}) {
    Walker walker({Vec3(1, 0, 2), rotationAbout(Vec3(1, 0, 0), -kPi / 2), Vec3(2, 1, 3)});
    walker.scene.skeleton.nodes[toSize(walker.root)].inherit = inherit;
    const Motion clip = walker.clip(curvedPath);
    Motion moved = clip;
    const RootMove move{Vec3(1, 0, 1), Vec3(-2, 0.5, 3), 1.2};
    Warnings warnings;
    const int nodes[] = {walker.root};
    writeMoves(walker.scene, nodes, std::vector<RootMove>(clip.grid.frame_count, move), moved,
               warnings);
    CHECK(warnings.empty());
    for (std::size_t i = 0; i < clip.grid.frame_count; ++i) {
      const auto before = worldsAt(walker.scene, clip, i);
      const auto after = worldsAt(walker.scene, moved, i);
      for (int node : {walker.root, walker.hips, walker.head}) {
        const auto n = toSize(node);
        const Vec3 expected =
            move.to_m + rotated(before[n].translation - move.from_m, move.rotation_rad);
        CHECK(distance(after[n].translation, expected) < 1e-9);
      }
    }
  }
}

TEST_CASE("Extraction of root motion does not move the body") {
  const Walker walker;
  const Motion clip = hipsClip(walker);
  for (double smooth_s : {0.0, 0.5}) {
    const Motion out = extracted(walker, clip, smooth_s).motion;
    CHECK(worstOf(walker, clip, out,
                  {walker.hips, walker.spine, walker.head, walker.left_foot, walker.target}) <
          1e-9);
    CHECK(out.modified.has(walker.root, TrackPath::kTranslation));
    CHECK(out.modified.has(walker.root, TrackPath::kRotation));
    CHECK(out.modified.has(walker.hips, TrackPath::kTranslation));
    CHECK_FALSE(out.modified.any(walker.spine));
    const Vec3 gone = pathOfNode(walker.scene, out, walker.root).back() -
                      pathOfNode(walker.scene, out, walker.root).front();
    const Vec3 hips = pathOfNode(walker.scene, clip, walker.hips).back() -
                      pathOfNode(walker.scene, clip, walker.hips).front();
    // Except for the offset of the hips from the root, which rotates with it.
    CHECK(distance(Vec3(gone.x, 0, gone.z), Vec3(hips.x, 0, hips.z)) < 0.2);
  }
}

TEST_CASE("After an exact extraction the hips neither travel nor rotate in the root") {
  const Walker walker;
  const Motion clip = hipsClip(walker), out = extracted(walker, clip).motion;
  const auto headings = headingsOf(walker.scene, clip, walker.hips);
  CHECK(headings.back() == nearTo(200.0 * kDegree, 1e-3));  // unwrapped
  for (std::size_t i = 0; i < out.grid.frame_count; ++i) {
    const Transform& hips = out.localsOf(i)[toSize(walker.hips)];
    const Transform& first = out.localsOf(0)[toSize(walker.hips)];
    CHECK(std::abs(hips.translation.x - first.translation.x) < 1e-9);
    CHECK(std::abs(hips.translation.z - first.translation.z) < 1e-9);
    const Quat twist = swingTwist(hips.rotation, Vec3(0, 1, 0)).twist;
    CHECK(angleBetween(twist, kIdentityRotation) < 1e-6);
  }
}

TEST_CASE("Extracted root motion can be stretched in the same run") {
  const Walker walker;
  StretchSettings settings = toDistance(6.0);
  settings.root_motion = RootMotionMode::kExtract;
  const StageResult result = stretchOne(walker.scene, hipsClip(walker), settings);
  CHECK(metric(result, "root_net_m") == doctest::Approx(6.0));
  CHECK(result.motion.modified.has(walker.hips, TrackPath::kTranslation));
}

TEST_CASE("The root_motion in_place removes motion along the ground and keeps heights and poses") {
  const Walker walker;
  const Motion clip = walker.clip([](double t) { return curvedPath(t) + Vec3(0, 0.1 * t, 0); });
  StretchSettings settings;
  settings.root_motion = RootMotionMode::kInPlace;
  const StageResult result = stretchOne(walker.scene, clip, settings);
  const auto before = pathOfNode(walker.scene, clip, walker.root);
  const auto after = pathOfNode(walker.scene, result.motion, walker.root);
  for (std::size_t i = 0; i < after.size(); ++i) {
    CHECK(distance(after[i], Vec3(before[0].x, before[i].y, before[0].z)) < 1e-12);
  }
  CHECK(result.metrics[0].before.value() > 3.0);
  CHECK(result.metrics[0].after.value() < 1e-9);
}

TEST_CASE("Smoothing keeps ends and straight lines and removes sway") {
  const TimeGrid grid = makeGrid(0.0, 4.0, 30.0);
  std::vector<Vec3> line, sway;
  for (std::size_t i = 0; i < grid.frame_count; ++i) {
    const double t = grid.timeOf(i);
    line.emplace_back(t, 0, 2 * t);
    sway.emplace_back(t, 0, 0.1 * std::sin(2 * kPi * 4.0 * t));
  }
  const auto straight = smoothed(line, grid, 1.0), calm = smoothed(sway, grid, 1.0);
  for (std::size_t i = 0; i < line.size(); ++i) {
    CHECK(distance(straight[i], line[i]) < 1e-12);
    CHECK(std::abs(calm[i].z) < 1e-3);
  }
  CHECK(calm.front() == sway.front());
  CHECK(calm.back() == sway.back());
}

TEST_CASE("Root motion of hips without a parent cannot be extracted") {
  Scene scene;
  addNode(scene, "hips", -1, Vec3(0, 1, 0));
  const Motion clip =
      motionOf(scene, 1.0, 30.0, [](double t, PoseView pose) { pose.locals[0].translation.z = t; });
  StretchSettings settings;
  settings.root_motion = RootMotionMode::kExtract;
  CHECK(describe(stretchError(scene, clip, settings)).find("no node above") != std::string::npos);
  const Walker walker;
  settings.hips_joint = "root";
  settings.root_joint = "hips";
  CHECK(
      describe(stretchError(walker.scene, walker.clip(straightPath), settings)).find("not below") !=
      std::string::npos);
}

TEST_CASE("Feet beside the body go with the node that carries the hips") {
  using humanoid::HumanoidRole;
  HumanScene human = humanScene(plainNames());
  humanoid::HumanoidMap map;
  for (std::size_t i = 0; i < humanoid::kHumanoidRoleCount; ++i) map.nodes[i] = human.nodes[i];
  const int hips = human.at(HumanoidRole::kHips), root = 0;
  CHECK(findDetachedJoints(human.scene, map, hips, {}).empty());
  std::vector<int> feet;
  for (const HumanoidRole role : {HumanoidRole::kLeftFoot, HumanoidRole::kRightFoot}) {
    feet.push_back(human.at(role));
    human.scene.skeleton.nodes[toSize(feet.back())].parent = root;
  }
  CHECK(findDetachedJoints(human.scene, map, hips, {}) == feet);
  CHECK(findDetachedJoints(human.scene, map, root, {}).empty());
  CHECK(findDetachedJoints(human.scene, map, hips, std::span(feet).first(1)) ==
        std::vector<int>{feet[1]});
  // A node that does not carry the hips takes nothing along.
  const int hand = human.at(HumanoidRole::kLeftHand);
  CHECK(findDetachedJoints(human.scene, map, hand, {}).empty());
}

TEST_SUITE_END();
