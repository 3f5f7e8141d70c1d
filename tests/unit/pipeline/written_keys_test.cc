// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/written_keys.h"

#include "checks.h"

TEST_SUITE_BEGIN("pipeline.written_keys");

using namespace clipmill;
using namespace clipmill::pipeline;

namespace {

constexpr std::size_t kFrames = 61;

// A vertex with a morph of 1 m whose weight is the square of the time, and one of 10 m whose weight
// is `other` at the end of the clip and 1 before.
std::size_t keysBeside(double other) {
  Scene scene;
  scene.skeleton.nodes.resize(1);
  scene.skeleton.nodes[0].weights_count = 2;
  scene.skeleton.rest_weights.assign(2, 0.0);
  SkinnedMesh mesh;
  mesh.node = 0;
  mesh.positions = {Vec3(0.0)};
  mesh.morphs = {{"moving", {Vec3(1, 0, 0)}, {}}, {"held", {Vec3(0, 10, 0)}, {}}};
  scene.meshes = {mesh};
  scene.clips.resize(1);
  Motion motion;
  motion.grid = makeGrid(0.0, 1.0, kFrames - 1.0);
  motion.node_count = 1;
  motion.weight_count = 2;
  motion.modified = TrackMask(1);
  motion.modified.set(0, TrackPath::kWeights);
  for (std::size_t f = 0; f < kFrames; ++f) {
    const double time_s = motion.grid.timeOf(f);
    motion.locals.push_back({});
    motion.weights.insert(motion.weights.end(), {time_s * time_s, f + 1 == kFrames ? other : 1.0});
  }
  const std::vector<AddedMorph> added = {{0, "moving", {Vec3(1, 0, 0)}},
                                         {0, "held", {Vec3(0, 10, 0)}}};
  std::vector<ClipReport> reports(1);
  OutputSettings output;
  output.key_tolerance_mm = 1.0;
  const auto keys = keysToWrite(scene, output, added, {motion}, 1, reports);
  REQUIRE(keys.size() == 1);
  return reports[0].keys_after;
}

}  // namespace

TEST_CASE("A morph with a constant weight does not reduce the tolerance of the others") {
  // A chord of a parabola over the time h is off by h * h / 4: over a millimetre's 0.0632 s,
  // between frames three of sixty. 20 chords, and what a greedy walk wastes.
  const std::size_t alone = keysBeside(1.0);
  CHECK(alone >= 17);
  CHECK(alone <= 23);
  // One that moves shares the millimetre with it, eleven to one.
  CHECK(keysBeside(0.0) > 2 * alone);
}
