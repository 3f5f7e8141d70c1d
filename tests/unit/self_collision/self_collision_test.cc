// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/self_collision.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "checks.h"
#include "self_collision/box_figure.h"
#include "stages/registry.h"

TEST_SUITE_BEGIN("self_collision.stage");

using namespace clipmill;
using enum HumanoidRole;
using test::turnOutwards;

namespace {

SelfCollisionSettings settingsOf(SelfCollisionMethod method) {
  SelfCollisionSettings settings;
  settings.method = method;
  return settings;
}

const SelfCollisionSettings kReferenceMethod = settingsOf(SelfCollisionMethod::kReference);

StageResult runOn(const test::BoxFigure& figure, const Motion& motion,
                  const SelfCollisionSettings& settings) {
  auto results = runSelfCollision({figure.scene(), std::span(&motion, 1), 1}, settings);
  CHECK_OK(results);
  return std::move(results->front());
}

Error errorOf(const test::BoxFigure& figure, const SelfCollisionSettings& settings) {
  const Motion motion = figure.still(3);
  const auto results = runSelfCollision({figure.scene(), std::span(&motion, 1), 1}, settings);
  REQUIRE_FALSE(results.ok());
  return results.error();
}

const Metric& metricOf(const StageResult& result, const std::string& name) {
  const auto found = std::find_if(result.metrics.begin(), result.metrics.end(),
                                  [&](const Metric& metric) { return metric.name == name; });
  REQUIRE(found != result.metrics.end());
  return *found;
}

// The left arm hangs in the trunk at some frames and is stretched out at the others.
Motion hangingAt(test::BoxFigure& figure, std::size_t frames, const std::vector<std::size_t>& at) {
  Motion motion = figure.still(frames);
  for (std::size_t i : at) turnOutwards(figure, motion, i, kLeftUpperArm, -90.0);
  return motion;
}

}  // namespace

