// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/plain_scene.h"

#include "anim/clip.h"
#include "anim/pose.h"
#include "checks.h"
#include "io/imported/full_scene.h"
#include "mesh/skinning.h"
#include "scene/stick_mesh.h"

TEST_SUITE_BEGIN("scene.plain_scene");

namespace {

using namespace clipmill;
using namespace clipmill::io::imported;
using namespace clipmill::test;

// In centimetres, z up, rotated and moved; the root is scaled, which must not affect the rest.
io::imported::ImportedScene oddScene() {
  io::imported::ImportedScene imported = fullScene();
  imported.scene.metric_from_file = {Mat3(1, 0, 0, 0, 0, -1, 0, 1, 0), Vec3(5, 6, 7)};
  imported.scene.metric_from_file.linear *= 0.01;
  imported.scene.skeleton.nodes[0].rest = {Vec3(1, 2, 3), Quat(0.6, 0, 0.8, 0), Vec3(2, 2, 2)};
  return imported;
}

struct Posed {
  std::vector<Affine> worlds;
  PosedVertices vertices;
};

Posed posed(const Scene& scene, const std::vector<Track>& tracks, const Affine& root) {
  Pose pose = restPose(scene.skeleton);
  keyframeSource(scene.skeleton, tracks)->cursor()->sample(0.7, pose.view());
  Posed result;
  computeWorlds(scene.skeleton, pose.locals, root, result.worlds);
  poseMesh(scene.meshes[0], &scene.skins[0], result.worlds, pose.weights, result.vertices);
  return result;
}

}  // namespace

TEST_CASE("In metres joints and skin are where metric_from_file takes them") {
  io::imported::ImportedScene imported = oddScene();
  std::vector<Track>& tracks = imported.clips[0].keys.tracks;
  const auto times = tracks[0].times_s;
  tracks[0] = {0,
               TrackPath::kTranslation,
               Interpolation::kCubicSpline,
               3,
               times,
               {9, 8, 7, 0, 1, 2, 3, 2, 1, 1, 2, 3, 3, 4, 5, 5, 4, 4}};
  const Scene metric = plainScene(imported.scene);
  const Posed before = posed(imported.scene, tracks, imported.scene.metric_from_file);
  const Posed after = posed(metric, plainTracks(imported.scene, tracks), Affine{});
  const std::size_t body = 2;  // it is at the origin and only shows the skinned mesh
  CHECK(after.worlds[body].linear == Mat3(1.0));
  for (std::size_t n = 0; n < body; ++n) {
    CHECK(distance(before.worlds[n].translation, after.worlds[n].translation) < 1e-14);
    // The scale is gone from the maps of the nodes, as they are no longer in centimetres.
    CHECK(distance(before.worlds[n].linear[1] * 100.0, after.worlds[n].linear[1]) < 1e-14);
  }
  for (std::size_t v = 0; v < 3; ++v) {
    CHECK(distance(before.vertices.positions[v], after.vertices.positions[v]) < 1e-14);
    CHECK(distance(before.vertices.normals[v], after.vertices.normals[v]) < 1e-14);
  }
  CHECK(metric.metric_from_file.linear == Mat3(1.0));
}

TEST_CASE("A scene in metres is unchanged bit for bit") {
  io::imported::ImportedScene imported = fullScene();
  imported.scene.metric_from_file = Affine{};
  const Scene metric = plainScene(imported.scene);
  CHECK(metric.meshes[0].positions == imported.scene.meshes[0].positions);
  CHECK(metric.skeleton.nodes[1].rest == imported.scene.skeleton.nodes[1].rest);
  CHECK(plainTracks(imported.scene, imported.clips[0].keys.tracks)[1].values ==
        imported.clips[0].keys.tracks[1].values);
}

