// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "checks.h"
#include "core/instruction_set_simd.h"
#include "core/to_size.h"
#include "platform.h"
#include "stages/dynamic_bones/spring_specification.h"
#include "stages/dynamic_bones/vrm_motion.h"

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;

namespace {

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
  SpringSpecification specification(scene.springs, scene);
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
      specification.update(locals, kVrmFrame_s);
    } else {
      specification.start(locals);
    }
    std::copy(locals.begin(), locals.end(), out.frame(f).locals.begin());
  }
  return out;
}

}  // namespace

TEST_SUITE_BEGIN("dynamic_bones.vrm_springs");

TEST_CASE("a clip may be simulated in its own memory, whatever tracks were modified before") {
  for (std::uint64_t seed : {1, 2, 3}) {
    const Scene scene = randomScene(seed, 6);
    Motion clip = motionOf(scene, 1.0, 50.0, moving(scene));
    CHECK(simulatedInPosition(scene, clip).locals == simulatedVrm(scene, clip).motion.locals);
    for (std::size_t i = 0; i < scene.skeleton.size(); ++i) {
      clip.modified.set(static_cast<int>(i), TrackPath::kRotation);
    }
    CHECK(simulatedInPosition(scene, clip).locals == simulatedVrm(scene, clip).motion.locals);
    clip.source = nullptr;
    CHECK(simulatedInPosition(scene, clip).locals == simulatedVrm(scene, clip).motion.locals);
  }
}

TEST_CASE("springs move as the specification's own update moves them") {
  int with_contacts = 0, with_limits = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    const Scene scene = randomScene(seed, seed == 1 ? 1 : 9);
    const Motion clip = motionOf(scene, 600 * kVrmFrame_s, 60.0, moving(scene));
    const SimulatedVrm ours = simulatedVrm(scene, clip);
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
    with_contacts += difference(simulatedVrm(free, clip).motion, expected) > 0.1;
    with_limits += difference(simulatedVrm(unlimited, clip).motion, expected) > 0.1;
  }
  // The scenes try what they are for.
  CHECK(with_contacts >= 10);
  CHECK(with_limits >= 10);
}

TEST_CASE("springs give the same bits with every instruction set of the machine") {
  const Scene scene = randomScene(5, 21);
  const Motion clip = motionOf(scene, 200 * kVrmFrame_s, 60.0, moving(scene));
  const SimulatedVrm best = simulatedVrm(scene, clip);
  REQUIRE(instructionSets().size() >= kLeastInstructionSets);
  for (const std::string& name : instructionSets()) {
    CAPTURE(name);
    useInstructionSet(name);
    CHECK(sameBits(simulatedVrm(scene, clip).motion, best.motion));
  }
  useBestInstructionSet();
}

TEST_CASE("a chain does not depend on the chains that are simulated beside it") {
  const Scene scene = randomScene(6, 21);
  const Motion clip = motionOf(scene, 100 * kVrmFrame_s, 60.0, moving(scene));
  const Motion together = simulatedVrm(scene, clip).motion;
  Scene alone = scene;
  std::reverse(alone.springs.chains.begin() + 1, alone.springs.chains.end());
  CHECK(sameBits(simulatedVrm(alone, clip).motion, together));
  alone.springs.chains = {scene.springs.chains[0], scene.springs.chains[7]};
  const Motion few = simulatedVrm(alone, clip).motion;
  for (const SpringJoint& joint : scene.springs.chains[7].joints) {
    for (std::size_t f = 0; f < clip.grid.frame_count; ++f) {
      const std::size_t node = toSize(joint.node);
      CHECK(few.localsOf(f)[node] == together.localsOf(f)[node]);
    }
  }
}

