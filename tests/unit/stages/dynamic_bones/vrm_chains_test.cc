// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <limits>
#include <vector>

#include "checks.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/colliders/limit.h"
#include "stages/dynamic_bones/vrm_motion.h"

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;

TEST_SUITE_BEGIN("dynamic_bones.vrm_chains");

TEST_CASE("limits hold at every frame, contacts or not") {
  int limited = 0;
  for (std::uint64_t seed = 20; seed < 24; ++seed) {
    const Scene scene = randomScene(seed, 9);
    const Motion clip = motionOf(scene, 200 * kVrmFrame_s, 60.0, moving(scene));
    const SimulatedVrm ours = simulatedVrm(scene, clip);
    std::vector<Affine> worlds;
    for (std::size_t f = 1; f < clip.grid.frame_count; ++f) {
      computeWorlds(scene.skeleton, ours.motion.localsOf(f), scene.metric_from_file, worlds);
      for (const VrmChain& chain : ours.rig.chains) {
        for (const VrmBone& bone : chain.bones) {
          const Node& node = scene.skeleton.nodes[toSize(bone.joint.node)];
          const Quat above = rotationOf(worlds[toSize(node.parent)]);
          const Quat now = rotationOf(worlds[toSize(bone.joint.node)]);
          const PosedLimit limit{
              &bone.joint.limit,
              above * node.rest.rotation * jointFromLimit(bone.joint.limit, bone.axis), 0.0};
          CHECK(limitExcess(limit, now * bone.axis) < 1e-9);
          limited += bone.joint.limit.kind != AngleLimit::Kind::kNone;
        }
      }
    }
  }
  CHECK(limited > 1000);
}

TEST_CASE("a chain avoids the colliders of its groups and no others") {
  // Two bones along +X, each with a floor below it that only the other's group has.
  for (bool own : {true, false}) {
    SpringJoint joint;
    joint.stiffness = 0.0;
    joint.gravity_power = 1.0;
    joint.hit_radius = 0.02;
    Scene scene = oneVrmBone(joint);
    SpringCollider floor;
    floor.kind = SpringCollider::Kind::kPlane;
    floor.offset = Vec3(0, -0.1, 0);
    floor.normal = Vec3(0, 1, 0);
    scene.springs.colliders = {floor};
    scene.springs.groups = {{"floor", {0}}, {"none", {}}};
    scene.springs.chains[0].collider_groups = {own ? 0 : 1};
    const Motion clip = stillMotion(scene, 10.0, 60.0);
    const double height = pathOfNode(scene, simulatedVrm(scene, clip).motion, 2).back().y;
    // The length is restored after the push, so gravity's last millimetres stay.
    if (own) {
      CHECK(height == nearTo(-0.08, 0.01));
    } else {
      CHECK(height == nearTo(-0.5, 1e-6));
    }
  }
}

TEST_CASE("a chain below another chain's joint, or that avoids its colliders, follows it") {
  // The random scenes do both; here the order of the file is against the order of dependence.
  Scene scene = randomScene(9, 9);
  const Motion clip = motionOf(scene, 100 * kVrmFrame_s, 60.0, moving(scene));
  const Motion expected = simulatedVrm(scene, clip).motion;
  std::rotate(scene.springs.chains.begin(), scene.springs.chains.begin() + 1,
              scene.springs.chains.end());
  const SimulatedVrm ours = simulatedVrm(scene, clip);
  CHECK(ours.rig.waves.size() == 2);
  CHECK(ours.rig.warnings.empty());
  CHECK(sameBits(ours.motion, expected));
}

TEST_CASE("chains that depend on each other are reported and simulated") {
  Scene scene = oneVrmBone({});
  SpringCollider own;
  own.node = 1;
  own.radius = 0.01;
  scene.springs.colliders = {own};
  scene.springs.groups = {{"own", {0}}};
  scene.springs.chains[0].collider_groups = {0};
  const SimulatedVrm ours = simulatedVrm(scene, stillMotion(scene, 1.0, 60.0));
  CHECK(ours.rig.warnings.count("spring_cycle") == 1);
  CHECK(ours.counts.joint_steps == 60);
}