namespace {

// A node that inherits in its own mode, rotated against a scaled parent, with a child.
Scene inheriting(InheritScale inherit, const Vec3& parent_scale) {
  Scene scene;
  scene.skeleton.nodes.resize(3);
  scene.skeleton.nodes[0].rest = {Vec3(1, 2, 3), rotationAbout(Vec3(0, 1, 0), 0.3), parent_scale};
  scene.skeleton.nodes[1].parent = 0;
  scene.skeleton.nodes[1].inherit = inherit;
  scene.skeleton.nodes[1].rest = {Vec3(0, 5, 0), rotationAbout(Vec3(1, 0, 0), 0.7), Vec3(1, 1, 2)};
  scene.skeleton.nodes[2].parent = 1;
  scene.skeleton.nodes[2].rest.translation = Vec3(0, 0, 4);
  return scene;
}

double worstWorldDifference(const Scene& a, const Scene& b, const Pose& pose_a,
                            const Pose& pose_b) {
  std::vector<Affine> worlds_a, worlds_b;
  computeWorlds(a.skeleton, pose_a.locals, a.metric_from_file, worlds_a);
  computeWorlds(b.skeleton, pose_b.locals, b.metric_from_file, worlds_b);
  double worst = 0.0;
  for (std::size_t i = 0; i < worlds_a.size(); ++i) {
    worst = std::max(worst, distance(worlds_a[i].translation, worlds_b[i].translation));
    for (int c = 0; c < 3; ++c) {
      worst = std::max(worst, distance(worlds_a[i].linear[c], worlds_b[i].linear[c]));
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("Special inheritance modes become plain products, exactly, under even scales") {
  for (const InheritScale inherit : {InheritScale::kComponentwise, InheritScale::kSkipParent}) {
    const Scene scene = inheriting(inherit, Vec3(3, 3, 3));
    const Scene plain = plainScene(scene);
    CHECK(inheritsAll(plain.skeleton));
    CHECK(plain.warnings.empty());
    CHECK(worstWorldDifference(scene, plain, restPose(scene.skeleton), restPose(plain.skeleton)) <
          1e-13);
  }
  // Without the parent's scale of 3 its own is a third in plain terms.
  const Scene plain = plainScene(inheriting(InheritScale::kSkipParent, Vec3(3, 3, 3)));
  CHECK(distance(plain.skeleton.nodes[1].rest.scale, Vec3(1, 1, 2) / 3.0) < 1e-14);
}

TEST_CASE("A node that skips scales converts the scales above it to keys of its own") {
  Scene scene = inheriting(InheritScale::kSkipParent, Vec3(1, 1, 1));
  Clip clip{"Grow", 0.0, 1.0, 30.0, TrackMask(3), nullptr};
  clip.animated.set(0, TrackPath::kScale);
  const auto times = std::make_shared<const std::vector<double>>(std::vector<double>{0, 1});
  clip.source = keyframeSource(
      scene.skeleton,
      {{0, TrackPath::kScale, Interpolation::kLinear, 3, times, {1, 1, 1, 4, 4, 4}}});
  scene.clips = {clip};
  const Scene plain = plainScene(scene);
  CHECK(plain.clips[0].animated.has(1, TrackPath::kScale));
  CHECK(!plain.clips[0].animated.any(2));
  for (const double t : {0.0, 0.25, 1.0}) {
    Pose before = restPose(scene.skeleton), after = restPose(plain.skeleton);
    scene.clips[0].source->cursor()->sample(t, before.view());
    plain.clips[0].source->cursor()->sample(t, after.view());
    CHECK(distance(after.locals[1].scale, Vec3(1, 1, 2) / (1.0 + 3.0 * t)) < 1e-13);
    CHECK(worstWorldDifference(scene, plain, before, after) < 1e-13);
  }
}

TEST_CASE("An uneven scale that a child skips gets a node of its own") {
  Scene scene = inheriting(InheritScale::kSkipParent, Vec3(1, 4, 1));
  scene.skins.push_back({"skin", {0, 1}, {Affine{}, Affine{}}});
  Clip clip{"Squash", 0.0, 1.0, 30.0, TrackMask(3), nullptr};
  clip.animated.set(0, TrackPath::kScale);
  const auto times = std::make_shared<const std::vector<double>>(std::vector<double>{0, 1});
  clip.source = keyframeSource(
      scene.skeleton,
      {{0, TrackPath::kScale, Interpolation::kLinear, 3, times, {1, 4, 1, 2, 0.5, 3}}});
  scene.clips = {clip};
  const Scene plain = plainScene(scene);
  CHECK(plain.warnings.count("scale_helper") == 1);
  CHECK(plain.warnings.count("inherited_shear") == 0);
  REQUIRE(plain.skeleton.size() == 4);
  CHECK(plain.skeleton.nodes[1].parent == 0);
  CHECK(plain.skins[0].joints == std::vector<int>{1, 2});
  const std::size_t new_node_of[] = {1, 2, 3};
  for (const double t : {0.0, 0.3, 1.0}) {
    Pose before = restPose(scene.skeleton), after = restPose(plain.skeleton);
    scene.clips[0].source->cursor()->sample(t, before.view());
    plain.clips[0].source->cursor()->sample(t, after.view());
    std::vector<Affine> worlds_before, worlds_after;
    computeWorlds(scene.skeleton, before.locals, scene.metric_from_file, worlds_before);
    computeWorlds(plain.skeleton, after.locals, {}, worlds_after);
    for (std::size_t n = 0; n < 3; ++n) {
      const Affine &old_world = worlds_before[n], &new_world = worlds_after[new_node_of[n]];
      CHECK(distance(old_world.translation, new_world.translation) < 1e-13);
      for (int c = 0; c < 3; ++c) {
        CHECK(distance(old_world.linear[c], new_world.linear[c]) < 1e-13);
      }
    }
  }
}

TEST_CASE("A helper is made only where a shear would remain, and one that stays is reported") {
  Scene straight = inheriting(InheritScale::kSkipParent, Vec3(1, 4, 1));
  straight.skeleton.nodes[1].rest.rotation = kIdentityRotation;  // in line with the axes
  CHECK(plainScene(straight).warnings.empty());
  CHECK(plainScene(straight).skeleton.size() == 3);
  // Scales that are taken over axis by axis through two rotated nodes.
  Scene chain = inheriting(InheritScale::kComponentwise, Vec3(1, 4, 1));
  chain.skeleton.nodes[2].inherit = InheritScale::kComponentwise;
  chain.skeleton.nodes[2].rest.rotation = rotationAbout(Vec3(1, 0, 0), 0.4);
  CHECK(plainScene(chain).warnings.count("inherited_shear") == 1);
}

TEST_SUITE_END();
TEST_SUITE_BEGIN("scene.stick_mesh");

TEST_CASE("Sticks connect every node to its children and follow both") {
  Scene scene = fullScene().scene;
  scene.meshes.clear();
  scene.skins.clear();
  addStickMesh(scene);
  REQUIRE(scene.meshes.size() == 1);
  const SkinnedMesh& mesh = scene.meshes[0];
  CHECK(scene.skeleton.nodes.back().name == "Sticks");
  CHECK(scene.skeleton.nodes.back().source_id == 10);
  REQUIRE(mesh.vertexCount() == 6);
  Pose pose = restPose(scene.skeleton);
  pose.locals[1].translation = Vec3(3, 4, 5);
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, pose.locals, Affine{}, worlds);
  PosedVertices vertices;
  poseMesh(mesh, &scene.skins[0], worlds, {}, vertices);
  CHECK(distance(vertices.positions[0], Vec3(0, 0, 0)) < 1e-15);
  CHECK(distance(vertices.positions[5], Vec3(3, 4, 5)) < 1e-15);
}

TEST_CASE("A stick is closed and its faces look outwards") {
  Scene scene;
  scene.skeleton.nodes.resize(2);
  scene.skeleton.nodes[1].parent = 0;
  scene.skeleton.nodes[1].rest.translation = Vec3(1, 2, 3);
  addStickMesh(scene);
  const SkinnedMesh& mesh = scene.meshes.at(0);
  Vec3 area(0.0);
  double volume = 0.0;
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) {
    const Vec3 &a = mesh.positions[mesh.triangles[t]], &b = mesh.positions[mesh.triangles[t + 1]],
               &c = mesh.positions[mesh.triangles[t + 2]];
    area += glm::cross(b - a, c - a);
    volume += glm::dot(a, glm::cross(b, c)) / 6.0;
  }
  CHECK(distance(area, Vec3(0.0)) < 1e-14);
  // Two pyramids on a square with the diagonal 0.16 L, together L high: 0.0128 L^3 / 3.
  const double length = std::sqrt(14.0);
  CHECK(volume == nearTo(0.0128 / 3.0 * length * length * length, 1e-12));
}

TEST_CASE("No sticks are made with a mesh, without bones, or for a singular rest pose") {
  Scene with_mesh = fullScene().scene;
  addStickMesh(with_mesh);
  CHECK(with_mesh.meshes.size() == 1);
  CHECK(with_mesh.skeleton.size() == 3);
  Scene single;
  single.skeleton.nodes.resize(1);
  addStickMesh(single);
  CHECK(single.skeleton.size() == 1);
  Scene flat = fullScene().scene;
  flat.meshes.clear();
  flat.skeleton.nodes[0].rest.scale = Vec3(0.0);
  addStickMesh(flat);
  CHECK(flat.meshes.empty());
}
