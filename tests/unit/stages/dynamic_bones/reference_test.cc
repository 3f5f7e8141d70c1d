// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/reference.h"

#include <cmath>
#include <utility>

#include "checks.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/colliders/collider.h"
#include "stages/dynamic_bones/swing_scene.h"

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;

TEST_SUITE_BEGIN("dynamic_bones.reference");

namespace {

constexpr auto kReference = DynamicBonesMethod::kReference;

// A pivot at the origin and a bob at (1, 0, 0); drag 0.5, gravity -10.
struct Pendulum {
  Scene scene = chainScene(2, Vec3(1, 0, 0));
  DynamicBonesSettings settings = settingsFor("bone0", kReference);
  static constexpr int kPivot = 1, kBob = 2;

  Pendulum() {
    settings.chain[0].drag = 0.5;
    settings.chain[0].gravity_mps2 = -10.0;
  }
  std::vector<Vec3> bobPath(const Motion& clip) {
    return pathOfNode(scene, bake(scene, clip, settings).motion, kBob);
  }
};

// Angle of the twist about `axis` from `animated` to `q`.
double twistAngle(const Quat& q, const Quat& animated, const Vec3& axis) {
  const Vec3 unit = axis / std::sqrt(glm::dot(axis, axis));
  return angleBetween(kIdentityRotation, swingTwist(q * glm::conjugate(animated), unit).twist);
}

}  // namespace

TEST_CASE("step 1: position by Verlet with drag and acceleration") {
  // (1, 2, 3) + 0.75 (0.1, 0, -0.2) + 0.25 (0, -8, 4) = (1.075, 0, 3.85).
  const Vec3 next = verletStep(Vec3(1, 2, 3), Vec3(0.9, 2, 3.2), 0.25, Vec3(0, -8, 4), 0.5);
  CHECK(distance(next, Vec3(1.075, 0, 3.85)) < 1e-15);
}

TEST_CASE("step 1: only the part of gravity normal to the bone acts") {
  // g . u = -40, |u|^2 = 25: g + 1.6 u = (4.8, -3.6, 0), and (4.8, -3.6) . (3, 4) = 0.
  CHECK(distance(gravityAcross(Vec3(0, -10, 0), Vec3(3, 4, 0)), Vec3(4.8, -3.6, 0)) < 1e-15);
  CHECK(distance(gravityAcross(Vec3(0, -10, 0), Vec3(0, -2, 0)), Vec3(0)) < 1e-15);
  CHECK(gravityAcross(Vec3(0, -10, 0), Vec3(0)) == Vec3(0, -10, 0));
}

TEST_CASE("steps 1, 2 and 4: two frames of a pendulum are those computed by hand") {
  Pendulum p;
  const auto path = p.bobPath(stillMotion(p.scene, 0.2, 10.0));
  REQUIRE(path.size() == 3);
  CHECK(distance(path[0], Vec3(1, 0, 0)) < 1e-15);
  // Frame 1: u = (1, 0), g_v = (0, -10), x = (1, -0.1), divided by sqrt(1.01).
  CHECK(distance(path[1], Vec3(0.9950371902099893, -0.0995037190209989, 0)) < 1e-14);
  // Frame 2: u = (0.9950372, -0.0995037), g_v = (-100/101, -10 + 10/101);
  // x = u + 0.5 (u - (1, 0)) + 0.01 g_v, made of length 1.
  CHECK(distance(path[2], Vec3(0.9695354811839247, -0.2449509149308397, 0)) < 1e-14);
}

TEST_CASE("step 4: the parent rotates by the shortest arc about the normal of both directions") {
  Pendulum p;
  const StageResult result = bake(p.scene, stillMotion(p.scene, 0.1, 10.0), p.settings);
  // From (1, 0, 0) to (1, -0.1, 0): about -z by atan(0.1).
  const Quat expected = rotationAbout(Vec3(0, 0, -1), 0.09966865249116202);
  CHECK(distance(result.motion.localsOf(1)[Pendulum::kPivot].rotation, expected) < 1e-14);
}

TEST_CASE("step 5: smoothing applies a share of the rotation, and the next step starts there") {
  Pendulum p;
  p.settings.smoothing = 0.5;
  const auto path = p.bobPath(stillMotion(p.scene, 0.2, 10.0));
  const double first = 0.5 * std::atan(0.1);
  CHECK(distance(path[1], Vec3(std::cos(first), -std::sin(first), 0)) < 1e-14);
  // Frame 2 by the same formulas from the smoothed position.
  const Vec3 now = path[1];
  const Vec3 free = verletStep(now, Vec3(1, 0, 0), 0.5, gravityAcross(Vec3(0, -10, 0), now), 0.1);
  const double second = first + 0.5 * (std::atan2(-free.y, free.x) - first);
  CHECK(distance(path[2], Vec3(std::cos(second), -std::sin(second), 0)) < 1e-14);
}

