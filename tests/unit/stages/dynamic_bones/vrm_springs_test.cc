// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/vrm/vrm_springs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "checks.h"
#include "core/instruction_set_simd.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/colliders/limit.h"
#include "stages/dynamic_bones/random_springs.h"
#include "stages/dynamic_bones/spring_specification.h"
#include "stages/dynamic_bones/swing_scene.h"

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::dynamic_bones;
using clipmill::test::addNode;
using clipmill::test::distance;
using clipmill::test::motionOf;
using clipmill::test::pathOfNode;
using clipmill::test::randomScene;
using clipmill::test::stillMotion;

namespace {

constexpr double kFrame_s = 1.0 / 60.0;

SpringJoint jointOf(int node) {
  SpringJoint joint;
  joint.node = node;
  return joint;
}

// The scene's own motion, for motionOf().
test::PoseFunction moving(const Scene& scene) {
  return [&scene](double t, PoseView pose) { test::randomMotion(scene, t, pose); };
}

struct Simulated {
  VrmRig rig;
  Motion motion;
  SimulationCounts counts;
};

Simulated simulated(const Scene& scene, const Motion& clip) {
  Simulated result{makeVrmRig(scene.springs, scene), clip, {}};
  result.counts = simulateVrm(result.rig, scene, clip, result.motion);
  return result;
}

// The same in the clip itself.
Motion simulatedInPosition(const Scene& scene, Motion clip) {
  simulateVrm(makeVrmRig(scene.springs, scene), scene, clip, clip);
  return clip;
}

// Largest angle between the rotations of two motions of the same frames, over all nodes.
double difference(const Motion& a, const Motion& b) {
  double most = 0.0;
  for (std::size_t i = 0; i < a.locals.size(); ++i) {
    most = std::max(most, distance(a.locals[i].rotation, b.locals[i].rotation));
  }
  return most;
}

Motion bySpecification(const Scene& scene, const Motion& clip) {
  Motion out = clip;
  test::SpringSpecification specification(scene.springs, scene);
  for (std::size_t f = 0; f < clip.grid.frame_count; ++f) {
    std::vector<Transform> locals(clip.localsOf(f).begin(), clip.localsOf(f).end());
    if (f > 0) {
      // Joints that the specification does not rotate keep the clip; the others their last
      // rotation.
      for (const SpringChain& chain : scene.springs.chains) {
        for (const SpringJoint& joint : chain.joints) {
          const std::size_t node = toSize(joint.node);
          if (&joint == &chain.joints.back() && !(chain.tail_length_m > 0.0)) continue;
          locals[node].rotation = out.localsOf(f - 1)[node].rotation;
        }
      }
      specification.update(locals, kFrame_s);
    } else {
      specification.start(locals);
    }
    std::copy(locals.begin(), locals.end(), out.frame(f).locals.begin());
  }
  return out;
}

// One bone of 0.5 m that lies along +X at rest.
Scene oneBone(const SpringJoint& settings) {
  Scene scene = test::chainScene(2, Vec3(0.5, 0, 0));
  scene.springs.kind = SpringSetup::Kind::kVrm1;
  SpringJoint joint = settings;
  joint.node = 1;
  scene.springs.chains = {{"bone", {joint, jointOf(2)}, {}, -1, 0.0}};
  return scene;
}

bool sameBits(const Motion& a, const Motion& b) {
  return a.locals.size() == b.locals.size() &&
         std::memcmp(a.locals.data(), b.locals.data(), a.locals.size() * sizeof(Transform)) == 0;
}

}  // namespace

TEST_SUITE_BEGIN("dynamic_bones.vrm_springs");

