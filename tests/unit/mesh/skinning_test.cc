// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "mesh/skinning.h"

#include "checks.h"
#include "core/to_size.h"

TEST_SUITE_BEGIN("mesh.skinning");

using namespace clipmill;
using test::distance;

namespace {

Affine mapOf(const Vec3& translation, const Quat& rotation = kIdentityRotation,
             const Vec3& scale = Vec3(1)) {
  return toAffine({translation, rotation, scale});
}

// One vertex at (1, 0, 0) with the normal x, bound to as many joints as there are weights.
SkinnedMesh makeVertex(const std::vector<double>& weights) {
  SkinnedMesh mesh;
  mesh.node = 0;
  mesh.positions = {Vec3(1, 0, 0)};
  mesh.normals = {Vec3(1, 0, 0)};
  if (weights.empty()) return mesh;
  mesh.skin = 0;
  mesh.influence_start = {0, weights.size()};
  for (std::size_t i = 0; i < weights.size(); ++i) {
    mesh.influences.push_back({static_cast<std::uint32_t>(i), weights[i]});
  }
  return mesh;
}

Skin makeSkin(int joints) {
  Skin skin;
  for (int i = 0; i < joints; ++i) skin.joints.push_back(i);
  skin.joint_from_bind.resize(toSize(joints));
  return skin;
}

PosedVertices posed(const SkinnedMesh& mesh, const Skin* skin, const std::vector<Affine>& worlds,
                    const std::vector<double>& morph_weights = {}) {
  PosedVertices vertices;
  poseMesh(mesh, skin, worlds, morph_weights, vertices);
  return vertices;
}

}  // namespace

TEST_CASE("a vertex between two joints lies between its positions under each") {
  const Skin skin = makeSkin(2);
  const Quat quarter = rotationAbout(Vec3(0, 0, 1), 0.5 * kPi);
  const PosedVertices v =
      posed(makeVertex({0.25, 0.75}), &skin, {mapOf(Vec3(0, 0, 4)), mapOf(Vec3(0), quarter)});
  CHECK(distance(v.positions[0], Vec3(0.25, 0.75, 1.0)) < 1e-15);
  CHECK(glm::dot(v.normals[0], v.normals[0]) == doctest::Approx(1.0));
}

TEST_CASE("at bind every vertex keeps its position") {
  Skin skin = makeSkin(2);
  const std::vector<Affine> worlds = {mapOf(Vec3(1, 2, 3), rotationAbout(Vec3(0, 1, 0), 1.0)),
                                      mapOf(Vec3(-4, 0, 1), kIdentityRotation, Vec3(2, 1, 3))};
  for (std::size_t i = 0; i < 2; ++i) skin.joint_from_bind[i] = inverse(worlds[i]);
  const PosedVertices v = posed(makeVertex({0.6, 0.4}), &skin, worlds);
  CHECK(distance(v.positions[0], Vec3(1, 0, 0)) < 1e-14);
  CHECK(distance(v.normals[0], Vec3(1, 0, 0)) < 1e-14);
}

TEST_CASE("a vertex may have more than four influences") {
  const Skin skin = makeSkin(7);
  std::vector<Affine> worlds;
  std::vector<double> weights;
  double expected = 1.0;
  for (int i = 0; i < 7; ++i) {
    worlds.push_back(mapOf(Vec3(i, 0, 0)));
    weights.push_back((i + 1) / 28.0);
    expected += i * (i + 1) / 28.0;
  }
  CHECK(posed(makeVertex(weights), &skin, worlds).positions[0].x == doctest::Approx(expected));
}

TEST_CASE("joints of a skin are nodes in the skin's own order") {
  Skin skin = makeSkin(1);
  skin.joints[0] = 2;
  const std::vector<Affine> worlds = {mapOf(Vec3(9)), mapOf(Vec3(9)), mapOf(Vec3(0, 5, 0))};
  CHECK(posed(makeVertex({1.0}), &skin, worlds).positions[0] == Vec3(1, 5, 0));
}

TEST_CASE("a mesh without skin follows its node") {
  SkinnedMesh mesh = makeVertex({});
  mesh.node = 1;
  const PosedVertices v = posed(
      mesh, nullptr, {mapOf(Vec3(9)), mapOf(Vec3(0, 1, 0), rotationAbout(Vec3(0, 0, 1), kPi))});
  CHECK(distance(v.positions[0], Vec3(-1, 1, 0)) < 1e-15);
  CHECK(distance(v.normals[0], Vec3(-1, 0, 0)) < 1e-15);
}

TEST_CASE("morphs are added before skinning, in the order of their weights") {
  SkinnedMesh mesh = makeVertex({1.0});
  mesh.morphs = {{"a", {Vec3(0, 2, 0)}, {Vec3(0, 2, 0)}}, {"b", {Vec3(4, 0, 0)}, {}}};
  const Skin skin = makeSkin(1);
  const std::vector<Affine> worlds = {mapOf(Vec3(0), rotationAbout(Vec3(0, 0, 1), 0.5 * kPi))};
  const PosedVertices v = posed(mesh, &skin, worlds, {0.5, -0.25});
  CHECK(distance(v.positions[0], Vec3(-1, 0, 0)) < 1e-15);
  CHECK(distance(v.normals[0], Vec3(-std::sqrt(0.5), std::sqrt(0.5), 0)) < 1e-15);
  CHECK(distance(posed(mesh, &skin, worlds, {0.5}).positions[0], Vec3(-1, 1, 0)) < 1e-15);
}

TEST_CASE("normals stay normal to the surface under scales that differ and under mirrors") {
  SkinnedMesh mesh = makeVertex({});
  const Vec3 tangent(1, 1, 0), bitangent(0, 0, 1);
  mesh.normals[0] = Vec3(std::sqrt(0.5), -std::sqrt(0.5), 0);
  for (const Vec3& scale : {Vec3(1, 5, 1), Vec3(0.01, 1, 1), Vec3(-1, 2, 3), Vec3(-1, -2, -3)}) {
    const Affine world = mapOf(Vec3(1, 2, 3), rotationAbout(Vec3(0, 0.6, 0.8), 0.7), scale);
    const Vec3 normal = posed(mesh, nullptr, {world}).normals[0];
    CHECK(std::abs(glm::dot(normal, transformVector(world, tangent))) < 1e-14);
    CHECK(std::abs(glm::dot(normal, transformVector(world, bitangent))) < 1e-14);
    CHECK(glm::dot(normal, normal) == doctest::Approx(1.0));
    // Outside stays outside.
    CHECK(glm::dot(normal, transformVector(world, mesh.normals[0])) > 0.0);
  }
}

TEST_CASE("a mesh without normals gets none, and old content of the result is removed") {
  SkinnedMesh mesh = makeVertex({});
  mesh.normals.clear();
  PosedVertices v;
  v.positions.resize(9);
  v.normals.resize(9);
  poseMesh(mesh, nullptr, std::vector<Affine>(1), {}, v);
  CHECK(v.positions.size() == 1);
  CHECK(v.normals.empty());
}

TEST_SUITE_END();