TEST_CASE("step 2: the length is restored about the parent's next position") {
  Pendulum p;
  p.settings.chain[0].gravity_mps2 = 0.0;
  // The pivot jumps to (0, 1, 0): the bob stays at (1, 0, 0), then length 1 about the pivot.
  const Motion clip = motionOf(p.scene, 0.1, 10.0, [](double t, PoseView pose) {
    pose.locals[Pendulum::kPivot].translation = Vec3(0, t > 0.05 ? 1 : 0, 0);
  });
  const double half = std::sqrt(0.5);
  CHECK(distance(p.bobPath(clip)[1], Vec3(half, 1 - half, 0)) < 1e-14);
}

TEST_CASE("drag 1 keeps no speed, drag 0 all of it") {
  Pendulum p;
  p.settings.chain[0].gravity_mps2 = 0.0;
  // The pivot is moved up once, then held: without drag the bob swings on.
  const Motion clip = motionOf(p.scene, 0.2, 10.0, [](double t, PoseView pose) {
    pose.locals[Pendulum::kPivot].translation = Vec3(0, t > 0.05 ? 0.1 : 0, 0);
  });
  p.settings.chain[0].drag = 1.0;
  const auto stopped = p.bobPath(clip);
  CHECK(distance(stopped[2], stopped[1]) < 1e-15);
  p.settings.chain[0].drag = 0.0;
  const auto moving = p.bobPath(clip);
  const Vec3 head(0, 0.1, 0);
  CHECK(distance(moving[2], restoreLength(head, 2.0 * moving[1] - Vec3(1, 0, 0), 1.0, head)) <
        1e-14);
}

TEST_CASE("step 3: colliders act on the length-corrected position") {
  Pendulum p;
  p.settings.chain[0].radius_m = 0.1;
  ColliderSettings ball;
  ball.node = "body";
  ball.offset_m = {1.0, -0.3, 0.0};
  ball.radius_m = 0.2;
  p.settings.collider.push_back(ball);
  const auto path = p.bobPath(stillMotion(p.scene, 0.1, 10.0));
  const Vec3 free = Vec3(0.9950371902099893, -0.0995037190209989, 0);
  const Vec3 away = free - Vec3(1.0, -0.3, 0);
  const Vec3 pushed = Vec3(1.0, -0.3, 0) + away * (0.3 / std::sqrt(glm::dot(away, away)));
  CHECK(distance(path[1], pushed / std::sqrt(glm::dot(pushed, pushed))) < 1e-14);
  p.settings.chain[0].colliders = {"none"};
  CHECK(distance(p.bobPath(stillMotion(p.scene, 0.1, 10.0))[1], free) < 1e-14);
}

TEST_CASE("step 6: a tip that goes around a cone any number of times has no twist") {
  const Vec3 bone(1, 0, 0);
  Quat kept = kIdentityRotation, naive = kIdentityRotation;
  for (int i = 1; i <= 720; ++i) {
    const double angle = i * kDegree;
    const Vec3 aim(std::cos(0.6), std::sin(0.6) * std::cos(angle), std::sin(0.6) * std::sin(angle));
    naive = rotationBetween(naive * bone, aim) * naive;
    kept = withoutTwist(rotationBetween(kept * bone, aim) * kept, kIdentityRotation, bone);
    CHECK(distance(kept * bone, aim) < 1e-12);
    CHECK(twistAngle(kept, kIdentityRotation, bone) < 1e-7);
  }
  CHECK(distance(kept, rotationAbout(Vec3(0, 0, 1), 0.6)) < 1e-7);
  // The plain sum of the arcs winds up: this is what the step is for.
  CHECK(angleBetween(naive, kept) > 0.5);
}

TEST_CASE("step 6: passing the opposite direction does not flip") {
  const Vec3 bone(0, -1, 0);
  Quat kept = kIdentityRotation;
  for (int i = 1; i <= 359; ++i) {
    const Vec3 aim(std::sin(i * kDegree), -std::cos(i * kDegree), 0);
    const Quat next =
        withoutTwist(rotationBetween(kept * bone, aim) * kept, kIdentityRotation, bone);
    CHECK(angleBetween(kept, next) < 1.001 * kDegree);
    kept = next;
  }
}