TEST_CASE("a clip may be simulated in its own memory, whatever tracks were modified before") {
  for (std::uint64_t seed : {1, 2, 3}) {
    const Scene scene = randomScene(seed, 6);
    Motion clip = motionOf(scene, 1.0, 50.0, moving(scene));
    CHECK(simulatedInPosition(scene, clip).locals == simulated(scene, clip).motion.locals);
    for (std::size_t i = 0; i < scene.skeleton.size(); ++i) {
      clip.modified.set(static_cast<int>(i), TrackPath::kRotation);
    }
    CHECK(simulatedInPosition(scene, clip).locals == simulated(scene, clip).motion.locals);
    clip.source = nullptr;
    CHECK(simulatedInPosition(scene, clip).locals == simulated(scene, clip).motion.locals);
  }
}

TEST_CASE("springs move as the specification's own update moves them") {
  int with_contacts = 0, with_limits = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    const Scene scene = randomScene(seed, seed == 1 ? 1 : 9);
    const Motion clip = motionOf(scene, 600 * kFrame_s, 60.0, moving(scene));
    const Simulated ours = simulated(scene, clip);
    CHECK(ours.rig.warnings.empty());
    CHECK(ours.counts.resets == 0);
    CHECK(ours.counts.joint_steps == 600 * ours.rig.bone_count);
    const Motion expected = bySpecification(scene, clip);
    CHECK(difference(expected, clip) > 0.5);
    CHECK(difference(ours.motion, expected) < 1e-9);
    Scene free = scene, unlimited = scene;
    free.springs.groups.assign(3, {});
    for (SpringChain& chain : unlimited.springs.chains) {
      for (SpringJoint& joint : chain.joints) joint.limit = {};
    }
    with_contacts += difference(simulated(free, clip).motion, expected) > 0.1;
    with_limits += difference(simulated(unlimited, clip).motion, expected) > 0.1;
  }
  // The scenes try what they are for.
  CHECK(with_contacts >= 10);
  CHECK(with_limits >= 10);
}

TEST_CASE("springs give the same bits with every instruction set of the machine") {
  const Scene scene = randomScene(5, 21);
  const Motion clip = motionOf(scene, 200 * kFrame_s, 60.0, moving(scene));
  const Simulated best = simulated(scene, clip);
  REQUIRE(instructionSets().size() > 1);
  for (const std::string& name : instructionSets()) {
    CAPTURE(name);
    useInstructionSet(name);
    CHECK(sameBits(simulated(scene, clip).motion, best.motion));
  }
  useBestInstructionSet();
}

TEST_CASE("a chain does not depend on the chains that are simulated beside it") {
  const Scene scene = randomScene(6, 21);
  const Motion clip = motionOf(scene, 100 * kFrame_s, 60.0, moving(scene));
  const Motion together = simulated(scene, clip).motion;
  Scene alone = scene;
  std::reverse(alone.springs.chains.begin() + 1, alone.springs.chains.end());
  CHECK(sameBits(simulated(alone, clip).motion, together));
  alone.springs.chains = {scene.springs.chains[0], scene.springs.chains[7]};
  const Motion few = simulated(alone, clip).motion;
  for (const SpringJoint& joint : scene.springs.chains[7].joints) {
    for (std::size_t f = 0; f < clip.grid.frame_count; ++f) {
      const std::size_t node = toSize(joint.node);
      CHECK(few.localsOf(f)[node] == together.localsOf(f)[node]);
    }
  }
}

TEST_CASE("the first frame has the joints at rest in the clip's pose, and only they are modified") {
  const Scene scene = randomScene(7, 9);
  const Motion clip = motionOf(scene, 50 * kFrame_s, 60.0, moving(scene));
  const Simulated ours = simulated(scene, clip);
  std::vector<bool> rotations(scene.skeleton.size(), false);
  for (const VrmChain& chain : ours.rig.chains) {
    for (const VrmBone& bone : chain.bones) rotations[toSize(bone.joint.node)] = true;
  }
  for (std::size_t n = 0; n < scene.skeleton.size(); ++n) {
    CHECK(ours.motion.modified.has(static_cast<int>(n), TrackPath::kRotation) == rotations[n]);
    if (rotations[n]) {
      CHECK(distance(ours.motion.localsOf(0)[n].rotation, scene.skeleton.nodes[n].rest.rotation) <
            1e-15);
    }
    for (std::size_t f = 0; f < clip.grid.frame_count; ++f) {
      Transform local = ours.motion.localsOf(f)[n];
      if (rotations[n]) local.rotation = clip.localsOf(f)[n].rotation;
      CHECK(local == clip.localsOf(f)[n]);
    }
  }
}

