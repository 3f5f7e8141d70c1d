// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/shell_distance.h"

#include "anim/make_motion.h"
#include "checks.h"

TEST_SUITE_BEGIN("scene.shell_distance");

using namespace clipmill;

TEST_CASE(
    "without meshes only the last node of a chain has a shell distance, the length of its bone") {
  Scene scene;
  scene.skeleton = test::makeChain(3, 2.5);
  CHECK(shellDistances(scene) == std::vector<double>{0.0, 0.0, 2.5});
}

TEST_CASE("a skinned vertex counts for its strongest joint, by its distance at bind") {
  Scene scene;
  scene.skeleton = test::makeChain(3, 1.0);
  Skin skin;
  skin.joints = {1, 2};
  skin.joint_from_bind = {toAffine({Vec3(0, -1, 0), kIdentityRotation, Vec3(1)}),
                          toAffine({Vec3(0, -2, 0), kIdentityRotation, Vec3(1)})};
  scene.skins.push_back(skin);
  SkinnedMesh mesh;
  mesh.node = 0;
  mesh.skin = 0;
  mesh.positions = {Vec3(0, 1.25, 0), Vec3(0, 1.5, 0), Vec3(3, 2, 0)};
  mesh.influence_start = {0, 2, 4, 5};
  mesh.influences = {{0, 0.9}, {1, 0.1}, {0, 0.3}, {1, 0.7}, {1, 1.0}};
  scene.meshes.push_back(mesh);
  CHECK(shellDistances(scene) == std::vector<double>{0.0, 0.25, 3.0});
}

TEST_CASE("a mesh without skin counts for its node") {
  Scene scene;
  scene.skeleton = test::makeChain(2, 1.0);
  SkinnedMesh mesh;
  mesh.node = 0;
  mesh.positions = {Vec3(3, 4, 0), Vec3(1, 0, 0)};
  scene.meshes.push_back(mesh);
  CHECK(shellDistances(scene) == std::vector<double>{5.0, 1.0});
}

TEST_SUITE_END();
