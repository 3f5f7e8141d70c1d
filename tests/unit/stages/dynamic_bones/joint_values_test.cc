// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Values of single joints in place of those of their chains; jumps relative to a character's size.
#include <algorithm>
#include <cmath>

#include "checks.h"
#include "core/portable_math.h"
#include "stages/dynamic_bones/swing_scene.h"

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;

TEST_SUITE_BEGIN("dynamic_bones.joint_values");

namespace {

constexpr DynamicBonesMethod kSimulated[] = {DynamicBonesMethod::kRod, DynamicBonesMethod::kSpring,
                                             DynamicBonesMethod::kReference};

JointSettings valuesAt(const std::string& node) {
  JointSettings joint;
  joint.node = node;
  return joint;
}

// Two level bones of 0.2 m that sag under their weight.
const Scene kLevel = chainScene(3, Vec3(0.2, 0, 0), Vec3(0, 1, 0));

DynamicBonesSettings saggingRod() {
  DynamicBonesSettings settings = settingsFor("bone0", DynamicBonesMethod::kRod);
  settings.loop = LoopPolicy::kOff;
  settings.chain[0].rest_includes_gravity = false;
  settings.chain[0].droop_deg = 35.0;
  settings.chain[0].damping_ratio = 1.0;
  return settings;
}

// Angles of the two bones below the level, at rest.
struct Sag {
  double first = 0.0, second = 0.0;
};

Sag sagOf(const DynamicBonesSettings& settings) {
  const Motion motion = bake(kLevel, stillMotion(kLevel, 15.0, 30.0), settings).motion;
  const Vec3 a = pathOfNode(kLevel, motion, 1).back(), b = pathOfNode(kLevel, motion, 2).back(),
             c = pathOfNode(kLevel, motion, 3).back();
  return {std::atan2(a.y - b.y, b.x - a.x), std::atan2(b.y - c.y, c.x - b.x)};
}

double momentOf(double bend) { return 2.0 * std::tan(bend / 2.0); }

// Two chains that fall onto one sphere, 1 cm to either side of its middle.
Scene twoChains() {
  Scene scene = chainScene(7, Vec3(0.05, 0, 0), Vec3(0, 1.5, 0.01));
  int parent = 0;
  for (int i = 0; i < 7; ++i) {
    parent = addNode(scene, "side" + std::to_string(i), parent,
                     i == 0 ? Vec3(0, 1.5, -0.01) : Vec3(0.05, 0, 0));
  }
  return scene;
}

const Vec3 kSphere_m(0.15, 1.38, 0.0);
constexpr double kRadius_m = 0.08;

DynamicBonesSettings overSphere(DynamicBonesMethod method) {
  DynamicBonesSettings settings = settingsFor("bone0", method);
  settings.loop = LoopPolicy::kOff;
  settings.chain[0].frequency_hz = 0.3;
  settings.chain[0].rest_includes_gravity = false;
  settings.chain.push_back(settings.chain[0]);
  settings.chain[1].root = "side0";
  ColliderSettings sphere;
  sphere.node = "body";
  sphere.offset_m = {kSphere_m.x, kSphere_m.y, kSphere_m.z};
  sphere.radius_m = kRadius_m;
  settings.collider.push_back(sphere);
  return settings;
}

// How near the joints of a chain whose first node is `first` come to the center of the sphere.
double nearestOf(const Scene& scene, const Motion& motion, int first) {
  double nearest_m = 1.0;
  for (int node = first; node < first + 7; ++node) {
    for (const Vec3& point : pathOfNode(scene, motion, node)) {
      nearest_m = std::min(nearest_m, glm::length(point - kSphere_m));
    }
  }
  return nearest_m;
}

// A body of that size whose position jumps by `move_m` at one second.
std::size_t teleportsOf(double size_m, double move_m) {
  const Scene scene = chainScene(6, Vec3(0, -0.2 * size_m, 0));
  const Motion clip = motionOf(scene, 2.0, 30.0, [=](double t, PoseView pose) {
    pose.locals[0].translation.x = t < 1.0 ? 0.0 : std::min(1.0, (t - 1.0) * 30.0) * move_m;
  });
  const auto settings = settingsFor("bone0", DynamicBonesMethod::kSpring);
  return bake(scene, clip, settings).warnings.count("teleport");
}

}  // namespace

