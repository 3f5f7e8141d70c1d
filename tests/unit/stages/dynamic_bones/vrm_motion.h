// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>

#include "stages/dynamic_bones/random_springs.h"
#include "stages/dynamic_bones/swing_scene.h"
#include "stages/dynamic_bones/vrm/vrm_springs.h"

/// Springs of VRM in small scenes, for tests.
namespace clipmill::test {

inline constexpr double kVrmFrame_s = 1.0 / 60.0;

/// A joint of a spring with the settings of VRM's default.
inline SpringJoint vrmJoint(int node) {
  SpringJoint joint;
  joint.node = node;
  return joint;
}

/// The scene's own motion, for motionOf().
inline PoseFunction moving(const Scene& scene) {
  return [&scene](double t, PoseView pose) { randomMotion(scene, t, pose); };
}

struct SimulatedVrm {
  stages::dynamic_bones::VrmRig rig;
  Motion motion;
  stages::dynamic_bones::SimulationCounts counts;
};

/// The clip with the springs of the scene simulated.
inline SimulatedVrm simulatedVrm(const Scene& scene, const Motion& clip) {
  SimulatedVrm result{stages::dynamic_bones::makeVrmRig(scene.springs, scene), clip, {}};
  result.counts = simulateVrm(result.rig, scene, clip, result.motion);
  return result;
}

/// One bone of 0.5 m that lies along +X at rest.
inline Scene oneVrmBone(const SpringJoint& settings) {
  Scene scene = chainScene(2, Vec3(0.5, 0, 0));
  scene.springs.kind = SpringSetup::Kind::kVrm1;
  SpringJoint joint = settings;
  joint.node = 1;
  scene.springs.chains = {{"bone", {joint, vrmJoint(2)}, {}, -1, 0.0}};
  return scene;
}

inline bool sameBits(const Motion& a, const Motion& b) {
  return a.locals.size() == b.locals.size() &&
         std::memcmp(a.locals.data(), b.locals.data(), a.locals.size() * sizeof(Transform)) == 0;
}

}  // namespace clipmill::test
