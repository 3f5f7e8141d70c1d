// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Settings of chains besides the spring: shares of motion, jumps, rest, twist, weights, lengths,
// limits, where to start.
#include <algorithm>
#include <cmath>

#include "checks.h"
#include "core/portable_math.h"
#include "stages/dynamic_bones/swing_scene.h"

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;

TEST_SUITE_BEGIN("dynamic_bones.features");

namespace {

constexpr auto kSpring = DynamicBonesMethod::kSpring;
constexpr double kGravity = 9.81;

std::size_t lastNode(const Scene& scene) { return scene.skeleton.size() - 1; }

// The largest distance of the last node from where the clip alone has it.
double swingOf(const Scene& scene, const Motion& clip, const Motion& motion) {
  const int tip = static_cast<int>(lastNode(scene));
  const auto still = pathOfNode(scene, clip, tip), swung = pathOfNode(scene, motion, tip);
  double worst = 0.0;
  for (std::size_t i = 0; i < still.size(); ++i) {
    worst = std::max(worst, distance(still[i], swung[i]));
  }
  return worst;
}

// A body that jerks along x and rotates about y.
Motion jerkMotion(const Scene& scene, double move_m, double rotation_rad) {
  return motionOf(scene, 2.0, 60.0, [=](double t, PoseView pose) {
    pose.locals[0].translation.x = move_m * portable::sin(9.0 * t);
    pose.locals[0].rotation = rotationAbout(Vec3(0, 1, 0), rotation_rad * portable::sin(7.0 * t));
  });
}

const Scene kTail = chainScene(5, Vec3(0.02, -0.1, 0));

DynamicBonesSettings tail() { return settingsFor("bone0", kSpring); }

}  // namespace

TEST_CASE("a chain without inertia from its parent's motion does not swing") {
  DynamicBonesSettings settings = tail();
  settings.chain[0].inertia_translation = 0.0;
  settings.chain[0].inertia_rotation = 0.0;
  const Motion clip = jerkMotion(kTail, 0.2, 0.5);
  // What is left is the start: the clip's speed there is known to second order in the step.
  CHECK(swingOf(kTail, clip, bake(kTail, clip, settings).motion) < 1e-4);
  CHECK(swingOf(kTail, clip, bake(kTail, clip, tail()).motion) > 0.01);
}

TEST_CASE("an inertia of one half has the effect of half the parent's travel") {
  const Motion clip = jerkMotion(kTail, 0.02, 0.0);
  DynamicBonesSettings settings = tail();
  const double all = swingOf(kTail, clip, bake(kTail, clip, settings).motion);
  settings.chain[0].inertia_translation = 0.5;
  const double half = swingOf(kTail, clip, bake(kTail, clip, settings).motion);
  CHECK(half == nearTo(0.5 * all, 0.02));  // swings are small, so nearly linear
}

TEST_CASE("travel above the speed limit has no effect") {
  DynamicBonesSettings settings = tail();
  settings.chain[0].max_inertia_speed_mps = 0.01;
  const Motion clip = jerkMotion(kTail, 0.2, 0.0);
  const double limited = swingOf(kTail, clip, bake(kTail, clip, settings).motion);
  CHECK(limited < 0.1 * swingOf(kTail, clip, bake(kTail, clip, tail()).motion));
}

TEST_CASE("a jump of the parent has no effect on the swing and is reported") {
  const Motion clip = motionOf(kTail, 2.0, 30.0, [](double t, PoseView pose) {
    pose.locals[0].translation.x = t < 1.0 ? 0.0 : std::min(1.0, (t - 1.0) * 30.0) * 5.0;
  });
  for (const TeleportPolicy policy : {TeleportPolicy::kKeep, TeleportPolicy::kReset}) {
    DynamicBonesSettings settings = tail();
    settings.teleport = policy;
    const StageResult result = bake(kTail, clip, settings);
    CHECK(swingOf(kTail, clip, result.motion) < 1e-9);
    CHECK(result.warnings.count("teleport") == 1);
  }
  DynamicBonesSettings settings = tail();
  settings.teleport = TeleportPolicy::kOff;
  CHECK(swingOf(kTail, clip, bake(kTail, clip, settings).motion) > 0.1);
}

