// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "checks.h"
#include "mesh/skinning.h"
#include "stages/tet_bake/make_limb.h"
#include "stages/tet_bake/tet_bake.h"

/// A limb that bends or twists, and what a bake makes of it.
namespace clipmill::test {

inline constexpr std::size_t kFrames = 10;
inline constexpr std::int64_t kMaxTestTets = 12000;

/// The lower bone rotates about `axis` up to `angle_deg`; the whole limb rotates half as far.
inline Motion rotatingLimb(const Scene& scene, const Vec3& axis, double angle_deg) {
  Motion motion;
  motion.clip_name = "Bend";
  motion.grid = makeGrid(0.0, (kFrames - 1) / 30.0, 30.0);
  motion.node_count = scene.skeleton.size();
  motion.modified = TrackMask(motion.node_count);
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    std::vector<Transform> locals = restPose(scene.skeleton).locals;
    const double angle = angle_deg * kDegree * static_cast<double>(f) /
                         static_cast<double>(motion.grid.frame_count - 1);
    locals[1].rotation = rotationAbout(axis, angle);
    locals[0].rotation = rotationAbout(Vec3(0, 1, 0), 0.5 * angle);
    motion.locals.insert(motion.locals.end(), locals.begin(), locals.end());
  }
  return motion;
}

inline double volumeOf(const SkinnedMesh& mesh, const std::vector<Vec3>& positions) {
  double six = 0.0;
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) {
    six += glm::dot(positions[mesh.triangles[t]],
                    glm::cross(positions[mesh.triangles[t + 1]], positions[mesh.triangles[t + 2]]));
  }
  return six / 6.0;
}

// Positions of the vertices as a player shows them, file units.
inline std::vector<Vec3> shownAt(const Scene& scene, const Motion& motion, std::size_t frame) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, motion.localsOf(frame), {}, worlds);
  PosedVertices posed;
  poseMesh(scene.meshes[0], &scene.skins[0], worlds, motion.weightsOf(frame), posed);
  return posed.positions;
}

inline double volumeAt(const Scene& scene, const Motion& motion, std::size_t frame) {
  return volumeOf(scene.meshes[0], shownAt(scene, motion, frame));
}

inline stages::StageOutput bakedLimb(const Scene& scene, const Motion& motion,
                                     stages::tet_bake::TetBakeSettings settings = {},
                                     int threads = 1) {
  settings.max_tets = std::min(settings.max_tets, kMaxTestTets);
  const std::vector<Motion> motions = {motion};
  auto output = stages::tet_bake::runTetBake({scene, motions, threads}, settings);
  CHECK_OK(output);
  return std::move(*output);
}

inline Metric metricNamed(const stages::StageResult& result, const std::string& name) {
  for (const Metric& metric : result.metrics) {
    if (metric.name == name) return metric;
  }
  FAIL("no metric " << name);
  return {};
}

inline double metricOf(const stages::StageResult& result, const std::string& name) {
  return metricNamed(result, name).after.value();
}

}  // namespace clipmill::test
