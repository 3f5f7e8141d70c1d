// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/additions.h"

#include "checks.h"
#include "core/to_size.h"

TEST_SUITE_BEGIN("scene.additions");

namespace {

using namespace clipmill;

// Three nodes, of which the first has one morph and the last two, with a clip that keys the
// first of the last.
Scene threeNodes() {
  Scene scene;
  scene.skeleton.nodes.resize(3);
  for (int n = 0; n < 3; ++n) {
    scene.skeleton.nodes[toSize(n)].source_id = n;
    SkinnedMesh mesh;
    mesh.node = n;
    mesh.positions = {Vec3(n, 0, 0), Vec3(n, 1, 0)};
    scene.meshes.push_back(mesh);
  }
  scene.skeleton.nodes[0].weights_count = 1;
  scene.skeleton.nodes[1].weights_start = 1;
  scene.skeleton.nodes[2].weights_start = 1;
  scene.skeleton.nodes[2].weights_count = 2;
  scene.skeleton.rest_weights = {0.1, 0.2, 0.3};
  scene.meshes[0].morphs.resize(1);
  scene.meshes[2].morphs.resize(2);
  Track track;
  track.node = 2;
  track.path = TrackPath::kWeights;
  track.width = 2;
  track.times_s = std::make_shared<const std::vector<double>>(std::vector<double>{0.0, 1.0});
  track.values = {0.0, 0.5, 1.0, 0.5};
  Clip clip;
  clip.end_s = 1.0;
  clip.fps = 2.0;
  clip.animated = TrackMask(3);
  clip.source = keyframeSource(scene.skeleton, {track});
  scene.clips.push_back(clip);
  return scene;
}

const std::vector<AddedMorph> kTwo = {{0, "a", {Vec3(1), Vec3(2)}}, {1, "b", {Vec3(3), Vec3(4)}}};

Additions ofMorphs(std::vector<AddedMorph> morphs) { return {std::move(morphs), {}}; }

}  // namespace

TEST_CASE("New weights follow those of their node, and clips give 0 for them") {
  const Scene before = threeNodes();
  const Scene after = withAdditions(before, ofMorphs(kTwo));
  CHECK(after.skeleton.rest_weights == std::vector<double>{0.1, 0.0, 0.0, 0.2, 0.3});
  CHECK(after.skeleton.nodes[1].weights_start == 2);
  CHECK(after.skeleton.nodes[1].weights_count == 1);
  CHECK(after.skeleton.nodes[2].weights_start == 3);
  Pose pose = restPose(after.skeleton);
  after.clips[0].source->cursor()->sample(0.5, pose.view());
  CHECK(pose.weights == std::vector<double>{0.1, 0.0, 0.0, 0.5, 0.5});
  CHECK(after.meshes[0].morphs.size() == 2);
  CHECK(after.meshes[1].morphs[0].position_deltas == kTwo[1].position_deltas);
  CHECK(after.meshes[2].morphs.size() == 2);
}

TEST_CASE("Morphs of one node that has several meshes are cut at their vertices") {
  Scene scene = threeNodes();
  scene.meshes[1].node = 0;
  const Additions morphs = ofMorphs({{0, "", {Vec3(1), Vec3(2), Vec3(3), Vec3(4)}}});
  CHECK_OK(checkAdditions(scene, morphs));
  const Scene after = withAdditions(scene, morphs);
  CHECK(after.meshes[0].morphs.at(1).position_deltas == std::vector<Vec3>{Vec3(1), Vec3(2)});
  // The second lacked the node's own morph: its new one must not take that one's weight.
  CHECK(after.meshes[1].morphs.at(0).position_deltas.empty());
  CHECK(after.meshes[1].morphs.at(1).position_deltas == std::vector<Vec3>{Vec3(3), Vec3(4)});
}

TEST_CASE("A motion gets the new weights as zeros and keeps its other weights") {
  const Scene before = threeNodes();
  const Scene after = withAdditions(before, ofMorphs(kTwo));
  const Motion motion = sampleClip(before.skeleton, before.clips[0], 0, makeGrid(0.0, 1.0, 2.0));
  const Motion wide = withAdditions(before.skeleton, after.skeleton, motion);
  REQUIRE(wide.weight_count == 5);
  const auto middle = wide.weightsOf(1);
  CHECK(std::vector<double>(middle.begin(), middle.end()) ==
        std::vector<double>{0.1, 0.0, 0.0, 0.5, 0.5});
  CHECK(wide.locals == motion.locals);
}

TEST_CASE("Additions in two steps equal additions in one") {
  const Scene before = threeNodes();
  const Scene once = withAdditions(before, ofMorphs(kTwo));
  const Scene twice =
      withAdditions(withAdditions(before, ofMorphs({kTwo[0]})), ofMorphs({kTwo[1]}));
  CHECK(once.skeleton.rest_weights == twice.skeleton.rest_weights);
  for (const Scene* scene : {&once, &twice}) {
    Pose pose = restPose(scene->skeleton);
    scene->clips[0].source->cursor()->sample(1.0, pose.view());
    CHECK(pose.weights == std::vector<double>{0.1, 0.0, 0.0, 1.0, 0.5});
  }
}

TEST_CASE("Morphs that do not fit are reported") {
  const Scene scene = threeNodes();
  const auto refused = [&](AddedMorph morph) {
    return !checkAdditions(scene, ofMorphs({std::move(morph)})).ok();
  };
  CHECK(refused({7, "", {Vec3(1), Vec3(2)}}));
  CHECK(refused({0, "", {Vec3(1)}}));
  CHECK(refused({0, "", {Vec3(1), Vec3(HUGE_VAL)}}));
  CHECK(refused({0, "", {Vec3(1), Vec3(2)}, {Vec3(1)}}));
  CHECK_FALSE(refused({0, "", {Vec3(1), Vec3(2)}}));
}