TEST_CASE("no joint is twisted against the clip, whatever the wind does") {
  Scene scene = chainScene(5, Vec3(0, -0.2, 0.05));
  DynamicBonesSettings settings = settingsFor("bone0", kReference);
  settings.chain[0].tip_length = 1.0;
  settings.wind_mps2 = {6.0, 1.0, 3.0};
  settings.wind_noise = 1.0;
  settings.wind_period_s = 0.3;
  const Motion clip = motionOf(scene, 3.0, 30.0, [](double t, PoseView pose) {
    pose.locals[2].rotation = rotationAbout(Vec3(0, 1, 0), std::sin(3.0 * t));
  });
  const Motion baked = bake(scene, clip, settings).motion;
  double most = 0.0, moved = 0.0;
  for (std::size_t frame = 0; frame < baked.grid.frame_count; ++frame) {
    for (std::size_t node = 1; node <= 5; ++node) {
      const Quat animated = clip.localsOf(frame)[node].rotation;
      const Vec3 bone = animated * Vec3(0, -0.2, 0.05);
      most = std::max(most, twistAngle(baked.localsOf(frame)[node].rotation, animated, bone));
      moved = std::max(moved, angleBetween(baked.localsOf(frame)[node].rotation, animated));
    }
  }
  CHECK(most < 1e-6);
  CHECK(moved > 0.3);
}

TEST_CASE("a joint at a fork rotates by the mean of the arcs of its bones") {
  Scene scene;
  const int body = addNode(scene, "body", -1, Vec3(0));
  const int pivot = addNode(scene, "bone0", body, Vec3(0));
  const int left = addNode(scene, "left", pivot, Vec3(1, 0, 0));
  const int right = addNode(scene, "right", pivot, Vec3(0, 0, 1));
  DynamicBonesSettings settings = settingsFor("bone0", kReference);
  settings.chain[0].gravity_mps2 = -10.0;
  const Motion baked = bake(scene, stillMotion(scene, 0.1, 10.0), settings).motion;
  // Wanted: about -z and about +x, by atan(0.1) each; half the sum of both quaternions. Their axis
  // (1, 0, -1) is normal to (1, 0, 1), the sum of the bones, so that there is no twist to remove.
  const Quat a = rotationAbout(Vec3(0, 0, -1), std::atan(0.1));
  const Quat b = rotationAbout(Vec3(1, 0, 0), std::atan(0.1));
  const Quat mean = normalizedOrIdentity(a + b);
  const auto locals = baked.localsOf(1);
  CHECK(distance(locals[toSize(pivot)].rotation, mean) < 1e-14);
  CHECK(distance(pathOfNode(scene, baked, left)[1], mean * Vec3(1, 0, 0)) < 1e-14);
  CHECK(distance(pathOfNode(scene, baked, right)[1], mean * Vec3(0, 0, 1)) < 1e-14);
}

TEST_CASE("a chain bends from root to tip, each bone about its parent's new position") {
  Scene scene = chainScene(3, Vec3(1, 0, 0));
  DynamicBonesSettings settings = settingsFor("bone0", kReference);
  settings.chain[0].gravity_mps2 = -10.0;
  const Motion baked = bake(scene, stillMotion(scene, 0.1, 10.0), settings).motion;
  const Vec3 first = pathOfNode(scene, baked, 2)[1];
  CHECK(distance(first, Vec3(1, -0.1, 0) / std::sqrt(1.01)) < 1e-14);
  // The second: free step to (2, -0.1, 0), then length 1 from `first`.
  CHECK(distance(pathOfNode(scene, baked, 3)[1],
                 restoreLength(first, Vec3(2, -0.1, 0), 1.0, first)) < 1e-14);
}

TEST_CASE("at drag_fps the rate-independent step equals the published step") {
  const Vec3 now(0.3, 1.0, -0.2), before(0.28, 1.05, -0.25), pull(1.0, -9.81, 0.5);
  for (double drag : {0.0, 0.1, 0.5, 1.0}) {
    for (double hz : {24.0, 60.0, 240.0}) {
      const Vec3 published = verletStep(now, before, drag, pull, 1.0 / hz);
      CHECK(distance(rateFreeStep(now, before, drag, pull, 1.0 / hz, hz), published) < 1e-14);
    }
  }
  // Terminal speed a / (r f) at any step: a fall of 60 s in steps of 1/60 and of 1/24 s.
  for (double step_s : {1.0 / 60.0, 1.0 / 24.0}) {
    Vec3 at(0.0), last(0.0);
    for (double t = 0.0; t < 60.0; t += step_s) {
      const Vec3 next = rateFreeStep(at, last, 0.1, Vec3(0, -9.81, 0), step_s, 60.0);
      last = std::exchange(at, next);
    }
    CHECK((last.y - at.y) / step_s == nearTo(9.81 / (0.1 * 60.0), 1e-9));
  }
}

TEST_SUITE_END();