TEST_CASE("a constantly fast motion is no jump at any size of character") {
  const Motion clip = motionOf(kTail, 2.0, 30.0, [](double t, PoseView pose) {
    pose.locals[0].translation.x = 100.0 * portable::sin(3.0 * t);
  });
  CHECK(bake(kTail, clip, tail()).warnings.count("teleport") == 0);
}

TEST_CASE("a jump between two cuts carries the swing along without a change") {
  // The same sway with and without a jump of 5 m.
  const auto sway = [](double t, double jump_m, PoseView pose) {
    pose.locals[0].translation.x =
        0.03 * portable::sin(8.0 * t) + (t < 1.0 ? 0.0 : std::min(1.0, (t - 1.0) * 30.0) * jump_m);
  };
  const Motion cut =
      motionOf(kTail, 2.0, 30.0, [&](double t, PoseView pose) { sway(t, 5.0, pose); });
  const Motion whole =
      motionOf(kTail, 2.0, 30.0, [&](double t, PoseView pose) { sway(t, 0.0, pose); });
  DynamicBonesSettings settings = tail();
  settings.loop = LoopPolicy::kOff;
  const auto a = pathOfNode(kTail, bake(kTail, cut, settings).motion, 5);
  const auto b = pathOfNode(kTail, bake(kTail, whole, settings).motion, 5);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Vec3 jumped(i >= 31 ? 5.0 : 0.0, 0, 0);
    // Of the sway, what falls into the frame of the jump is not felt: at most 8 mm.
    if (i != 30) CHECK(distance(a[i], b[i] + jumped) < 0.008);
  }
}

TEST_CASE("an accelerated root tilts a pendulum by tan a / g") {
  const double acceleration = 3.0;
  Scene scene = chainScene(2, Vec3(-0.5 * 3.0, -0.5 * kGravity, 0) / std::sqrt(9.0 + 96.2361));
  const Motion clip = motionOf(scene, 3.0, 60.0, [=](double t, PoseView pose) {
    pose.locals[0].translation.x = 0.5 * acceleration * t * t;
  });
  const auto path = pathOfNode(scene, bake(scene, clip, ballisticFor("bone0")).motion, 2);
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Vec3 bone = path[i] - pathOfNode(scene, clip, 1)[i];
    CHECK(std::abs(std::atan2(-bone.x, -bone.y) - std::atan(acceleration / kGravity)) < 1e-5);
  }
}

TEST_CASE("a chain with the rest pose as its target ignores the keys of the clip") {
  const Motion keyed = motionOf(kTail, 4.0, 30.0, [](double, PoseView pose) {
    pose.locals[2].rotation = rotationAbout(Vec3(1, 0, 0), 0.8);
  });
  DynamicBonesSettings settings = tail();
  settings.chain[0].damping_ratio = 1.0;
  settings.chain[0].gravity_mps2 = 0.0;  // under which a rotated bone would sag
  settings.chain[0].target_pose = TargetPose::kBind;
  const Motion baked = bake(kTail, keyed, settings).motion;
  const auto tip = pathOfNode(kTail, baked, 5);
  const auto rest = pathOfNode(kTail, stillMotion(kTail, 4.0, 30.0), 5);
  CHECK(distance(tip.back(), rest.back()) < 1e-6);
  settings.chain[0].target_pose = TargetPose::kAnim;
  CHECK(swingOf(kTail, keyed, bake(kTail, keyed, settings).motion) < 1e-9);
}

