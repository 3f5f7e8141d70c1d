// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Rods against the skin of the character.
#include <algorithm>
#include <cmath>

#include "core/portable_math.h"
#include "mesh/make_surface.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/skin/chain_skin.h"
#include "stages/dynamic_bones/skinned_scene.h"
#include "stages/dynamic_bones/swing_scene.h"

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;

TEST_SUITE_BEGIN("dynamic_bones.skin_contact");

namespace {

constexpr double kRadius_m = 0.15;
// Facets of a ball of 48 x 24 lie so far inside of the sphere.
constexpr double kFacet_m = 1e-3;

// A rod of six bones of 6 cm that hangs from 1.5 m, and a ball beside it on the node "leg".
Scene rodBesideBall(const Vec3& centre) {
  Scene scene = chainScene(7, Vec3(0, -0.06, 0), Vec3(0, 1.5, 0));
  const int leg = addNode(scene, "leg", 0, centre);
  addSkinned(scene, ballSurface(centre, kRadius_m, 48, 24), [&](const Vec3&) { return leg; });
  return scene;
}

// The ball moves along x by `path_m` and back in a second.
Motion kick(const Scene& scene, const Vec3& centre, double path_m) {
  const int leg = static_cast<int>(scene.skeleton.size()) - 1;
  return motionOf(scene, 1.0, 60.0, [=](double time_s, PoseView pose) {
    const double share = 0.5 - 0.5 * portable::cos(2.0 * kPi * time_s);
    pose.locals[toSize(leg)].translation = centre + Vec3(path_m * share, 0, 0);
  });
}

DynamicBonesSettings skirtLike(ColliderSource colliders) {
  DynamicBonesSettings settings = settingsFor("bone0", DynamicBonesMethod::kRod);
  settings.loop = LoopPolicy::kOff;
  settings.chain[0].droop_deg = 70.0;
  settings.chain[0].damping_ratio = 0.4;
  settings.colliders = colliders;
  return settings;
}

// How far the ends of the rod's bones are in the sphere, at most.
double maxPenetration_m(const Scene& scene, const Motion& motion) {
  const std::vector<Vec3> centres =
      pathOfNode(scene, motion, static_cast<int>(scene.skeleton.size()) - 1);
  double max_depth_m = -1.0;
  for (int node = 2; node <= 7; ++node) {
    const std::vector<Vec3> path = pathOfNode(scene, motion, node);
    for (std::size_t i = 0; i < path.size(); ++i) {
      max_depth_m = std::max(max_depth_m, kRadius_m - glm::length(path[i] - centres[i]));
    }
  }
  return max_depth_m;
}

}  // namespace

TEST_CASE("the distance from the skin of a ball is that from the sphere") {
  const Vec3 centre(0.1, 1.2, -0.3);
  const Surface ball = ballSurface(centre, kRadius_m, 48, 24);
  const ClosedSurface surface(ball.positions, ball.triangles);
  ClosedSurface::Posed posed(surface);
  posed.move(ball.positions);
  for (const Vec3& direction : {Vec3(1, 0, 0), Vec3(0, 0.6, 0.8), Vec3(-0.48, -0.6, 0.64)}) {
    for (const double from_centre_m : {0.03, 0.1, 0.149, 0.16, 0.3}) {
      CAPTURE(from_centre_m);
      const SkinDistance found = skinDistance(posed, centre + direction * from_centre_m, 1.0);
      CHECK(std::abs(found.distance_m - (from_centre_m - kRadius_m)) < 2.0 * kFacet_m);
      CHECK(glm::dot(found.away, direction) > 0.9);
    }
  }
  const SkinDistance far = skinDistance(posed, centre + Vec3(1, 0, 0), 0.25);
  CHECK(far.distance_m == 0.25);
}

TEST_CASE("a ball that kicks a hanging rod pushes it aside, and it does not enter the ball") {
  const Vec3 centre(-0.25, 1.3, 0.02);
  const Scene scene = rodBesideBall(centre);
  const Motion clip = kick(scene, centre, 0.3);
  const Motion through = bake(scene, clip, skirtLike(ColliderSource::kGiven)).motion;
  CHECK(maxPenetration_m(scene, through) > 0.1);
  const StageResult result = bake(scene, clip, skirtLike(ColliderSource::kSkin));
  CHECK(maxPenetration_m(scene, result.motion) < 2.0 * kFacet_m);
}

TEST_CASE("where the skin is far a rod moves as without it") {
  const Vec3 centre(-2.0, 1.3, 0.0);
  const Scene scene = rodBesideBall(centre);
  const Motion clip = kick(scene, centre, 0.3);
  DynamicBonesSettings free = skirtLike(ColliderSource::kGiven), skin = free;
  skin.colliders = ColliderSource::kSkin;
  free.preroll_s = 0.75;  // as long as chains come from the rest pose
  const Motion a = bake(scene, clip, free).motion, b = bake(scene, clip, skin).motion;
  for (int node = 2; node <= 7; ++node) {
    const auto path_a = pathOfNode(scene, a, node), path_b = pathOfNode(scene, b, node);
    for (std::size_t i = 0; i < path_a.size(); ++i) CHECK(distance(path_a[i], path_b[i]) < 1e-9);
  }
}