TEST_CASE("the first frame has the joints at rest in the clip's pose, and only they are modified") {
  const Scene scene = randomScene(7, 9);
  const Motion clip = motionOf(scene, 50 * kVrmFrame_s, 60.0, moving(scene));
  const SimulatedVrm ours = simulatedVrm(scene, clip);
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
  const Scene scene = oneVrmBone(joint);
  const Motion clip = stillMotion(scene, 20.0, 60.0);
  const Vec3 tail = pathOfNode(scene, simulatedVrm(scene, clip).motion, 2).back();
  // Along (0.8, -0.6, 0): tan = gravity_power / stiffness.
  CHECK(distance(tail, Vec3(0.4, -0.3, 0)) < 1e-12);
}

TEST_CASE("a pre-roll lets springs of VRM settle, in a character that moves too") {
  SpringJoint joint;
  joint.stiffness = 0.8;
  joint.gravity_power = 0.6;
  const Scene scene = oneVrmBone(joint);
  DynamicBonesSettings settings;
  settings.method = DynamicBonesMethod::kVrm1;
  for (double speed_mps : {0.0, 2.0}) {
    const Motion clip = motionOf(scene, 1.0, 60.0, [=](double t, PoseView pose) {
      pose.locals[0].translation.z = speed_mps * t;
    });
    const auto spreadOf = [&](double preroll_s) {
      settings.preroll_s = preroll_s;
      const StageResult result = bake(scene, clip, settings);
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
  const Scene scene = oneVrmBone(joint);
  const Motion clip = stillMotion(scene, 2 * kVrmFrame_s, 60.0);
  const std::vector<Vec3> tails = pathOfNode(scene, simulatedVrm(scene, clip).motion, 2);
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
    return simulatedVrm(scene, motionOf(scene, 4.0, fps, moving(scene))).motion;
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
    const Scene scene = oneVrmBone(joint);
    return pathOfNode(scene,
                      simulatedVrm(scene, stillMotion(scene, steps * kVrmFrame_s, 24.0)).motion, 2)
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
  Scene scene = oneVrmBone({});
  scene.springs.kind = SpringSetup::Kind::kVrm0;
  scene.springs.chains[0].tail_length_m = 0.07;
  scene.springs.chains[0].joints[0].stiffness = 0.0;
  scene.springs.chains[0].joints[1].stiffness = 0.0;
  scene.springs.chains[0].joints[1].gravity_power = 0.6;
  const SimulatedVrm ours = simulatedVrm(scene, stillMotion(scene, kVrmFrame_s, 60.0));
  REQUIRE(ours.rig.bone_count == 2);
  // 0.6 / 60 = 1 cm down on 7 cm.
  const Quat expected = rotationBetween(Vec3(1, 0, 0), Vec3(0.07, -0.01, 0));
  CHECK(distance(ours.motion.localsOf(1)[2].rotation, expected) < 1e-14);
}

TEST_CASE("a motion of one frame shows the joints at rest") {
  const Scene scene = randomScene(3, 9);
  const Motion clip = motionOf(scene, 0.0, 60.0, moving(scene));
  const SimulatedVrm ours = simulatedVrm(scene, clip);
  CHECK(ours.counts.joint_steps == 0);
  const std::size_t node = toSize(scene.springs.chains[2].joints[0].node);
  CHECK(distance(ours.motion.localsOf(0)[node].rotation, scene.skeleton.nodes[node].rest.rotation) <
        1e-15);
}

TEST_CASE("a scene in other units and axes moves as the same scene in metres") {
  Scene metric = randomScene(10, 9);
  for (SpringChain& chain : metric.springs.chains) chain.center = -1;
  const Motion clip = motionOf(metric, 100 * kVrmFrame_s, 60.0, moving(metric));
  const Motion expected = simulatedVrm(metric, clip).motion;
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
  const Motion ours = simulatedVrm(scene, other).motion;
  for (std::size_t i = 0; i < ours.locals.size(); ++i) {
    if (i % scene.skeleton.size() == 0) continue;
    CHECK(distance(ours.locals[i].rotation, expected.locals[i].rotation) < 1e-9);
  }
}

TEST_SUITE_END();