TEST_CASE(
    "the roll of a joint is that of the clip, of the rest pose, or none, and never accumulates") {
  // The clip rolls each joint about its bone, and the body goes once round a cone, three times.
  const Scene scene = chainScene(3, Vec3(0, -0.2, 0));
  const Motion clip = motionOf(scene, 6.0, 30.0, [](double t, PoseView pose) {
    const double angle = kPi * t;
    pose.locals[0].rotation =
        rotationAbout(Vec3(portable::cos(angle), 0, portable::sin(angle)), 0.7);
    for (std::size_t i = 1; i < 4; ++i) {
      pose.locals[i].rotation = rotationAbout(Vec3(0, 1, 0), 0.3);
    }
  });
  const auto twistOf = [&](TwistPolicy policy) {
    DynamicBonesSettings settings = tail();
    settings.chain[0].twist = policy;
    settings.loop = LoopPolicy::kOff;
    const Motion motion = bake(scene, clip, settings).motion;
    std::vector<double> twists;
    for (std::size_t i = 0; i < motion.grid.frame_count; ++i) {
      const Quat rotation = swingTwist(motion.localsOf(i)[2].rotation, Vec3(0, 1, 0)).twist;
      twists.push_back(2.0 * portable::atan2(rotation.y, rotation.w));
    }
    return twists;
  };
  for (double twist : twistOf(TwistPolicy::kAnim)) CHECK(std::abs(twist - 0.3) < 1e-6);
  for (double twist : twistOf(TwistPolicy::kBind)) CHECK(std::abs(twist) < 1e-6);
  for (double twist : twistOf(TwistPolicy::kZero)) CHECK(std::abs(twist) < 1e-6);
}

TEST_CASE("weights blend between the clip and the simulation, over depth and over time") {
  const Motion clip = jerkMotion(kTail, 0.1, 0.0);
  DynamicBonesSettings settings = tail();
  settings.loop = LoopPolicy::kOff;
  const Motion all = bake(kTail, clip, settings).motion;
  settings.chain[0].weight = 0.0;
  const Motion none = bake(kTail, clip, settings).motion;
  settings.chain[0].weight = 1.0;
  settings.chain[0].weight_over_clip = Curve({{0.0, 0.0}, {1.0, 1.0}});
  const Motion fading = bake(kTail, clip, settings).motion;
  for (std::size_t i = 0; i < clip.grid.frame_count; ++i) {
    const double part = static_cast<double>(i) / 120.0;
    for (std::size_t node = 1; node < 5; ++node) {
      const Quat& from = clip.localsOf(i)[node].rotation;
      const Quat& to = all.localsOf(i)[node].rotation;
      CHECK(angleBetween(none.localsOf(i)[node].rotation, from) < 1e-12);
      CHECK(angleBetween(fading.localsOf(i)[node].rotation, slerp(from, to, part)) < 1e-7);
    }
  }
}

TEST_CASE("a bone stretches up to its setting, and its end moves with it") {
  // Spun up, a bone without gravity is pulled outward.
  const Scene scene = chainScene(3, Vec3(0.3, 0, 0));
  DynamicBonesSettings settings = ballisticFor("bone0");
  settings.chain[0].gravity_mps2 = 0.0;
  settings.chain[0].frequency_hz = 2.0;
  settings.chain[0].max_stretch = 0.2;
  settings.chain[0].max_squish = 0.1;
  const Motion clip = motionOf(scene, 2.0, 60.0, [](double t, PoseView pose) {
    pose.locals[0].rotation = rotationAbout(Vec3(0, 0, 1), 8.0 * t);
  });
  const StageResult result = bake(scene, clip, settings);
  CHECK(result.motion.modified.has(2, TrackPath::kTranslation));
  CHECK_FALSE(result.motion.modified.has(1, TrackPath::kTranslation));
  const auto a = pathOfNode(scene, result.motion, 1), b = pathOfNode(scene, result.motion, 2);
  double longest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double length = glm::length(a[i] - b[i]);
    CHECK(length > 0.27 - 1e-9);
    CHECK(length < 0.36 + 1e-9);
    longest = std::max(longest, length);
  }
  CHECK(longest > 0.31);
}