TEST_CASE("a rod that is in the ball in the first pose comes from the rest pose outside of it") {
  const Vec3 centre(-0.25, 1.3, 0.02);
  const Scene scene = rodBesideBall(centre);
  const int leg = static_cast<int>(scene.skeleton.size()) - 1;
  const Motion clip = motionOf(scene, 0.5, 60.0, [=](double, PoseView pose) {
    pose.locals[toSize(leg)].translation = centre + Vec3(0.3, 0, 0);
  });
  const StageResult result = bake(scene, clip, skirtLike(ColliderSource::kSkin));
  CHECK(maxPenetration_m(scene, result.motion) < 2.0 * kFacet_m);
  // It is on the side that the ball pushed it to.
  CHECK(pathOfNode(scene, result.motion, 7).front().x > 0.15);
}

TEST_CASE("the report counts vertices of a strip in the skin, before and after") {
  const Vec3 centre(-0.25, 1.3, 0.02);
  Scene scene = rodBesideBall(centre);
  Surface strip;
  for (int i = 0; i < 6; ++i) {
    const auto first = static_cast<std::uint32_t>(strip.positions.size());
    const double y = 1.47 - 0.06 * i;
    for (const double z : {-0.02, 0.02}) strip.positions.push_back(Vec3(0, y, z));
    if (i == 0) continue;
    for (const std::uint32_t index : {first - 2, first - 1, first, first - 1, first + 1, first}) {
      strip.triangles.push_back(index);
    }
  }
  addSkinned(scene, strip, [](const Vec3& p) { return 1 + static_cast<int>((1.5 - p.y) / 0.06); });
  const Motion clip = kick(scene, centre, 0.3);
  const StageResult result = bake(scene, clip, skirtLike(ColliderSource::kSkin));
  for (const Metric& metric : result.metrics) {
    if (metric.name == "skin_penetrating_percent") {
      CHECK(metric.before.value() > 10.0);
      CHECK(metric.after.value() < 0.5);
    }
    if (metric.name == "max_skin_penetration_mm") {
      CHECK(metric.before.value() > 50.0);
      CHECK(metric.after.value() < 2.0);
    }
  }
  CHECK(metric(result, "skin_penetrating_percent") < 0.5);
  // Chains can move all of its vertices.
  CHECK(metric(result, "movable_skin_penetrating_percent") ==
        metric(result, "skin_penetrating_percent"));
}

// Two vertices at the first joint and two beside the third bone; the ball comes over the joint.
Scene stripAtFirstJoint(const Vec3& centre) {
  Scene scene = rodBesideBall(centre);
  Surface strip;
  for (const double y : {1.5, 1.35}) {
    for (const double z : {-0.001, 0.001}) strip.positions.push_back(Vec3(0, y, z));
  }
  strip.triangles = {0, 1, 2, 1, 3, 2};
  addSkinned(scene, strip, [](const Vec3& p) { return p.y > 1.45 ? 1 : 3; });
  return scene;
}

TEST_CASE("vertices that no chain can bring out of the skin count in the whole alone") {
  const Vec3 centre(-0.4, 1.5, 0);
  const Scene scene = stripAtFirstJoint(centre);
  const Motion clip = kick(scene, centre, 0.35);
  DynamicBonesSettings settings = skirtLike(ColliderSource::kSkin);
  settings.move_first_joints = false;
  const StageResult result = bake(scene, clip, settings);
  // The joint is up to 100 mm inside the ball while the ball has gone more than 250 mm: in 36 % of
  // the time. Half of all vertices are there.
  CHECK(metric(result, "skin_penetrating_percent") == nearTo(18.0, 0.1));
  CHECK(metric(result, "max_skin_penetration_mm") == nearTo(100.0, 0.03));
  CHECK(metric(result, "movable_skin_penetrating_percent") < 1.0);
  CHECK(metric(result, "max_movable_skin_penetration_mm") < 2.0);
}