TEST_CASE("a bone comes to rest where stiffness and gravity pull along it") {
  SpringJoint joint;
  joint.stiffness = 0.8;
  joint.gravity_power = 0.6;
  const Scene scene = oneBone(joint);
  const Motion clip = stillMotion(scene, 20.0, 60.0);
  const Vec3 tail = pathOfNode(scene, simulated(scene, clip).motion, 2).back();
  // Along (0.8, -0.6, 0): tan = gravity_power / stiffness.
  CHECK(distance(tail, Vec3(0.4, -0.3, 0)) < 1e-12);
}

TEST_CASE("a pre-roll lets springs of VRM settle, in a character that moves too") {
  SpringJoint joint;
  joint.stiffness = 0.8;
  joint.gravity_power = 0.6;
  const Scene scene = oneBone(joint);
  DynamicBonesSettings settings;
  settings.method = DynamicBonesMethod::kVrm1;
  for (double speed_mps : {0.0, 2.0}) {
    const Motion clip = motionOf(scene, 1.0, 60.0, [=](double t, PoseView pose) {
      pose.locals[0].translation.z = speed_mps * t;
    });
    const auto spreadOf = [&](double preroll_s) {
      settings.preroll_s = preroll_s;
      const StageResult result = test::bake(scene, clip, settings);
      CHECK(result.warnings.count("settings_ignored") == 0);
      const auto root = pathOfNode(scene, result.motion, 1);
      const auto tail = pathOfNode(scene, result.motion, 2);
      double spread_m = 0.0;
      for (std::size_t i = 0; i < tail.size(); ++i) {
        spread_m = std::max(spread_m, distance(tail[i] - root[i], tail[0] - root[0]));
      }
      // Along (0.8, -0.6, 0): tan = gravity_power / stiffness.
      const Vec3 settled = Vec3(0.4, -0.3, 0);
      if (preroll_s > 0.0 && speed_mps == 0.0) CHECK(distance(tail[0] - root[0], settled) < 1e-9);
      return spread_m;
    };
    CHECK(spreadOf(0.0) > 0.05);
    CHECK(spreadOf(20.0) < 1e-9);
  }
}

TEST_CASE("one step is that of the formula, and drag keeps a share of the last displacement") {
  SpringJoint joint;
  joint.stiffness = 0.0;
  joint.gravity_power = 1.2;
  joint.drag = 0.25;
  const Scene scene = oneBone(joint);
  const Motion clip = stillMotion(scene, 2 * kFrame_s, 60.0);
  const std::vector<Vec3> tails = pathOfNode(scene, simulated(scene, clip).motion, 2);
  // 1.2 / 60 = 0.02 down a step, then 0.5 m long again.
  const Vec3 first = glm::normalize(Vec3(0.5, -0.02, 0)) * 0.5;
  const Vec3 second =
      glm::normalize(first + (first - Vec3(0.5, 0, 0)) * 0.75 + Vec3(0, -0.02, 0)) * 0.5;
  CHECK(distance(tails[0], Vec3(0.5, 0, 0)) < 1e-15);
  CHECK(distance(tails[1], first) < 1e-15);
  CHECK(distance(tails[2], second) < 1e-15);
}

