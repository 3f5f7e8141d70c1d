// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// New joints and weights in a scene.
#include "checks.h"
#include "mesh/skinning.h"
#include "scene/additions.h"

TEST_SUITE_BEGIN("scene.added_joints");

namespace {

using namespace clipmill;
using namespace clipmill::test;

// A root, a joint one unit above it, and a node with two meshes of two vertices each that share the
// skin of the joint. The clip moves the joint along x.
Scene jointedScene() {
  Scene scene;
  for (const char* name : {"Root", "Joint", "Body"}) {
    Node node;
    node.name = name;
    node.source_id = static_cast<int>(scene.skeleton.size());
    node.parent = node.source_id - 1 > 0 ? 0 : node.source_id - 1;
    scene.skeleton.nodes.push_back(node);
  }
  scene.skeleton.nodes[1].rest.translation = Vec3(0, 1, 0);
  scene.skins.push_back({"skin", {1}, {{Mat3(1.0), Vec3(0, -1, 0)}}});
  for (const double height : {1.0, 2.0}) {
    SkinnedMesh mesh;
    mesh.node = 2;
    mesh.skin = 0;
    mesh.primitive = static_cast<int>(scene.meshes.size());
    mesh.positions = {Vec3(0, height, 0), Vec3(1, height, 0)};
    mesh.influence_start = {0, 1, 2};
    mesh.influences = {{0, 1.0}, {0, 1.0}};
    scene.meshes.push_back(mesh);
  }
  Track track;
  track.node = 1;
  track.times_s = std::make_shared<const std::vector<double>>(std::vector<double>{0.0, 1.0});
  track.values = {0, 1, 0, 4, 1, 0};
  Clip clip;
  clip.end_s = 1.0;
  clip.fps = 2.0;
  clip.animated = TrackMask(3);
  clip.animated.set(1, TrackPath::kTranslation);
  clip.source = keyframeSource(scene.skeleton, {track});
  scene.clips.push_back(clip);
  return scene;
}

Transform at(const Vec3& position) { return {position, kIdentityRotation, Vec3(1.0)}; }

// A joint on the joint and one on that, of which the last vertex of all is moved by a half each.
Additions twoJoints() {
  Additions additions;
  additions.joints = {{"Helper", 1, at(Vec3(0, 1, 0))}, {"", 3, at(Vec3(2, 0, 0))}};
  AddedWeights weights;
  weights.node = 2;
  weights.influence_start = {0, 1, 2, 3, 5};
  weights.influences = {{1, 1.0}, {1, 1.0}, {1, 1.0}, {3, 0.5}, {4, 0.5}};
  weights.joints = {3, 4};
  weights.joint_from_bind = {{Mat3(1.0), Vec3(0, -2, 0)}, {Mat3(1.0), Vec3(-2, -2, 0)}};
  additions.weights = {weights};
  return additions;
}

bool areSame(const SkinnedMesh& a, const SkinnedMesh& b) {
  const auto same = [](const Influence& x, const Influence& y) {
    return x.joint == y.joint && x.weight == y.weight;
  };
  return a.influence_start == b.influence_start &&
         std::equal(a.influences.begin(), a.influences.end(), b.influences.begin(),
                    b.influences.end(), same);
}

}  // namespace

TEST_CASE("Empty additions change nothing") {
  const Scene before = jointedScene();
  CHECK_OK(checkAdditions(before, {}));
  const Scene after = withAdditions(before, Additions());
  CHECK(after.skeleton.size() == 3);
  CHECK(after.skins[0].joints == before.skins[0].joints);
  CHECK(areSame(after.meshes[1], before.meshes[1]));
  CHECK(after.clips[0].source == before.clips[0].source);
}

TEST_CASE("New joints follow all nodes, and clips leave them at rest") {
  const Scene before = jointedScene();
  CHECK_OK(checkAdditions(before, twoJoints()));
  const Scene after = withAdditions(before, twoJoints());
  REQUIRE(after.skeleton.size() == 5);
  CHECK(after.skeleton.nodes[3].name == "Helper");
  CHECK(after.skeleton.nodes[4].name == "joint_0");
  CHECK(after.skeleton.nodes[4].parent == 3);
  CHECK(after.skeleton.nodes[4].source_id == 4);
  CHECK_FALSE(after.skeleton.nodes[4].euler);
  CHECK(after.skins[0].joints == std::vector<int>{1, 3, 4});
  const Motion motion = sampleClip(after.skeleton, after.clips[0], 0, makeGrid(0.0, 1.0, 2.0));
  CHECK(motion.localsOf(1)[1].translation == Vec3(2, 1, 0));
  CHECK(motion.localsOf(1)[4].translation == Vec3(2, 0, 0));
  CHECK(after.clips[0].animated.has(1, TrackPath::kTranslation));
  CHECK_FALSE(after.clips[0].animated.any(4));
}

TEST_CASE("A vertex follows new joints as it does when skinned by hand") {
  const Scene after = withAdditions(jointedScene(), twoJoints());
  Pose pose = restPose(after.skeleton);
  pose.locals[3].rotation = rotationAbout(Vec3(0, 0, 1), kPi / 2);
  pose.locals[4].translation = Vec3(2, 0, 3);
  std::vector<Affine> worlds;
  computeWorlds(after.skeleton, pose.locals, {}, worlds);
  PosedVertices posed;
  poseMesh(after.meshes[1], &after.skins[0], worlds, {}, posed);
  CHECK(distance(posed.positions[0], Vec3(0, 2, 0)) < 1e-15);
  // Helper rotates about (0, 2, 0) by 90 degrees: (1, 2, 0) goes to (0, 3, 0). Its child moves with
  // it and by 3 along z.
  CHECK(distance(posed.positions[1], Vec3(0, 3, 1.5)) < 1e-15);
}