// The ball has a radius of 150 mm, and contacts a gap of 0.3 % of its size.
TEST_CASE("a first joint moves out of the skin by what its vertices are in it, and no farther") {
  constexpr double kGap_m = 0.003 * 2.0 * kRadius_m, kMax_m = 0.05 * 2.0 * kRadius_m;
  const Vec3 centre(-0.4, 1.5, 0);
  const Scene scene = stripAtFirstJoint(centre);
  for (const double path_m : {0.26, 0.35}) {
    CAPTURE(path_m);
    const Motion clip = kick(scene, centre, path_m);
    const StageResult result = bake(scene, clip, skirtLike(ColliderSource::kSkin));
    const std::vector<Vec3> joint_m = pathOfNode(scene, result.motion, 1);
    std::vector<double> needed_m;
    for (std::size_t i = 0; i < joint_m.size(); ++i) {
      const double share = 0.5 - 0.5 * portable::cos(2.0 * kPi * static_cast<double>(i) / 60.0);
      const double front_m = centre.x + kRadius_m + path_m * share;
      needed_m.push_back(std::clamp(front_m + kGap_m, 0.0, kMax_m));
    }
    const auto isNeeded = [&](std::size_t frame, std::size_t reach) {
      for (std::size_t i = 0; i < needed_m.size(); ++i) {
        if (needed_m[i] > 0.0 && i + reach >= frame && i <= frame + reach) return true;
      }
      return false;
    };
    double max_step_m = 0.0;
    for (std::size_t i = 0; i < joint_m.size(); ++i) {
      CHECK(joint_m[i].x > needed_m[i] - 2.0 * kFacet_m);
      CHECK(joint_m[i].x < kMax_m + 1e-9);
      // It moves out and back within 6 frames of 1/60 s.
      if (!isNeeded(i, 8)) CHECK(joint_m[i].x == 0.0);
      if (i > 0) max_step_m = std::max(max_step_m, std::abs(joint_m[i].x - joint_m[i - 1].x));
    }
    // A cosine over 7 frames has a slope of at most pi / 14 of its height in a frame.
    CHECK(max_step_m < kMax_m * kPi / 14.0 + kFacet_m);
    CHECK(metric(result, "max_first_joint_shift_mm") <= 1e3 * kMax_m * (1.0 + 1e-9));
    CHECK(result.motion.modified.has(1, TrackPath::kTranslation));
    CHECK_FALSE(result.motion.modified.has(2, TrackPath::kTranslation));
    if (path_m < 0.3) CHECK(metric(result, "skin_penetrating_percent") == 0.0);
  }
}

// The ball reaches the joint in the frames 1 to 5; 6 frames before them are partly those of the
// cycle before.
TEST_CASE("a first joint moves out of the skin over the seam of a cycle") {
  constexpr double kPeak_s = 3.0 / 60.0;
  const Vec3 centre(-0.4, 1.5, 0);
  const Scene scene = stripAtFirstJoint(centre);
  const int leg = static_cast<int>(scene.skeleton.size()) - 1;
  const Motion clip = motionOf(scene, 1.0, 60.0, [=](double time_s, PoseView pose) {
    const double share = 0.5 + 0.5 * portable::cos(2.0 * kPi * (time_s - kPeak_s));
    pose.locals[toSize(leg)].translation = centre + Vec3(0.2535 * share, 0, 0);
  });
  DynamicBonesSettings settings = skirtLike(ColliderSource::kSkin);
  settings.loop = LoopPolicy::kOn;
  const StageResult result = bake(scene, clip, settings);
  const std::vector<Vec3> joint_m = pathOfNode(scene, result.motion, 1);
  CHECK(joint_m[3].x > 3e-3);
  CHECK(joint_m.front().x > 1e-4);
  CHECK(joint_m.back().x == joint_m.front().x);
  CHECK(joint_m[58].x > 0.0);
  CHECK(joint_m[58].x < joint_m[59].x);
  CHECK(joint_m[40].x == 0.0);
}

TEST_CASE("a first joint that the skin does not reach keeps its translations") {
  const Vec3 centre(-0.4, 1.5, 0);
  const Scene scene = stripAtFirstJoint(centre);
  const Motion clip = kick(scene, centre, 0.2);
  const StageResult result = bake(scene, clip, skirtLike(ColliderSource::kSkin));
  CHECK_FALSE(result.motion.modified.has(1, TrackPath::kTranslation));
  for (std::size_t i = 0; i < clip.grid.frame_count; ++i) {
    CHECK(result.motion.localsOf(i)[1].translation == clip.localsOf(i)[1].translation);
  }
}

TEST_CASE("a chain whose colliders are none, or all but the skin, passes through it") {
  const Vec3 centre(-0.25, 1.3, 0.02);
  const Scene scene = rodBesideBall(centre);
  const Motion clip = kick(scene, centre, 0.3);
  for (const auto& colliders :
       {std::vector<std::string>{"none"}, std::vector<std::string>{"*", "!skin"}}) {
    DynamicBonesSettings settings = skirtLike(ColliderSource::kSkin);
    settings.chain[0].colliders = colliders;
    CHECK(maxPenetration_m(scene, bake(scene, clip, settings).motion) > 0.1);
  }
}

TEST_CASE("the skin is a collider for rods alone") {
  const Scene scene = rodBesideBall(Vec3(-0.25, 1.3, 0.02));
  DynamicBonesSettings settings = skirtLike(ColliderSource::kSkin);
  settings.method = DynamicBonesMethod::kSpring;
  CHECK(bakeError(scene, settings).code == ErrorCode::kUnsupported);
}

TEST_SUITE_END();