TEST_CASE("invalid chains are dropped and counted") {
  Scene scene = oneVrmBone({});
  auto& chains = scene.springs.chains;
  chains.push_back({"again", {vrmJoint(1), vrmJoint(2)}, {}, -1, 0.0});
  chains.push_back({"upwards", {vrmJoint(2), vrmJoint(1)}, {}, -1, 0.0});
  chains.push_back({"nowhere", {vrmJoint(2), vrmJoint(17)}, {}, -1, 0.0});
  chains.push_back({"below zero", {vrmJoint(-1), vrmJoint(2)}, {}, -1, 0.0});
  chains.push_back({"empty", {}, {}, -1, 0.0});
  chains.push_back({"tip alone", {}, {}, -1, 0.07});
  chains[0].collider_groups = {5, -1};
  chains[0].joints[0].drag = 0.5;
  SpringJoint wild = vrmJoint(2);
  wild.stiffness = std::numeric_limits<double>::quiet_NaN();
  chains.push_back({"wild", {wild}, {}, -1, 0.07});
  const VrmRig rig = makeVrmRig(scene.springs, scene);
  CHECK(rig.chains.size() == 1);
  CHECK(rig.warnings.count("spring_dropped") == 5);
  CHECK(rig.warnings.count("spring_collider_dropped") == 2);
}

TEST_CASE("joints without bone, size or position give finite poses") {
  Scene scene;
  const int body = addNode(scene, "body", -1, Vec3(0));
  const int flat = addNode(scene, "flat", body, Vec3(0), rotationAbout(Vec3(1, 0, 0), 0.4));
  const int same = addNode(scene, "same", flat, Vec3(0), kIdentityRotation, Vec3(0.0));
  const int end = addNode(scene, "end", same, Vec3(0, 0.1, 0));
  scene.springs.chains = {{"chain", {vrmJoint(flat), vrmJoint(same), vrmJoint(end)}, {}, -1, 0.0}};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Motion clip = motionOf(scene, 20 * kVrmFrame_s, 60.0, [&](double t, PoseView pose) {
    pose.locals[0].translation.x = t > 0.1 && t < 0.12 ? nan : 0.0;
  });
  const SimulatedVrm ours = simulatedVrm(scene, clip);
  CHECK(ours.counts.resets > 0);
  for (std::size_t f = 0; f < clip.grid.frame_count; ++f) {
    for (int node : {flat, same}) {
      const Quat q = ours.motion.localsOf(f)[toSize(node)].rotation;
      CHECK(std::abs(glm::dot(q, q) - 1.0) < 1e-12);
    }
    CHECK(distance(ours.motion.localsOf(f)[1].rotation, rotationAbout(Vec3(1, 0, 0), 0.4)) < 1e-14);
  }
}

TEST_CASE("a bone opposite to its rest direction returns by a rotation of 180 degrees") {
  SpringJoint joint;
  joint.stiffness = 0.0;
  joint.gravity_power = 60.0;
  joint.gravity_dir = Vec3(-1, 0, 0);
  const Scene scene = oneVrmBone(joint);
  const SimulatedVrm ours = simulatedVrm(scene, stillMotion(scene, 5 * kVrmFrame_s, 60.0));
  CHECK(distance(pathOfNode(scene, ours.motion, 2).back(), Vec3(-0.5, 0, 0)) < 1e-14);
}

TEST_CASE("the stage simulates the file's own springs and reports unused settings") {
  Scene scene = randomScene(3, 9);
  const Motion clip = motionOf(scene, 1.0, 60.0, moving(scene));
  DynamicBonesSettings settings;
  settings.method = DynamicBonesMethod::kVrm1;
  const StageResult plain = bake(scene, clip, settings);
  CHECK(sameBits(plain.motion, simulatedVrm(scene, clip).motion));
  CHECK(metric(plain, "chains") == 9);
  CHECK(metric(plain, "joint_steps") == 60 * metric(plain, "joints"));
  CHECK(plain.points.size() == 9);
  CHECK(plain.warnings.empty());
  // Tips are where the bones end at rest.
  for (const StagePoint& point : plain.points) CHECK(glm::length(point.offset) > 0.01);
  settings.chain.push_back({});
  CHECK(bake(scene, clip, settings).warnings.count("chain_settings_ignored") == 1);
  CHECK(bake(scene, clip, settings).warnings.count("settings_ignored") == 0);
  settings.wind_mps2 = {0.0, 0.0, 3.0};
  settings.loop = LoopPolicy::kOn;
  const Warnings ignored = bake(scene, clip, settings).warnings;
  CHECK(ignored.count("settings_ignored") == 2);
  CHECK(ignored.all().back().text == "the methods vrm1 and vrm0 do not use wind_mps2, loop");
  settings.method = DynamicBonesMethod::kVrm0;
  const Error other = bakeError(scene, settings);
  CHECK(other.code == ErrorCode::kRecipe);
  CHECK(other.remedy == "use method = \"vrm1\"");
  scene.springs = {};
  CHECK(bakeError(scene, settings).code == ErrorCode::kRecipe);
}

TEST_SUITE_END();
