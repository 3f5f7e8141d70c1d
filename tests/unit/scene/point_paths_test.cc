// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/point_paths.h"

#include <cmath>

#include "checks.h"
#include "core/to_size.h"
#include "make_samples/leap.h"
#include "scene/character_scene.h"

TEST_SUITE_BEGIN("scene.point_paths");

using namespace clipmill;
using namespace clipmill::test;

TEST_CASE("paths go from the first to the last instant in equal steps") {
  const samples::Rig rig = samples::makeBodyRig();
  const Scene scene = characterScene(rig, samples::leapClip(rig));
  const Motion motion = sampled(scene);
  const NodePoint points[] = {{nodeOf(scene, "LeftFoot"), Vec3(0.0)},
                              {nodeOf(scene, "LeftFoot"), Vec3(0.1, 0.2, 0.3)},
                              {nodeOf(scene, "Root"), Vec3(0.0)}};
  const PointPaths paths = samplePoints(scene, motion, points);
  // 62 frames of 1/30 s are 248 steps of 1/120 s, whatever the last bits of the length.
  CHECK(paths.sample_count == 249);
  CHECK(std::abs(paths.timeOf(248) - motion.grid.end_s) < 1e-12);
  REQUIRE(paths.positions_m.size() == 3);
  for (std::size_t i = 0; i < motion.grid.frame_count; ++i) {
    const std::vector<Affine> worlds = worldsAt(scene, motion, i);
    const Affine& foot = worlds[toSize(points[0].node)];
    CHECK(distance(paths.positions_m[0][4 * i], foot.translation) < 1e-9);
    CHECK(distance(paths.positions_m[1][4 * i], transformPoint(foot, points[1].offset)) < 1e-9);
  }
  CHECK(distance(paths.positions_m[2].back(), Vec3(0, 0, samples::kLeap_m)) < 1e-12);
}

TEST_CASE("paths of a static and of a very long clip have a limited number of points") {
  const samples::Rig rig = samples::makeBodyRig();
  const Scene scene = characterScene(rig, samples::leapClip(rig));
  const NodePoint root{nodeOf(scene, "Root"), Vec3(0.0)};
  Motion motion = sampleClip(scene.skeleton, scene.clips[0], 0, makeGrid(0.0, 0.0, 30.0));
  CHECK(samplePoints(scene, motion, {&root, 1}).sample_count == 1);
  motion.grid.end_s = 1e9;
  motion.grid.frame_count = 2;
  CHECK(samplePoints(scene, motion, {&root, 1}).sample_count == 1'000'000);
}

TEST_SUITE_END();
