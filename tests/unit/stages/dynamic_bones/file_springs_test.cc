// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/chains/file_springs.h"

#include <cmath>

#include "checks.h"
#include "stages/dynamic_bones/chains/stepwise_spring.h"

using namespace clipmill;
using namespace clipmill::stages::dynamic_bones;
using clipmill::test::distance;

TEST_SUITE_BEGIN("dynamic_bones.file_springs");

namespace {

// Hips > Head > A > B > C > D, 0.1 m apart along x, in a file of centimetres; Arm below Hips, its
// axes twice as long.
Scene hairScene() {
  Scene scene;
  scene.metric_from_file.linear = Mat3(0.01);
  const char* names[] = {"Hips", "Head", "A", "B", "C", "D", "Arm"};
  for (int i = 0; i < 7; ++i) {
    Node node;
    node.name = names[i];
    node.source_id = i;
    node.parent = i == 6 ? 0 : i - 1;
    node.rest.translation = Vec3(10, 0, 0);
    if (i == 6) node.rest.scale = Vec3(2.0);
    scene.skeleton.nodes.push_back(node);
  }
  scene.springs.kind = SpringSetup::Kind::kVrm1;
  return scene;
}

SpringJoint jointAt(int node, double stiffness = 1.0, double drag = 0.4) {
  SpringJoint joint;
  joint.node = node;
  joint.stiffness = stiffness;
  joint.drag = drag;
  return joint;
}

SpringChain chainOf(std::vector<SpringJoint> joints) {
  SpringChain chain;
  chain.joints = std::move(joints);
  return chain;
}

struct Added {
  DynamicBonesSettings settings;
  std::vector<std::string> notes;

  const ChainSettings& chain() const {
    REQUIRE(settings.chain.size() == 1);
    return settings.chain[0];
  }
  std::string note(std::size_t index) const {
    REQUIRE(notes.size() > index);
    return notes[index];
  }
};

Added add(const Scene& scene) {
  Added added;
  const auto notes = addFileSprings(scene, added.settings);
  CHECK_OK(notes);
  added.notes = *notes;
  return added;
}

ErrorCode refusedSettings(const std::string& key, const std::string& text,
                          const std::string& part) {
  Scene scene = hairScene();
  scene.node_settings.push_back({2, "dynbone", {{key, text}}});
  DynamicBonesSettings settings;
  const auto notes = addFileSprings(scene, settings);
  REQUIRE(!notes.ok());
  const std::string sentence = describe(notes.error());
  CAPTURE(sentence);
  CHECK(sentence.find("node 'A'") != std::string::npos);
  CHECK(sentence.find(part) != std::string::npos);
  return notes.error().code;
}

}  // namespace

TEST_CASE("a scene without springs adds no chains and no notes") {
  const Added added = add(hairScene());
  CHECK(added.settings.chain.empty());
  CHECK(added.notes.empty());
}

TEST_CASE("frequency and damping match one step of 1/60 s for the length of the bone") {
  Scene scene = hairScene();
  scene.springs.chains = {chainOf({jointAt(2), jointAt(3), jointAt(4)})};
  const Added added = add(scene);
  const ChainSettings& chain = added.chain();
  CHECK(chain.joints == std::vector<std::string>{"A", "B", "C"});
  CHECK(chain.root.empty());
  CHECK(chain.tip_length == 0.0);
  CHECK_FALSE(chain.rest_includes_gravity);
  CHECK(chain.colliders == std::vector<std::string>{"none"});
  // By hand: e = (1/60)/(0.1 + 1/60) = 1/7, r = 0.4; z^2 - (48/35) z + 18/35 = 0 has complex roots
  // 0.6857 +- 0.2100i, ln z = -0.33249 +- 0.29712i, so w = 60 |ln z| = 26.754.
  CHECK(chain.frequency_hz.points.size() == 1);
  CHECK(chain.frequency_hz.at(0) * 2.0 == test::nearTo(26.754 / (2.0 * kPi), 1e-4));
  // A push of 1 m a step weighs 6 w^2 = 4294.7 m/s^2; air drag 0.4/60 of that, and of all damping,
  // -60 ln(18/35) = 39.90, the rest is relative to the pose.
  CHECK(chain.air_drag_per_s.at(0) == test::nearTo(28.631, 1e-4));
  CHECK(chain.damping_ratio.at(0) == test::nearTo(0.2106, 1e-3));
  CHECK(chain.gravity_mps2 == Curve(0.0));
  CHECK(added.note(0).find("1 spring of VRM 1.0: 3 joints") == 0);
}