TEST_CASE("the motion does not depend on the clip's frame rate") {
  const Scene scene = randomScene(8, 9);
  const auto at = [&](double fps) {
    return simulated(scene, motionOf(scene, 4.0, fps, moving(scene))).motion;
  };
  const Motion all = at(60.0);
  // Frames of 30, 20 and 12 a second are steps.
  for (int every : {2, 3, 5}) {
    CAPTURE(every);
    const Motion some = at(60.0 / every);
    for (std::size_t f = 0; f < some.grid.frame_count; ++f) {
      const auto locals = some.localsOf(f), expected = all.localsOf(f * std::size_t(every));
      for (const Transform& local : locals) {
        CHECK(distance(local.rotation, expected[std::size_t(&local - locals.data())].rotation) <
              1e-12);
      }
    }
  }
  // Of 120, every second is; the others are at the middle between two of them.
  const Motion fine = at(120.0);
  const std::size_t node = toSize(scene.springs.chains[3].joints[0].node);
  for (std::size_t f = 0; f + 1 < all.grid.frame_count; ++f) {
    const Quat a = all.localsOf(f)[node].rotation, b = all.localsOf(f + 1)[node].rotation;
    CHECK(distance(fine.localsOf(2 * f)[node].rotation, a) < 1e-12);
    CHECK(distance(fine.localsOf(2 * f + 1)[node].rotation, slerp(a, b, 0.5)) < 1e-12);
  }
}

TEST_CASE("a clip that ends between two steps ends with a shorter one") {
  SpringJoint joint;
  joint.stiffness = 0.0;
  joint.gravity_power = 1.2;
  const auto lastTail = [&](double drag, double steps) {
    joint.drag = drag;
    const Scene scene = oneBone(joint);
    return pathOfNode(scene, simulated(scene, stillMotion(scene, steps * kFrame_s, 24.0)).motion, 2)
        .back();
  };
  // Drag 0.36: e = 0.8 in half a step, v = 0.64 in a whole one. Displacement d of the whole step
  // goes on with d (1 - 0.8) / (1 / 0.64 - 1); the force moves (1/120) (1 - 0.8) / 0.36 * 1.2.
  const Vec3 start(0.5, 0, 0), first = glm::normalize(Vec3(0.5, -0.02, 0)) * 0.5;
  const double kept = 0.2 / (1.0 / 0.64 - 1.0), fall = 1.2 / 120.0 * 0.2 / 0.36;
  const Vec3 end = glm::normalize(first + (first - start) * kept - Vec3(0, fall, 0)) * 0.5;
  CHECK(distance(lastTail(0.36, 1.5), end) < 1e-14);
  // Without drag: half of the displacement, and a quarter of the whole step's fall plus a quarter.
  const Vec3 free = glm::normalize(first + (first - start) * 0.5 - Vec3(0, 0.005, 0)) * 0.5;
  CHECK(distance(lastTail(0.0, 1.5), free) < 1e-14);
  // All drag: nothing goes on.
  CHECK(distance(lastTail(1.0, 1.5), glm::normalize(first - Vec3(0, 0.01, 0)) * 0.5) < 1e-14);
}

TEST_CASE("a virtual tip is along the last joint's own translation") {
  Scene scene = oneBone({});
  scene.springs.kind = SpringSetup::Kind::kVrm0;
  scene.springs.chains[0].tail_length_m = 0.07;
  scene.springs.chains[0].joints[0].stiffness = 0.0;
  scene.springs.chains[0].joints[1].stiffness = 0.0;
  scene.springs.chains[0].joints[1].gravity_power = 0.6;
  const Simulated ours = simulated(scene, stillMotion(scene, kFrame_s, 60.0));
  REQUIRE(ours.rig.bone_count == 2);
  // 0.6 / 60 = 1 cm down on 7 cm.
  const Quat expected = rotationBetween(Vec3(1, 0, 0), Vec3(0.07, -0.01, 0));
  CHECK(distance(ours.motion.localsOf(1)[2].rotation, expected) < 1e-14);
}