TEST_CASE("only the tracks of the arm that ran into the body are touched") {
  test::BoxFigure figure = test::boxFigure();
  const Motion motion = hangingAt(figure, 10, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  for (SelfCollisionMethod method :
       {SelfCollisionMethod::kExact, SelfCollisionMethod::kReference}) {
    const StageResult result = runOn(figure, motion, settingsOf(method));
    for (int node = 0; node < static_cast<int>(motion.node_count); ++node) {
      const bool is_of_arm = node >= figure.at(kLeftShoulder) && node <= figure.at(kLeftHand);
      CHECK_FALSE((result.motion.touched.any(node) && !is_of_arm));
      CHECK_FALSE(result.motion.touched.has(node, TrackPath::kTranslation));
      if (result.motion.touched.any(node)) continue;
      for (std::size_t i = 0; i < 10; ++i) {
        const auto n = static_cast<std::size_t>(node);
        CHECK(result.motion.localsOf(i)[n] == motion.localsOf(i)[n]);
      }
    }
    CHECK(result.motion.touched.has(figure.at(kLeftUpperArm), TrackPath::kRotation));
    CHECK(metricOf(result, "frames_deeper_percent").before == 100.0);
    CHECK(metricOf(result, "frames_deeper_percent").after == 0.0);
  }
}

TEST_CASE("what is left at skipped frames is in the report, by skin and by boxes") {
  test::BoxFigure figure = test::boxFigure();
  const Motion motion = hangingAt(figure, 7, {1, 4, 5});
  const StageResult result = runOn(figure, motion, kReferenceMethod);
  for (const char* name : {"key_frames_hit_percent", "key_frames_boxes_hit_percent"}) {
    CHECK(metricOf(result, name).before == 0.0);
    CHECK(metricOf(result, name).after == 0.0);
  }
  for (const char* name : {"skipped_frames_hit_percent", "skipped_frames_boxes_hit_percent"}) {
    CHECK(metricOf(result, name).before == 75.0);
    CHECK(metricOf(result, name).after == 75.0);
  }
  CHECK(result.motion.locals == motion.locals);
  CHECK(result.motion.touched.none());
}

// The arm swings past the side within three frames: free in front of the trunk at one key, free
// behind it at the next, and slerp between them takes it through.
TEST_CASE("between two free keys an arm stays in the body") {
  test::BoxFigure figure = test::boxFigure();
  Motion motion = figure.still(4);
  const Quat down = rotationAbout({0, 0, 1}, -95.0 * kDegree);
  for (std::size_t i = 0; i < 4; ++i) {
    const double swing_deg = -60.0 + 40.0 * static_cast<double>(i);  // to the front and back
    test::localAt(motion, i, figure.at(kLeftUpperArm)).rotation =
        rotationAbout({1, 0, 0}, swing_deg * kDegree) * down;
  }
  const StageResult result = runOn(figure, motion, kReferenceMethod);
  CHECK(metricOf(result, "key_frames_hit_percent").before == 0.0);
  CHECK(metricOf(result, "skipped_frames_hit_percent").before == 100.0);
  CHECK(metricOf(result, "skipped_frames_hit_percent").after == 100.0);
}

TEST_CASE("clips of one and of two frames are freed") {
  for (SelfCollisionMethod method :
       {SelfCollisionMethod::kExact, SelfCollisionMethod::kReference}) {
    for (std::size_t frames : {1, 2}) {
      test::BoxFigure figure = test::boxFigure();
      const Motion motion =
          hangingAt(figure, frames,
                    frames == 1 ? std::vector<std::size_t>{0} : std::vector<std::size_t>{0, 1});
      const StageResult result = runOn(figure, motion, settingsOf(method));
      CHECK(metricOf(result, "frames_deeper_percent").before == 100.0);
      CHECK(metricOf(result, "frames_deeper_percent").after == 0.0);
    }
  }
}

TEST_CASE("without a human figure the stage stops and tells how to give one") {
  test::BoxFigure figure = test::boxFigure();
  Scene& scene = figure.scene();
  scene.skeleton = test::makeChain(4);
  scene.skins.clear();
  scene.meshes.clear();
  const Error error = errorOf(figure, {});
  CHECK(error.code == ErrorCode::kUnsupported);
  CHECK(error.message.find("no human figure") != std::string::npos);
  CHECK(error.remedy.find("map") != std::string::npos);
}

TEST_CASE("a figure below the confidence stops the stage with the map that was found") {
  test::BoxFigure figure = test::boxFigure();
  SelfCollisionSettings settings;
  settings.map = {"leftHand=rightHand", "rightHand=leftHand"};
  settings.min_confidence = 1.0;
  const Error error = errorOf(figure, settings);
  CHECK(error.code == ErrorCode::kUnsupported);
  CHECK(error.message.find("confidence 0.") != std::string::npos);
  CHECK(error.message.find("hips=hips") != std::string::npos);
  CHECK(error.message.find("min_confidence is 1") != std::string::npos);
  CHECK(error.remedy.find("min_confidence") != std::string::npos);
  CHECK(error.remedy.find("map") != std::string::npos);
  settings.min_confidence = 0.0;
  CHECK(runOn(figure, figure.still(2), settings).motion.touched.none());
}

TEST_CASE("a role that is given stands before what names tell") {
  test::BoxFigure figure = test::boxFigure();
  figure.scene().skeleton.nodes[static_cast<std::size_t>(figure.at(kLeftUpperArm))].name = "Flap";
  figure.scene().skeleton.nodes[static_cast<std::size_t>(figure.at(kLeftLowerArm))].name = "Flip";
  SelfCollisionSettings settings = kReferenceMethod;
  settings.map = {"leftUpperArm=Flap", "leftLowerArm=Flip"};
  const Motion motion = hangingAt(figure, 3, {0, 1, 2});
  CHECK(runOn(figure, motion, settings).motion.touched.any(figure.at(kLeftUpperArm)));
  settings.map = {"leftArm=Flap"};
  CHECK(errorOf(figure, settings).code == ErrorCode::kRecipe);
  settings.map = {"leftUpperArm=Flop"};
  CHECK(errorOf(figure, settings).code == ErrorCode::kNotFound);
}

TEST_CASE("without meshes, skins or weights there is nothing to free, and that is said") {
  test::BoxFigure figure = test::boxFigure();
  const std::vector<SkinnedMesh> meshes = figure.scene().meshes;
  figure.scene().meshes.clear();
  CHECK(errorOf(figure, {}).code == ErrorCode::kUnsupported);
  figure.scene().meshes = meshes;
  figure.scene().meshes[0].skin = -1;
  CHECK(errorOf(figure, {}).code == ErrorCode::kUnsupported);
  figure.scene().meshes = meshes;
  figure.scene().meshes[0].influences.clear();
  figure.scene().meshes[0].influence_begin.clear();
  CHECK(errorOf(figure, {}).code == ErrorCode::kUnsupported);
}

TEST_CASE("a skin in several meshes and skins gives the same motion") {
  for (SelfCollisionMethod method :
       {SelfCollisionMethod::kExact, SelfCollisionMethod::kReference}) {
    test::BoxFigure one = test::boxFigure();
    test::BoxFigure two = test::boxFigure();
    Scene& scene = two.scene();
    scene.skins.push_back(scene.skins[0]);
    const std::size_t half = two.boxes.size() / 2;
    const std::vector<test::SkinBox> first(two.boxes.begin(),
                                           two.boxes.begin() + static_cast<std::ptrdiff_t>(half));
    const std::vector<test::SkinBox> second(two.boxes.begin() + static_cast<std::ptrdiff_t>(half),
                                            two.boxes.end());
    scene.meshes = {test::meshOf(first, two.human), test::meshOf(second, two.human)};
    scene.meshes[1].skin = 1;
    const Motion motion = hangingAt(one, 6, {2, 3, 4, 5});
    const StageResult of_one = runOn(one, motion, settingsOf(method));
    const StageResult of_two = runOn(two, motion, settingsOf(method));
    CHECK_FALSE(of_one.motion.touched.none());
    for (std::size_t i = 0; i < motion.locals.size(); ++i) {
      CHECK(test::distance(of_one.motion.locals[i].rotation, of_two.motion.locals[i].rotation) <
            1e-9);
    }
  }
}

TEST_CASE("mirrored, turned and scaled rigs come free as well") {
  Transform mirrored, turned;
  mirrored.scale = Vec3(-1.0, 1.0, 1.0);
  turned.rotation = rotationAbout({1, 0, 0}, 90.0 * kDegree);
  for (SelfCollisionMethod method :
       {SelfCollisionMethod::kExact, SelfCollisionMethod::kReference}) {
    for (const Transform& root : {mirrored, turned}) {
      for (double units_per_metre : {1.0, 100.0}) {
        test::BoxFigureOptions options;
        options.root = root;
        options.units_per_metre = units_per_metre;
        test::BoxFigure figure = test::boxFigure(options);
        const Motion motion = hangingAt(figure, 4, {0, 1, 2, 3});
        SelfCollisionSettings settings = settingsOf(method);
        settings.min_confidence = 0.0;
        const StageResult result = runOn(figure, motion, settings);
        CHECK(metricOf(result, "frames_deeper_percent").before == 100.0);
        CHECK(metricOf(result, "frames_deeper_percent").after == 0.0);
      }
    }
  }
}

TEST_CASE("a figure with one arm is freed, and the missing one is told") {
  test::BoxFigure figure = test::boxFigure();
  SelfCollisionSettings settings = kReferenceMethod;
  settings.map = {"rightUpperArm=", "rightLowerArm=", "rightHand="};
  settings.min_confidence = 0.0;
  const Motion motion = hangingAt(figure, 4, {0, 1, 2, 3});
  const StageResult result = runOn(figure, motion, settings);
  CHECK(result.motion.touched.any(figure.at(kLeftUpperArm)));
  CHECK(result.warnings.count("limb_missing") == 1);
}

TEST_CASE("a limb without hand is turned at its root and told") {
  test::BoxFigureOptions options;
  options.without_hands = true;
  test::BoxFigure figure = test::boxFigure(options);
  SelfCollisionSettings settings = kReferenceMethod;
  settings.min_confidence = 0.0;
  const StageResult result = runOn(figure, hangingAt(figure, 4, {0, 1, 2, 3}), settings);
  CHECK(result.motion.touched.any(figure.at(kLeftUpperArm)));
  CHECK_FALSE(result.motion.touched.any(figure.at(kLeftLowerArm)));
  CHECK(result.warnings.count("hand_missing") == 2);
}

TEST_CASE("what is inside at rest counts in no pose and is told") {
  test::BoxFigureOptions options;
  options.trunk_half_width_m = 0.8;  // up to beyond the hands
  test::BoxFigure figure = test::boxFigure(options);
  const Motion motion = figure.still(4);
  const StageResult result = runOn(figure, motion, kReferenceMethod);
  CHECK(result.warnings.count("touches_at_rest") == 2);
  CHECK(metricOf(result, "frames_deeper_percent").before == 0.0);
  CHECK(result.motion.touched.none());
}

TEST_CASE("threads change nothing") {
  test::BoxFigure figure = test::boxFigure();
  const std::vector<Motion> motions = {hangingAt(figure, 9, {1, 2, 3, 4}),
                                       hangingAt(figure, 9, {5, 6, 7, 8}),
                                       hangingAt(figure, 9, {0, 3, 8})};
  for (SelfCollisionMethod method :
       {SelfCollisionMethod::kExact, SelfCollisionMethod::kReference}) {
    const auto one = runSelfCollision({figure.scene(), motions, 1}, settingsOf(method));
    const auto three = runSelfCollision({figure.scene(), motions, 3}, settingsOf(method));
    CHECK_OK(one);
    CHECK_OK(three);
    for (std::size_t i = 0; i < motions.size(); ++i) {
      CHECK((*one)[i].motion.locals == (*three)[i].motion.locals);
      CHECK(metricOf((*one)[i], "deepest_percent").after ==
            metricOf((*three)[i], "deepest_percent").after);
    }
  }
}

TEST_CASE("the figure that was found is noted") {
  const test::BoxFigure figure = test::boxFigure();
  const auto resolved = resolveSelfCollision(figure.scene(), {});
  CHECK_OK(resolved);
  REQUIRE(resolved->notes.size() == 1);
  CHECK(resolved->notes[0] == "human figure by names, 22 roles, confidence 1.00");
}

TEST_CASE("the stage is one of those that recipes know") {
  const StageType* type = findStageType("self-collision");
  REQUIRE(type);
  CHECK(type->needs_meshes(nullptr));
  CHECK(type->settings->field("method")->choices == std::vector<std::string>{"exact", "reference"});
  CHECK(type->settings->field("tolerance_percent"));
}

TEST_SUITE_END();