TEST_CASE("values of joints become curves over depth") {
  Scene scene = hairScene();
  SpringJoint a = jointAt(2, 0.0, 0.2), b = jointAt(4, 0.0, 0.6);  // B is skipped
  a.hit_radius = 2.0;
  b.hit_radius = 1.0;
  scene.springs.chains = {chainOf({a, b, jointAt(5)})};
  const Added added = add(scene);
  const ChainSettings& chain = added.chain();
  CHECK(chain.joints == std::vector<std::string>{"A", "C", "D"});
  REQUIRE(chain.radius_m.points.size() == 2);
  CHECK(chain.radius_m.points[0].depth == doctest::Approx(2.0 / 3.0));
  CHECK(chain.radius_m.points[0].value == doctest::Approx(0.02));
  CHECK(chain.radius_m.points[1].value == doctest::Approx(0.01));
  CHECK(chain.air_drag_per_s.at(0.0) == doctest::Approx(-60 * std::log(0.8)));
  CHECK(chain.air_drag_per_s.at(1.0) == doctest::Approx(-60 * std::log(0.4)));
}

TEST_CASE("a horizontal bone sags by the ratio of gravity to stiffness") {
  Scene scene = hairScene();
  SpringJoint joint = jointAt(2, 2.0, 0.3);
  joint.gravity_power = 0.5;
  scene.springs.chains = {chainOf({joint, jointAt(3)})};
  const Added added = add(scene);
  const ChainSettings& chain = added.chain();
  // tan(sag) = g/(w^2 L) = gravity_power/stiffness.
  const double w = 2.0 * kPi * chain.frequency_hz.at(1.0);
  CHECK(chain.gravity_mps2.at(1.0) / (w * w * 0.1) == doctest::Approx(-0.25));
}

TEST_CASE("sideways gravity is dropped with a note") {
  Scene scene = hairScene();
  SpringJoint joint = jointAt(2, 0.0, 0.0);
  joint.gravity_power = 0.5;
  joint.gravity_dir = Vec3(0.6, 0.8, 0.0);
  scene.springs.chains = {chainOf({joint, jointAt(3)})};
  const Added added = add(scene);
  CHECK(added.chain().frequency_hz == Curve(0.0));
  CHECK(added.chain().gravity_mps2.at(0) == doctest::Approx(60.0 * 0.5 * 0.8));
  CHECK(added.note(1).find("1 bone with sideways gravity") == 0);
}

TEST_CASE("a chain does not react to the motion of its center") {
  Scene scene = hairScene();
  scene.springs.chains = {chainOf({jointAt(2), jointAt(3)})};
  scene.springs.chains[0].center = 0;
  const Added added = add(scene);
  CHECK(added.chain().inertia_node == "Hips");
  CHECK(added.chain().inertia_translation == 0.0);
  CHECK(added.chain().inertia_rotation == 0.0);
}

TEST_CASE("the virtual tip of VRM 0.x is a bone of 0.07 m") {
  Scene scene = hairScene();
  scene.springs.kind = SpringSetup::Kind::kVrm0;
  scene.springs.chains = {chainOf({jointAt(4), jointAt(5)}), chainOf({jointAt(3)})};
  for (SpringChain& chain : scene.springs.chains) chain.tail_length_m = 0.07;
  const Added added = add(scene);
  REQUIRE(added.settings.chain.size() == 2);
  CHECK(added.settings.chain[0].tip_length == doctest::Approx(0.7));
  CHECK(added.settings.chain[1].tip_length == doctest::Approx(0.7));
  CHECK(added.settings.chain[1].joints == std::vector<std::string>{"B"});
  const double pull_m = 1.0 / 60.0;
  const double own_hz =
      stages::dynamic_bones::equivalentSpring({0.4, pull_m / (0.07 + pull_m), 60.0}).frequency_hz;
  CHECK(added.settings.chain[1].frequency_hz.at(1.0) == doctest::Approx(own_hz));
  CHECK(added.settings.chain[0].frequency_hz.at(1.0) == doctest::Approx(own_hz * 0.07 / 0.17));
  CHECK(added.note(0).find("2 springs of VRM 0.x: 3 joints") == 0);
}

TEST_CASE("colliders are in metres along the axes of their node, lists follow the groups") {
  Scene scene = hairScene();
  SpringCollider ball;
  ball.node = 6;
  ball.offset = Vec3(1, 2, 3);
  ball.radius = 5.0;
  SpringCollider capsule = ball;
  capsule.kind = SpringCollider::Kind::kCapsule;
  capsule.tail = Vec3(0, 4, 0);
  capsule.inside = true;
  SpringCollider plane = ball;
  plane.kind = SpringCollider::Kind::kPlane;
  plane.normal = Vec3(0, 1, 0);
  scene.springs.colliders = {ball, capsule, plane};
  scene.springs.groups = {{"One", {2, 0}}, {"Two", {1}}, {"Three", {0}}};
  scene.springs.chains = {chainOf({jointAt(2), jointAt(3)})};
  scene.springs.chains[0].collider_groups = {0, 2};
  const Added added = add(scene);
  REQUIRE(added.settings.collider.size() == 3);
  const ColliderSettings& first = added.settings.collider[0];
  CHECK(first.node == "Arm");
  CHECK(first.shape == ColliderShape::kSphere);
  CHECK(distance(Vec3(first.offset_m[0], first.offset_m[1], first.offset_m[2]),
                 Vec3(0.02, 0.04, 0.06)) < 1e-15);
  CHECK(first.radius_m == doctest::Approx(0.1));
  CHECK(added.settings.collider[1].shape == ColliderShape::kCapsule);
  CHECK(added.settings.collider[1].inside);
  CHECK(added.settings.collider[1].tail_m[1] == doctest::Approx(0.08));
  CHECK(added.settings.collider[2].shape == ColliderShape::kPlane);
  CHECK(added.settings.collider[2].normal == std::vector<double>{0, 1, 0});
  CHECK(added.chain().colliders ==
        std::vector<std::string>{first.name, added.settings.collider[2].name});
}