TEST_CASE("limits hold at every frame, contacts or not") {
  int limited = 0;
  for (std::uint64_t seed = 20; seed < 24; ++seed) {
    const Scene scene = randomScene(seed, 9);
    const Motion clip = motionOf(scene, 200 * kFrame_s, 60.0, moving(scene));
    const Simulated ours = simulated(scene, clip);
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
    Scene scene = oneBone(joint);
    SpringCollider floor;
    floor.kind = SpringCollider::Kind::kPlane;
    floor.offset = Vec3(0, -0.1, 0);
    floor.normal = Vec3(0, 1, 0);
    scene.springs.colliders = {floor};
    scene.springs.groups = {{"floor", {0}}, {"none", {}}};
    scene.springs.chains[0].collider_groups = {own ? 0 : 1};
    const Motion clip = stillMotion(scene, 10.0, 60.0);
    const double height = pathOfNode(scene, simulated(scene, clip).motion, 2).back().y;
    // The length is restored after the push, so gravity's last millimetres stay.
    if (own) {
      CHECK(height == test::nearTo(-0.08, 0.01));
    } else {
      CHECK(height == test::nearTo(-0.5, 1e-6));
    }
  }
}

TEST_CASE("a chain below another chain's joint, or that avoids its colliders, follows it") {
  // The random scenes do both; here the order of the file is against the order of dependence.
  Scene scene = randomScene(9, 9);
  const Motion clip = motionOf(scene, 100 * kFrame_s, 60.0, moving(scene));
  const Motion expected = simulated(scene, clip).motion;
  std::rotate(scene.springs.chains.begin(), scene.springs.chains.begin() + 1,
              scene.springs.chains.end());
  const Simulated ours = simulated(scene, clip);
  CHECK(ours.rig.waves.size() == 2);
  CHECK(ours.rig.warnings.empty());
  CHECK(sameBits(ours.motion, expected));
}

TEST_CASE("chains that depend on each other are reported and simulated") {
  Scene scene = oneBone({});
  SpringCollider own;
  own.node = 1;
  own.radius = 0.01;
  scene.springs.colliders = {own};
  scene.springs.groups = {{"own", {0}}};
  scene.springs.chains[0].collider_groups = {0};
  const Simulated ours = simulated(scene, stillMotion(scene, 1.0, 60.0));
  CHECK(ours.rig.warnings.count("spring_cycle") == 1);
  CHECK(ours.counts.joint_steps == 60);
}

TEST_CASE("invalid chains are dropped and counted") {
  Scene scene = oneBone({});
  auto& chains = scene.springs.chains;
  chains.push_back({"again", {jointOf(1), jointOf(2)}, {}, -1, 0.0});
  chains.push_back({"upwards", {jointOf(2), jointOf(1)}, {}, -1, 0.0});
  chains.push_back({"nowhere", {jointOf(2), jointOf(17)}, {}, -1, 0.0});
  chains.push_back({"below zero", {jointOf(-1), jointOf(2)}, {}, -1, 0.0});
  chains.push_back({"empty", {}, {}, -1, 0.0});
  chains.push_back({"tip alone", {}, {}, -1, 0.07});
  chains[0].collider_groups = {5, -1};
  chains[0].joints[0].drag = 0.5;
  SpringJoint wild = jointOf(2);
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
  scene.springs.chains = {{"chain", {jointOf(flat), jointOf(same), jointOf(end)}, {}, -1, 0.0}};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Motion clip = motionOf(scene, 20 * kFrame_s, 60.0, [&](double t, PoseView pose) {
    pose.locals[0].translation.x = t > 0.1 && t < 0.12 ? nan : 0.0;
  });
  const Simulated ours = simulated(scene, clip);
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
  const Scene scene = oneBone(joint);
  const Simulated ours = simulated(scene, stillMotion(scene, 5 * kFrame_s, 60.0));
  CHECK(distance(pathOfNode(scene, ours.motion, 2).back(), Vec3(-0.5, 0, 0)) < 1e-14);
}