TEST_CASE("limits hold in every frame, also when a collider pushes") {
  DynamicBonesSettings settings = tail();
  settings.chain[0].frequency_hz = 0.5;
  settings.chain[0].limit = LimitShape::kCone;
  settings.chain[0].limit_deg = 12.0;
  settings.chain[0].radius_m = 0.02;
  ColliderSettings ball;
  ball.node = "body";
  ball.offset_m = {0.1, -0.3, 0.0};
  ball.radius_m = 0.08;
  settings.collider.push_back(ball);
  const Motion clip = jerkMotion(kTail, 0.3, 0.8);
  const StageResult result = bake(kTail, clip, settings);
  CHECK(metric(result, "limit_violation_deg") < 1e-6 / kDegree);
  settings.chain[0].limit = LimitShape::kNone;
  const Motion loose = bake(kTail, clip, settings).motion;
  double widest = 0.0;
  for (std::size_t i = 0; i < loose.grid.frame_count; ++i) {
    widest = std::max(widest, angleBetween(loose.localsOf(i)[2].rotation, kIdentityRotation));
  }
  CHECK(widest > 20.0 * kDegree);
}

TEST_CASE("a pre-roll lets a chain settle before the clip starts") {
  // A horizontal chain under full gravity falls; after a pre-roll it starts where it would end.
  const Scene scene = chainScene(3, Vec3(0.2, 0, 0));
  DynamicBonesSettings settings = settingsFor("bone0", kSpring);
  settings.chain[0].rest_includes_gravity = false;
  settings.chain[0].damping_ratio = 1.0;
  const Motion clip = stillMotion(scene, 4.0, 30.0);
  const auto falling = pathOfNode(scene, bake(scene, clip, settings).motion, 3);
  CHECK(distance(falling.front(), falling.back()) > 0.02);
  settings.preroll_s = 8.0;
  const auto settled = pathOfNode(scene, bake(scene, clip, settings).motion, 3);
  CHECK(distance(settled.front(), settled.back()) < 1e-6);
  CHECK(distance(settled.front(), falling.back()) < 1e-4);
}

TEST_CASE("a clip continues from the end of another one as if both were one clip") {
  const auto sway = [](double t, PoseView pose) {
    pose.locals[0].translation =
        Vec3(0.05 * portable::sin(8.0 * t), 0, 0.02 * portable::cos(5.0 * t));
  };
  const Motion whole = motionOf(kTail, 2.0, 60.0, sway);
  const Motion first = motionOf(kTail, 1.0, 60.0, sway);
  const Motion second = motionOf(kTail, 1.0, 60.0, [&](double t, PoseView pose) {
    sway(t + 1.0, pose);
    pose.locals[0].translation += Vec3(3.0, 0.0, -1.0);  // somewhere else
  });
  DynamicBonesSettings settings = tail();
  settings.loop = LoopPolicy::kOff;
  // The first half as a file: its scene with the baked clip as keys.
  AuxiliaryFile file;
  file.scene = kTail;
  Clip clip;
  clip.name = "clip";
  clip.end_s = 1.0;
  clip.fps = 60.0;
  Motion baked = bake(kTail, first, settings).motion;
  for (int node = 0; node < 6; ++node) {
    baked.modified.set(node, TrackPath::kRotation);
    baked.modified.set(node, TrackPath::kTranslation);
  }
  clip.source = keyframeSource(kTail.skeleton, tracksOf(kTail.skeleton, baked));
  file.scene.clips.push_back(clip);
  const auto result =
      runDynamicBones({kTail, std::span(&second, 1), 1, std::span(&file, 1)}, settings);
  CHECK_OK(result);
  const auto joined = pathOfNode(kTail, result->front().motion, 5);
  const auto through = pathOfNode(kTail, bake(kTail, whole, settings).motion, 5);
  const auto alone = pathOfNode(kTail, bake(kTail, second, settings).motion, 5);
  double off = 0.0, alone_off = 0.0;
  for (std::size_t i = 0; i < joined.size(); ++i) {
    const Vec3 there = through[i + 60] + Vec3(3.0, 0.0, -1.0);
    off = std::max(off, distance(joined[i], there));
    alone_off = std::max(alone_off, distance(alone[i], there));
  }
  // Keys are linear between frames, so the speed at the seam is that of the last frame.
  CHECK(off < 0.002);
  CHECK(alone_off > 5.0 * off);
}