TEST_CASE("a rod whose half is stiffened joint by joint is the rod of that stiffness") {
  const Scene scene = chainScene(9, Vec3(0, -0.05, 0), Vec3(0, 1, 0));
  const Motion clip = motionOf(scene, 2.0, 60.0, [](double t, PoseView pose) {
    pose.locals[0].translation.x = 0.3 * portable::sin(6.0 * t);
  });
  DynamicBonesSettings uniform = settingsFor("bone0", DynamicBonesMethod::kRod);
  uniform.chain[0].droop_deg = 60.0;
  DynamicBonesSettings curved = uniform, by_joint = uniform;
  curved.chain[0].stiffness = Curve(std::vector<Curve::Point>{{3.1 / 8.0, 1.0}, {3.9 / 8.0, 20.0}});
  for (int i = 4; i < 8; ++i) {
    by_joint.joint.push_back(valuesAt("bone" + std::to_string(i)));
    by_joint.joint.back().stiffness = 20.0;
  }
  const auto tip = pathOfNode(scene, bake(scene, clip, by_joint).motion, 9);
  const auto expected = pathOfNode(scene, bake(scene, clip, curved).motion, 9);
  const auto other = pathOfNode(scene, bake(scene, clip, uniform).motion, 9);
  double off_m = 0.0;
  for (std::size_t i = 0; i < tip.size(); ++i) {
    CHECK(distance(tip[i], expected[i]) < 1e-12);
    off_m = std::max(off_m, distance(tip[i], other[i]));
  }
  CHECK(off_m > 2e-3);
}

TEST_CASE("bends of a rod at rest are those of the moments over the stiffness of each joint") {
  for (double stiffness : {0.25, 1.0, 6.0}) {
    CAPTURE(stiffness);
    DynamicBonesSettings settings = saggingRod();
    settings.joint = {valuesAt("bone1")};
    settings.joint[0].stiffness = stiffness;
    const Sag sag = sagOf(settings);
    // Weights at the middles of the bones; the clamped joint bends half a bone, the other a whole.
    const double at_second = 0.5 * std::cos(sag.second);
    const double at_first = 1.5 * std::cos(sag.first) + at_second;
    const double bends = momentOf(sag.second - sag.first) / momentOf(sag.first);
    CHECK(sag.first > 0.1);
    CHECK(bends == nearTo(2.0 / stiffness * at_second / at_first, 1e-4));
  }
}

TEST_CASE("gravity of a rod varies linearly from the end of one bone to that of the next") {
  DynamicBonesSettings settings = saggingRod();
  settings.joint = {valuesAt("bone1")};
  settings.joint[0].gravity_mps2 = 0.0;
  const Sag sag = sagOf(settings);
  // Of the second bone: full weight at its head, none at its end, so half of the force, at a third.
  const double at_second = std::cos(sag.second) / 6.0;
  const double at_first = std::cos(sag.first) * (0.5 + 0.5) + at_second;
  const double bends = momentOf(sag.second - sag.first) / momentOf(sag.first);
  CHECK(sag.first > 0.1);
  CHECK(bends == nearTo(2.0 * at_second / at_first, 1e-3));
}

TEST_CASE("joints whose list of colliders is empty go through them, those beside them do not") {
  const Scene scene = twoChains();
  const Motion clip = stillMotion(scene, 3.0, 60.0);
  for (DynamicBonesMethod method : kSimulated) {
    CAPTURE(static_cast<int>(method));
    for (const std::vector<std::string>& list :
         {std::vector<std::string>{}, std::vector<std::string>{"none"}}) {
      DynamicBonesSettings settings = overSphere(method);
      settings.joint = {valuesAt("bone*")};
      settings.joint[0].colliders = list;
      const Motion motion = bake(scene, clip, settings).motion;
      CHECK(nearestOf(scene, motion, 1) < kRadius_m - 0.01);
      CHECK(nearestOf(scene, motion, 8) > kRadius_m - 1.5e-3);
    }
  }
}

TEST_CASE("of several values for a joint the last one counts, and unset ones are the chain's") {
  DynamicBonesSettings settings = saggingRod();
  settings.joint = {valuesAt("bone*"), valuesAt("bone1")};
  settings.joint[0].stiffness = 6.0;
  settings.joint[1].stiffness = 1.0;
  settings.joint[0].colliders = {"none"};
  DynamicBonesSettings other = saggingRod();
  other.joint = {valuesAt("bone0")};
  other.joint[0].stiffness = 6.0;
  const Sag both = sagOf(settings), one = sagOf(other);
  CHECK(both.first == one.first);
  CHECK(both.second == one.second);
}

TEST_CASE("values of joints and colliders that do not exist are errors") {
  DynamicBonesSettings settings = overSphere(DynamicBonesMethod::kRod);
  const Scene scene = twoChains();
  settings.joint = {valuesAt("bone11")};
  CHECK(bakeError(scene, settings).code == ErrorCode::kNotFound);
  settings.joint = {valuesAt("bone1")};
  settings.joint[0].colliders = {"bodi"};
  const Error error = bakeError(scene, settings);
  CHECK(error.code == ErrorCode::kNotFound);
  CHECK(error.remedy == "did you mean 'body'?");
}

TEST_CASE("a move counts as a teleport by its length over the character's size") {
  for (double size_m : {0.01, 1.0, 40.0}) {
    CAPTURE(size_m);
    CHECK(teleportsOf(size_m, 0.4 * size_m) == 0);
    CHECK(teleportsOf(size_m, 0.8 * size_m) == 1);
  }
}