TEST_CASE("the stage simulates the file's own springs and reports unused settings") {
  Scene scene = randomScene(3, 9);
  const Motion clip = motionOf(scene, 1.0, 60.0, moving(scene));
  DynamicBonesSettings settings;
  settings.method = DynamicBonesMethod::kVrm1;
  const StageResult plain = test::bake(scene, clip, settings);
  CHECK(sameBits(plain.motion, simulated(scene, clip).motion));
  CHECK(test::metric(plain, "chains") == 9);
  CHECK(test::metric(plain, "joint_steps") == 60 * test::metric(plain, "joints"));
  CHECK(plain.points.size() == 9);
  CHECK(plain.warnings.empty());
  // Tips are where the bones end at rest.
  for (const StagePoint& point : plain.points) CHECK(glm::length(point.offset) > 0.01);
  settings.chain.push_back({});
  CHECK(test::bake(scene, clip, settings).warnings.count("chain_settings_ignored") == 1);
  CHECK(test::bake(scene, clip, settings).warnings.count("settings_ignored") == 0);
  settings.wind_mps2 = {0.0, 0.0, 3.0};
  settings.loop = LoopPolicy::kOn;
  const Warnings ignored = test::bake(scene, clip, settings).warnings;
  CHECK(ignored.count("settings_ignored") == 2);
  CHECK(ignored.all().back().text == "the methods vrm1 and vrm0 do not use wind_mps2, loop");
  settings.method = DynamicBonesMethod::kVrm0;
  const Error other = test::bakeError(scene, settings);
  CHECK(other.code == ErrorCode::kRecipe);
  CHECK(other.remedy == "use method = \"vrm1\"");
  scene.springs = {};
  CHECK(test::bakeError(scene, settings).code == ErrorCode::kRecipe);
}

TEST_CASE("a motion of one frame shows the joints at rest") {
  const Scene scene = randomScene(3, 9);
  const Motion clip = motionOf(scene, 0.0, 60.0, moving(scene));
  const Simulated ours = simulated(scene, clip);
  CHECK(ours.counts.joint_steps == 0);
  const std::size_t node = toSize(scene.springs.chains[2].joints[0].node);
  CHECK(distance(ours.motion.localsOf(0)[node].rotation, scene.skeleton.nodes[node].rest.rotation) <
        1e-15);
}

TEST_CASE("a scene in other units and axes moves as the same scene in metres") {
  Scene metric = randomScene(10, 9);
  for (SpringChain& chain : metric.springs.chains) chain.center = -1;
  const Motion clip = motionOf(metric, 100 * kFrame_s, 60.0, moving(metric));
  const Motion expected = simulated(metric, clip).motion;
  // Centimetres, z up: the root's translation and rotation are in them, all below in its units.
  Scene scene = metric;
  const Quat file_from_metric = rotationAbout(Vec3(1, 0, 0), kPi / 2.0);
  scene.metric_from_file.linear = glm::mat3_cast(glm::conjugate(file_from_metric)) * 0.01;
  Motion other = clip;
  for (std::size_t f = 0; f < clip.grid.frame_count; ++f) {
    Transform& root = other.frame(f).locals[0];
    root.translation = file_from_metric * root.translation * 100.0;
    root.rotation = file_from_metric * root.rotation;
    root.scale *= 100.0;
  }
  Transform& rest = scene.skeleton.nodes[0].rest;
  rest = {file_from_metric * rest.translation * 100.0, file_from_metric * rest.rotation,
          rest.scale * 100.0};
  const Motion ours = simulated(scene, other).motion;
  for (std::size_t i = 0; i < ours.locals.size(); ++i) {
    if (i % scene.skeleton.size() == 0) continue;
    CHECK(distance(ours.locals[i].rotation, expected.locals[i].rotation) < 1e-9);
  }
}

TEST_SUITE_END();