TEST_CASE("joints that skip nodes carry the skipped nodes along") {
  // body - a - between - b - c: one bone from a to b, with a node between that has its own
  // rotation.
  Scene scene;
  const int body = addNode(scene, "body", -1, Vec3(0));
  const int a = addNode(scene, "a", body, Vec3(0, 0, 0));
  const int between =
      addNode(scene, "between", a, Vec3(0, -0.2, 0), rotationAbout(Vec3(0, 0, 1), 0.5));
  const int b = addNode(scene, "b", between, Vec3(0, -0.2, 0));
  addNode(scene, "c", b, Vec3(0, -0.2, 0));
  DynamicBonesSettings settings = tail();
  settings.chain[0].root.clear();
  settings.chain[0].joints = {"a", "b", "c"};
  const Motion clip = jerkMotion(scene, 0.1, 0.0);
  const StageResult result = bake(scene, clip, settings);
  CHECK(result.motion.modified.any(a));
  CHECK(result.motion.modified.any(b));
  CHECK_FALSE(result.motion.modified.any(between));
  CHECK(metric(result, "max_bone_length_error_mm") < 1e-9);
  CHECK(swingOf(scene, clip, result.motion) > 0.005);
  settings.chain[0].joints = {"b", "a"};
  CHECK(bakeError(scene, settings).code == ErrorCode::kRecipe);
}

TEST_CASE("a rotated, moved and scaled scene swings in the same manner") {
  Scene scene = kTail;
  const Motion clip = jerkMotion(scene, 0.1, 0.5);
  DynamicBonesSettings settings = tail();
  ColliderSettings ball;
  ball.node = "body";
  ball.offset_m = {0.15, -0.3, 0.0};
  ball.radius_m = 0.12;
  settings.collider.push_back(ball);
  settings.chain[0].radius_m = 0.01;
  const auto plain = pathOfNode(scene, bake(scene, clip, settings).motion, 5);

  // The file in centimetres, z up.
  Scene other = scene;
  const Quat z_up = rotationAbout(Vec3(1, 0, 0), 90.0 * kDegree);
  for (Node& node : other.skeleton.nodes) node.rest.translation *= 100.0;
  other.skeleton.nodes[0].rest.rotation = z_up;
  other.metric_from_file.linear = glm::mat3_cast(glm::conjugate(z_up)) * Mat3(0.01);
  Motion moved = clip;
  moved.source = nullptr;
  for (std::size_t i = 0; i < moved.grid.frame_count; ++i) {
    for (Transform& local : moved.frame(i).locals) local.translation *= 100.0;
    Transform& root = moved.frame(i).locals[0];
    root.translation = z_up * root.translation;
    root.rotation = z_up * root.rotation;
  }
  Motion same = clip;
  same.source = nullptr;
  const auto again = pathOfNode(scene, bake(scene, same, settings).motion, 5);
  const auto rotated = pathOfNode(other, bake(other, moved, settings).motion, 5);
  for (std::size_t i = 0; i < again.size(); ++i) CHECK(distance(again[i], rotated[i]) < 1e-9);
  CHECK(distance(plain.back(), again.back()) < 0.01);
}

TEST_CASE("a mirrored character swings mirrored") {
  const Scene scene = chainScene(5, Vec3(0.03, -0.1, 0.01));
  Scene mirrored = chainScene(5, Vec3(-0.03, -0.1, 0.01));
  const Motion clip = jerkMotion(scene, 0.1, 0.4);
  const Motion mirrored_clip = jerkMotion(mirrored, -0.1, -0.4);
  const auto a = pathOfNode(scene, bake(scene, clip, tail()).motion, 5);
  const auto b = pathOfNode(mirrored, bake(mirrored, mirrored_clip, tail()).motion, 5);
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(distance(a[i], Vec3(-b[i].x, b[i].y, b[i].z)) < 1e-12);
  }
}

TEST_SUITE_END();
