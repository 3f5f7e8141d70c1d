// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/key_budgets.h"

#include "checks.h"
#include "core/to_size.h"

TEST_SUITE_BEGIN("scene.key_budgets");

using namespace clipmill;

namespace {

// Three joints 1 m apart, of which the first two rotate, and a still one beside them.
Scene chainScene() {
  Scene scene;
  scene.skeleton.nodes.resize(4);
  scene.skeleton.nodes[1].parent = 0;
  scene.skeleton.nodes[2].parent = 1;
  for (int i : {1, 2}) scene.skeleton.nodes[toSize(i)].rest.translation.y = 1.0;
  return scene;
}

Motion rotatingMotion(const Scene& scene) {
  Motion motion;
  motion.grid = {0.0, 1.0, 1.0, 2};
  motion.node_count = scene.skeleton.size();
  motion.weight_count = scene.skeleton.rest_weights.size();
  for (const double angle : {0.0, 1.0}) {
    Pose pose = restPose(scene.skeleton);
    for (const std::size_t i : {0u, 1u}) {
      pose.locals[i].rotation = rotationAbout(Vec3(0, 0, 1), angle);
    }
    for (double& weight : pose.weights) weight = angle;
    motion.locals.insert(motion.locals.end(), pose.locals.begin(), pose.locals.end());
    motion.weights.insert(motion.weights.end(), pose.weights.begin(), pose.weights.end());
  }
  return motion;
}

}  // namespace

TEST_CASE("Moving tracks of a chain share the tolerance by error sensitivity") {
  const Scene scene = chainScene();
  const KeyBudgets budgets = keyBudgets(scene, rotatingMotion(scene), {}, 0.01, 1.0);
  // Two share 0.01 m; the first reaches 2 m, the second 1 m.
  CHECK(budgets.nodes[0].angle_rad == doctest::Approx(0.0025));
  CHECK(budgets.nodes[1].angle_rad == doctest::Approx(0.005));
  CHECK(budgets.nodes[0].translation == doctest::Approx(0.005));
  // The last one carries nothing: only its axes matter.
  CHECK(budgets.nodes[2].angle_rad == doctest::Approx(0.5));
  CHECK(budgets.nodes[3].angle_rad == doctest::Approx(1.0));
  CHECK(budgets.nodes[3].translation == doctest::Approx(0.01));
}

TEST_CASE("Axes bound what error sensitivity does not") {
  const Scene scene = chainScene();
  const KeyBudgets budgets = keyBudgets(scene, rotatingMotion(scene), {}, 0.01, 0.001);
  CHECK(budgets.nodes[0].angle_rad == doctest::Approx(0.0005));
  CHECK(budgets.nodes[0].scale == doctest::Approx(0.0005));
}

TEST_CASE("Weights share one tolerance for vertices") {
  Scene scene = chainScene();
  scene.skeleton.nodes[3].weights_count = 2;
  scene.skeleton.rest_weights = {0.0, 0.0};
  SkinnedMesh mesh;
  mesh.node = 3;
  mesh.positions = {Vec3(0)};
  mesh.morphs = {{"Long", {Vec3(0, 20, 0)}, {}}, {"Idle", {}, {}}};
  scene.meshes = {mesh};
  const KeyBudgets budgets = keyBudgets(scene, rotatingMotion(scene), {}, 1e-4, 1.0);
  CHECK(budgets.weights[0] == doctest::Approx(1e-4 / 20.0 / 2.0));
  CHECK(budgets.weights[1] == doctest::Approx(1e-4));
}

TEST_SUITE_END();