TEST_CASE("a collider may be on a joint, a center may not") {
  Scene scene = hairScene();
  SpringCollider ball;
  ball.node = 5;  // below the last joint
  scene.springs.colliders = {ball};
  scene.springs.groups = {{"", {0}}};
  scene.springs.chains = {chainOf({jointAt(2), jointAt(3)})};
  scene.springs.chains[0].collider_groups = {0};
  scene.springs.chains[0].center = 4;
  const Added added = add(scene);
  REQUIRE(added.settings.collider.size() == 1);
  CHECK(added.chain().colliders == std::vector<std::string>{added.settings.collider[0].name});
  CHECK(added.chain().inertia_node == std::nullopt);
  CHECK(added.chain().inertia_translation == 1.0);
  CHECK(added.note(1).find("1 spring with a center") == 0);
}

TEST_CASE("a collider with values that are too large is left out with a note") {
  Scene scene = hairScene();
  SpringCollider ball;
  ball.offset = Vec3(1e308, 0, 0);
  ball.node = 6;
  ball.radius = 1e300;
  scene.springs.colliders = {ball};
  scene.springs.groups = {{"", {0}}};
  scene.springs.chains = {chainOf({jointAt(2), jointAt(3)})};
  scene.springs.chains[0].collider_groups = {0};
  const Added added = add(scene);
  CHECK(added.settings.collider.empty());
  CHECK(added.chain().colliders == std::vector<std::string>{"none"});
  CHECK(added.note(1).find("1 collider with values") == 0);
}

TEST_CASE("limits of joints become one limit of the chain, with angles over depth") {
  Scene scene = hairScene();
  SpringJoint a = jointAt(2), b = jointAt(3);
  a.limit = {AngleLimit::Kind::kSpherical, kPi / 6, kPi / 4, rotationAbout(Vec3(0, 1, 0), 0.5)};
  scene.springs.chains = {chainOf({a, b, jointAt(4)})};
  Added added = add(scene);
  CHECK(added.chain().limit == LimitShape::kSpherical);
  CHECK(added.chain().limit_deg.at(0.5) == doctest::Approx(30.0));
  CHECK(added.chain().limit_deg.at(1.0) == doctest::Approx(180.0));
  CHECK(added.chain().limit_yaw_deg.at(0.5) == doctest::Approx(45.0));
  CHECK(added.chain().limit_rotation_deg[1] == doctest::Approx(0.5 / kDegree));
  REQUIRE(added.notes.size() == 2);
  CHECK(added.notes[1].find("draft") != std::string::npos);

  b.limit.kind = AngleLimit::Kind::kCone;
  scene.springs.chains = {chainOf({a, b, jointAt(4)})};
  added = add(scene);
  CHECK(added.chain().limit == LimitShape::kSpherical);
  CHECK(added.notes.size() == 3);
}

TEST_CASE("a spring with all joints at one position is left out with a note") {
  Scene scene = hairScene();
  scene.skeleton.nodes[3].rest.translation = Vec3(0.0);
  scene.springs.chains = {chainOf({jointAt(2), jointAt(3)})};
  const Added added = add(scene);
  CHECK(added.settings.chain.empty());
  CHECK(added.note(1).find("1 spring in which no bone") == 0);
}

TEST_CASE("extras.dynbone of a node is a chain that starts there") {
  Scene scene = hairScene();
  scene.node_settings = {{2, "dynbone", {{"damping_ratio", "0:0.5,1:0.25"}, {"frequency_hz", "3"}}},
                         {3, "other", {{"no", "matter"}}}};
  const Added added = add(scene);
  CHECK(added.chain().root == "A");
  CHECK(added.chain().frequency_hz == Curve(3.0));
  CHECK(added.chain().damping_ratio == Curve({{0, 0.5}, {1, 0.25}}));
  CHECK(added.note(0) == "1 chain of extras.dynbone");
}

TEST_CASE("unknown keys of extras.dynbone are errors with the nearest name") {
  CHECK(refusedSettings("frequncy_hz", "3", "did you mean 'frequency_hz'?") == ErrorCode::kRecipe);
  CHECK(refusedSettings("frequency_hz", "fast", "needs a number") == ErrorCode::kRecipe);
  CHECK(refusedSettings("frequency_hz", "-1", "outside") == ErrorCode::kRecipe);
  CHECK(refusedSettings("root", "B", "remove the key") == ErrorCode::kRecipe);
}

TEST_SUITE_END();
