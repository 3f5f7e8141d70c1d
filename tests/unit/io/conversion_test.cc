// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/conversion.h"

#include "anim/pose.h"
#include "checks.h"
#include "io/io.h"
#include "temporary_folder.h"

TEST_SUITE_BEGIN("io.conversion");

using namespace clipmill;
using namespace clipmill::io;
using namespace clipmill::test;

namespace {

KeyTimes keyTimesOf(std::vector<double> times) {
  return std::make_shared<const std::vector<double>>(std::move(times));
}

// Two joints, half a metre apart, in centimetres; the lower one rotates from 2 to 4 seconds.
Scene armScene() {
  Scene scene;
  scene.skeleton.nodes.resize(2);
  scene.skeleton.nodes[0].name = "Upper";
  scene.skeleton.nodes[1].name = "Lower";
  scene.skeleton.nodes[1].parent = 0;
  scene.skeleton.nodes[1].source_id = 1;
  scene.skeleton.nodes[1].rest.translation = Vec3(0, 50, 0);
  scene.metric_from_file.linear *= 0.01;
  Clip clip{"Bend", 2.0, 4.0, 30.0, TrackMask(2), nullptr};
  clip.animated.set(1, TrackPath::kRotation);
  const Quat end = rotationAbout(Vec3(0, 0, 1), 1.0);
  clip.source = keyframeSource(scene.skeleton, {{1,
                                                 TrackPath::kRotation,
                                                 Interpolation::kLinear,
                                                 4,
                                                 keyTimesOf({2.0, 4.0}),
                                                 {0, 0, 0, 1, end.x, end.y, end.z, end.w}}});
  scene.clips = {clip};
  return scene;
}

std::vector<ClipEdit> liftedRoot() {
  return {{0,
           {{0,
             TrackPath::kTranslation,
             Interpolation::kLinear,
             3,
             keyTimesOf({2.0, 4.0}),
             {0, 0, 0, 0, 100, 0}}}}};
}

// Kept while its scene is in use.
struct Converted {
  TemporaryFolder folder;
  Asset asset;
  Warnings warnings;

  explicit Converted(const Scene& scene, std::span<const ClipEdit> edits = {},
                     const ConversionKeys& keys = {}, const std::string& name = "out.glb") {
    auto output = convertScene(scene, edits, keys, {}, name, {});
    CHECK_OK(output);
    warnings = output->warnings;
    auto read = load(folder.write(name, output->main), {});
    CHECK_OK(read);
    asset = std::move(*read);
  }

  Pose at(double time_s) const {
    Pose pose = restPose(asset.scene.skeleton);
    asset.scene.clips.at(0).source->cursor()->sample(time_s, pose.view());
    return pose;
  }
};

}  // namespace

TEST_CASE("A converted clip starts at 0 s, with a warning") {
  const Converted out(armScene());
  const Clip& clip = out.asset.scene.clips.at(0);
  CHECK(clip.name == "Bend");
  CHECK(clip.start_s == 0.0);
  CHECK(clip.end_s == 2.0);
  CHECK(out.warnings.count("clip_moved_to_zero") == 1);
  for (const double t : {0.0, 0.3, 1.0, 1.77, 2.0}) {
    const Pose pose = out.at(t);
    CHECK(distance(pose.locals[1].rotation, rotationAbout(Vec3(0, 0, 1), 0.5 * t)) < 3e-5);
    CHECK(distance(pose.locals[1].translation, Vec3(0, 0.5, 0)) < 1e-7);
  }
}

TEST_CASE("Every frame becomes a key with every_frame") {
  ConversionKeys keys;
  keys.every_frame = true;
  keys.fps = 10.0;
  const Converted out(armScene(), {}, keys);
  CHECK(out.asset.scene.clips.at(0).start_s == 0.0);
  CHECK(out.asset.scene.clips.at(0).fps == 30.0);  // tenths of a second are frames of 30 too
  for (const double t : {0.0, 0.35, 2.0}) {
    CHECK(distance(out.at(t).locals[1].rotation, rotationAbout(Vec3(0, 0, 1), 0.5 * t)) < 1e-6);
  }
}

TEST_CASE("New keys replace those of the clip") {
  for (const bool every_frame : {false, true}) {
    ConversionKeys keys;
    keys.every_frame = every_frame;
    const Converted out(armScene(), liftedRoot(), keys);
    const Pose pose = out.at(1.5);
    CHECK(distance(pose.locals[0].translation, Vec3(0, 0.75, 0)) < 1e-5);
    CHECK(distance(pose.locals[1].rotation, rotationAbout(Vec3(0, 0, 1), 0.75)) < 3e-5);
  }
}

TEST_CASE("A clip without motion stays a clip") {
  Scene scene = armScene();
  scene.clips[0].animated = TrackMask(2);
  scene.clips[0].source = keyframeSource(scene.skeleton, {});
  const Converted out(scene);
  REQUIRE(out.asset.scene.clips.size() == 1);
  CHECK(out.asset.scene.clips[0].end_s == 2.0);
  CHECK(distance(out.at(1.0).locals[1].translation, Vec3(0, 0.5, 0)) < 1e-7);
}

TEST_CASE("A clip longer than memory allows is refused by name") {
  Scene scene = armScene();
  scene.clips[0].end_s = 1e12;
  for (const bool every_frame : {false, true}) {
    ConversionKeys keys;
    keys.every_frame = every_frame;
    const auto output = convertScene(scene, {}, keys, {}, "out.glb", {});
    REQUIRE(!output.ok());
    CHECK(output.error().code == ErrorCode::kLimit);
    CHECK(output.error().location == "Bend");
  }
}

TEST_CASE("Any number of threads gives the same bytes") {
  Scene scene = armScene();
  for (int i = 0; i < 5; ++i) scene.clips.push_back(scene.clips[0]);
  Bytes first;
  for (const int threads : {1, 2, 7}) {
    ConversionKeys keys;
    keys.threads = threads;
    const auto output = convertScene(scene, {}, keys, {}, "out.glb", {});
    CHECK_OK(output);
    if (first.empty()) first = output->main;
    CHECK(output->main == first);
  }
}

TEST_CASE("FBX gets the same motion") {
  const Converted out(armScene(), liftedRoot(), {}, "out.fbx");
  const Scene& scene = out.asset.scene;
  REQUIRE(scene.skeleton.size() == 2);
  for (const double t : {0.0, 0.3, 1.01, 2.0}) {
    const Pose pose = out.at(t);
    std::vector<Affine> worlds;
    computeWorlds(scene.skeleton, pose.locals, scene.metric_from_file, worlds);
    CHECK(distance(worlds[1].translation, Vec3(0, 0.5 + 0.5 * t, 0)) < 2e-5);
    CHECK(distance(rotationOf(worlds[1]), rotationAbout(Vec3(0, 0, 1), 0.5 * t)) < 5e-5);
  }
}

TEST_SUITE_END();