TEST_CASE("A motion gets new joints at rest") {
  const Scene before = jointedScene();
  const Scene after = withAdditions(before, twoJoints());
  Motion motion = sampleClip(before.skeleton, before.clips[0], 0, makeGrid(0.0, 1.0, 2.0));
  motion.modified = TrackMask(3);
  motion.modified.set(1, TrackPath::kRotation);
  const Motion wide = withAdditions(before.skeleton, after.skeleton, motion);
  REQUIRE(wide.node_count == 5);
  REQUIRE(wide.locals.size() == 15);
  CHECK(wide.localsOf(2)[1].translation == Vec3(4, 1, 0));
  CHECK(wide.localsOf(2)[3] == twoJoints().joints[0].rest);
  CHECK(wide.modified.has(1, TrackPath::kRotation));
  CHECK(wide.modified.size() == 5);
  MotionCursor cursor(after.skeleton, wide);
  CHECK(cursor.at(0.25).locals[1].translation == Vec3(1, 1, 0));
  CHECK(cursor.at(0.25).locals[4].translation == Vec3(2, 0, 0));
}

TEST_CASE("Joints and weights of two stages are combined") {
  const Scene before = jointedScene();
  Additions second;
  second.joints = {{"Third", 4, at(Vec3(0, 0, 1))}};
  second.weights = twoJoints().weights;
  second.weights[0].influences[0] = {5, 1.0};
  second.weights[0].joints = {5};
  second.weights[0].joint_from_bind = {{Mat3(1.0), Vec3(-2, -2, -1)}};
  const Scene once = withAdditions(before, twoJoints());
  CHECK_OK(checkAdditions(once, second));
  const Scene twice = withAdditions(once, second);
  Additions all = twoJoints();
  append(second, all);
  CHECK_OK(checkAdditions(before, all));
  const Scene together = withAdditions(before, all);
  REQUIRE(together.skeleton.size() == 6);
  CHECK(together.skeleton.nodes[5].name == twice.skeleton.nodes[5].name);
  CHECK(together.skins[0].joints == std::vector<int>{1, 3, 4, 5});
  CHECK(together.skins[0].joints == twice.skins[0].joints);
  for (std::size_t m = 0; m < 2; ++m) CHECK(areSame(together.meshes[m], twice.meshes[m]));
  CHECK(together.meshes[0].influences[0].joint == 3);
}

TEST_CASE("A child of a joint with Euler angles has Euler angles too") {
  Scene scene = jointedScene();
  scene.skeleton.nodes[1].euler.emplace();
  const Skeleton after = withAdditions(scene.skeleton, twoJoints());
  CHECK(after.nodes[3].euler);
  CHECK(after.nodes[4].euler);
}

TEST_CASE("Joints and weights that do not fit are reported") {
  const Scene scene = jointedScene();
  const auto refused = [&](auto change) {
    Additions additions = twoJoints();
    change(additions, additions.weights[0]);
    return !checkAdditions(scene, additions).ok();
  };
  CHECK_FALSE(refused([](Additions&, AddedWeights&) {}));
  CHECK(refused([](Additions& a, AddedWeights&) { a.joints[0].parent = 3; }));
  CHECK(refused([](Additions& a, AddedWeights&) { a.joints[0].parent = -1; }));
  CHECK(refused([](Additions& a, AddedWeights&) { a.joints[0].rest.scale.x = NAN; }));
  CHECK(refused([](Additions& a, AddedWeights& w) { a.weights.push_back(w); }));
  CHECK(refused([](Additions&, AddedWeights& w) { w.node = 1; }));
  CHECK(refused([](Additions&, AddedWeights& w) { w.joints[0] = 5; }));
  CHECK(refused([](Additions&, AddedWeights& w) { w.joints[0] = 1; }));
  CHECK(refused([](Additions&, AddedWeights& w) { w.joint_from_bind.pop_back(); }));
  CHECK(refused([](Additions&, AddedWeights& w) { w.joint_from_bind[0].translation.x = NAN; }));
  CHECK(refused([](Additions&, AddedWeights& w) { w.influence_start.pop_back(); }));
  CHECK(refused([](Additions&, AddedWeights& w) { w.influence_start[1] = 6; }));
  CHECK(refused([](Additions&, AddedWeights& w) { w.influences[0].node = 0; }));
  CHECK(refused([](Additions&, AddedWeights& w) { w.influences[0].node = 5; }));
  CHECK(refused([](Additions&, AddedWeights& w) { w.influences[4].node = 3; }));
  CHECK(refused([](Additions&, AddedWeights& w) { w.influences[0].weight = 0.9; }));
  CHECK(refused([](Additions&, AddedWeights& w) { w.influences[3].weight = NAN; }));
  Scene unskinned = scene;
  unskinned.meshes[1].skin = -1;
  CHECK_FALSE(checkAdditions(unskinned, twoJoints()).ok());
  Scene twice = scene;
  twice.skins[0].joints.push_back(1);
  twice.skins[0].joint_from_bind.emplace_back();
  CHECK_FALSE(checkAdditions(twice, twoJoints()).ok());
}

TEST_CASE("More than four influences a vertex are refused") {
  Scene scene = jointedScene();
  scene.skins[0].joints = {0, 1, 2};
  scene.skins[0].joint_from_bind.resize(3);
  Additions additions = twoJoints();
  AddedWeights& weights = additions.weights[0];
  weights.influence_start = {0, 1, 2, 3, 8};
  weights.influences.resize(3);
  for (int node = 0; node < 5; ++node) weights.influences.push_back({node, 0.2});
  CHECK_FALSE(checkAdditions(scene, additions).ok());
}
