// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/self_collision.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "checks.h"
#include "core/to_size.h"
#include "stages/registry.h"
#include "stages/self_collision/box_character.h"

TEST_SUITE_BEGIN("self_collision.stage");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::stages;
using namespace clipmill::stages::self_collision;
using enum HumanoidRole;
using test::rotateOutwards;

namespace {

SelfCollisionSettings settingsOf(SelfCollisionMethod method) {
  SelfCollisionSettings settings;
  settings.method = method;
  return settings;
}

const SelfCollisionSettings kReferenceMethod = settingsOf(SelfCollisionMethod::kReference);

StageResult runOn(const test::BoxCharacter& character, const Motion& motion,
                  const SelfCollisionSettings& settings) {
  auto results = runSelfCollision({character.scene(), std::span(&motion, 1), 1}, settings);
  CHECK_OK(results);
  return std::move(results->front());
}

Error errorOf(const test::BoxCharacter& character, const SelfCollisionSettings& settings) {
  const Motion motion = character.still(3);
  const auto results = runSelfCollision({character.scene(), std::span(&motion, 1), 1}, settings);
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
Motion hangingAt(test::BoxCharacter& character, std::size_t frames,
                 const std::vector<std::size_t>& at) {
  Motion motion = character.still(frames);
  for (std::size_t i : at) rotateOutwards(character, motion, i, kLeftUpperArm, -90.0);
  return motion;
}

}  // namespace

TEST_CASE("only the tracks of the arm that penetrates the body are modified") {
  test::BoxCharacter character = test::boxCharacter();
  const Motion motion = hangingAt(character, 10, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  for (SelfCollisionMethod method :
       {SelfCollisionMethod::kExact, SelfCollisionMethod::kReference}) {
    const StageResult result = runOn(character, motion, settingsOf(method));
    for (int node = 0; node < static_cast<int>(motion.node_count); ++node) {
      const bool is_of_arm = node >= character.at(kLeftShoulder) && node <= character.at(kLeftHand);
      CHECK_FALSE((result.motion.modified.any(node) && !is_of_arm));
      CHECK_FALSE(result.motion.modified.has(node, TrackPath::kTranslation));
      if (result.motion.modified.any(node)) continue;
      for (std::size_t i = 0; i < 10; ++i) {
        const auto n = toSize(node);
        CHECK(result.motion.localsOf(i)[n] == motion.localsOf(i)[n]);
      }
    }
    CHECK(result.motion.modified.has(character.at(kLeftUpperArm), TrackPath::kRotation));
    CHECK(metricOf(result, "penetrating_frames_percent").before == 100.0);
    CHECK(metricOf(result, "penetrating_frames_percent").after == 0.0);
  }
}

TEST_CASE("what is left at skipped frames is in the report, by skin and by boxes") {
  test::BoxCharacter character = test::boxCharacter();
  const Motion motion = hangingAt(character, 7, {1, 4, 5});
  const StageResult result = runOn(character, motion, kReferenceMethod);
  for (const char* name : {"key_frames_penetrating_percent", "key_frames_boxes_overlap_percent"}) {
    CHECK(metricOf(result, name).before == 0.0);
    CHECK(metricOf(result, name).after == 0.0);
  }
  for (const char* name :
       {"skipped_frames_penetrating_percent", "skipped_frames_boxes_overlap_percent"}) {
    CHECK(metricOf(result, name).before == 75.0);
    CHECK(metricOf(result, name).after == 75.0);
  }
  CHECK(result.motion.locals == motion.locals);
  CHECK(result.motion.modified.none());
}

// The arm swings past the side within three frames: free in front of the trunk at one key, free
// behind it at the next, and slerp between them takes it through.
TEST_CASE("between two free keys an arm stays in the body") {
  test::BoxCharacter character = test::boxCharacter();
  Motion motion = character.still(4);
  const Quat down = rotationAbout({0, 0, 1}, -95.0 * kDegree);
  for (std::size_t i = 0; i < 4; ++i) {
    const double swing_deg = -60.0 + 40.0 * static_cast<double>(i);  // to the front and back
    test::localAt(motion, i, character.at(kLeftUpperArm)).rotation =
        rotationAbout({1, 0, 0}, swing_deg * kDegree) * down;
  }
  const StageResult result = runOn(character, motion, kReferenceMethod);
  CHECK(metricOf(result, "key_frames_penetrating_percent").before == 0.0);
  CHECK(metricOf(result, "skipped_frames_penetrating_percent").before == 100.0);
  CHECK(metricOf(result, "skipped_frames_penetrating_percent").after == 100.0);
}

TEST_CASE("clips of one and of two frames are resolved") {
  for (SelfCollisionMethod method :
       {SelfCollisionMethod::kExact, SelfCollisionMethod::kReference}) {
    for (std::size_t frames : {1, 2}) {
      test::BoxCharacter character = test::boxCharacter();
      const Motion motion =
          hangingAt(character, frames,
                    frames == 1 ? std::vector<std::size_t>{0} : std::vector<std::size_t>{0, 1});
      const StageResult result = runOn(character, motion, settingsOf(method));
      CHECK(metricOf(result, "penetrating_frames_percent").before == 100.0);
      CHECK(metricOf(result, "penetrating_frames_percent").after == 0.0);
    }
  }
}

TEST_CASE("without a humanoid the stage stops and names a remedy") {
  test::BoxCharacter character = test::boxCharacter();
  Scene& scene = character.scene();
  scene.skeleton = test::makeChain(4);
  scene.skins.clear();
  scene.meshes.clear();
  const Error error = errorOf(character, {});
  CHECK(error.code == ErrorCode::kUnsupported);
  CHECK(error.message.find("no humanoid was found") != std::string::npos);
  CHECK(error.remedy.find("map") != std::string::npos);
}

TEST_CASE("a humanoid below min_confidence stops the stage with the map that was found") {
  test::BoxCharacter character = test::boxCharacter();
  SelfCollisionSettings settings;
  settings.humanoid_map = {"leftHand=rightHand", "rightHand=leftHand"};
  settings.min_confidence = 1.0;
  const Error error = errorOf(character, settings);
  CHECK(error.code == ErrorCode::kUnsupported);
  CHECK(error.message.find("confidence 0.") != std::string::npos);
  CHECK(error.message.find("hips=hips") != std::string::npos);
  CHECK(error.message.find("min_confidence is 1") != std::string::npos);
  CHECK(error.remedy.find("min_confidence") != std::string::npos);
  CHECK(error.remedy.find("map") != std::string::npos);
  settings.min_confidence = 0.0;
  CHECK(runOn(character, character.still(2), settings).motion.modified.none());
}

TEST_CASE("a role in humanoid_map overrides detection by names") {
  test::BoxCharacter character = test::boxCharacter();
  character.scene().skeleton.nodes[toSize(character.at(kLeftUpperArm))].name = "Flap";
  character.scene().skeleton.nodes[toSize(character.at(kLeftLowerArm))].name = "Flip";
  SelfCollisionSettings settings = kReferenceMethod;
  settings.humanoid_map = {"leftUpperArm=Flap", "leftLowerArm=Flip"};
  const Motion motion = hangingAt(character, 3, {0, 1, 2});
  CHECK(runOn(character, motion, settings).motion.modified.any(character.at(kLeftUpperArm)));
  settings.humanoid_map = {"leftArm=Flap"};
  CHECK(errorOf(character, settings).code == ErrorCode::kRecipe);
  settings.humanoid_map = {"leftUpperArm=Flop"};
  CHECK(errorOf(character, settings).code == ErrorCode::kNotFound);
}

TEST_CASE("without meshes, skins or weights the stage stops with an error") {
  test::BoxCharacter character = test::boxCharacter();
  const std::vector<SkinnedMesh> meshes = character.scene().meshes;
  character.scene().meshes.clear();
  CHECK(errorOf(character, {}).code == ErrorCode::kUnsupported);
  character.scene().meshes = meshes;
  character.scene().meshes[0].skin = -1;
  CHECK(errorOf(character, {}).code == ErrorCode::kUnsupported);
  character.scene().meshes = meshes;
  character.scene().meshes[0].influences.clear();
  character.scene().meshes[0].influence_start.clear();
  CHECK(errorOf(character, {}).code == ErrorCode::kUnsupported);
}

TEST_CASE("a skin in several meshes and skins gives the same motion") {
  for (SelfCollisionMethod method :
       {SelfCollisionMethod::kExact, SelfCollisionMethod::kReference}) {
    test::BoxCharacter one = test::boxCharacter();
    test::BoxCharacter two = test::boxCharacter();
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
    CHECK_FALSE(of_one.motion.modified.none());
    for (std::size_t i = 0; i < motion.locals.size(); ++i) {
      CHECK(test::distance(of_one.motion.locals[i].rotation, of_two.motion.locals[i].rotation) <
            1e-9);
    }
  }
}

TEST_CASE("mirrored, rotated and scaled rigs are resolved as well") {
  Transform mirrored, rotated;
  mirrored.scale = Vec3(-1.0, 1.0, 1.0);
  rotated.rotation = rotationAbout({1, 0, 0}, 90.0 * kDegree);
  for (SelfCollisionMethod method :
       {SelfCollisionMethod::kExact, SelfCollisionMethod::kReference}) {
    for (const Transform& root : {mirrored, rotated}) {
      for (double units_per_metre : {1.0, 100.0}) {
        test::BoxCharacterOptions options;
        options.root = root;
        options.units_per_metre = units_per_metre;
        test::BoxCharacter character = test::boxCharacter(options);
        const Motion motion = hangingAt(character, 4, {0, 1, 2, 3});
        SelfCollisionSettings settings = settingsOf(method);
        settings.min_confidence = 0.0;
        const StageResult result = runOn(character, motion, settings);
        CHECK(metricOf(result, "penetrating_frames_percent").before == 100.0);
        CHECK(metricOf(result, "penetrating_frames_percent").after == 0.0);
      }
    }
  }
}

TEST_CASE("a character with one arm is resolved, and the missing arm is reported") {
  test::BoxCharacter character = test::boxCharacter();
  SelfCollisionSettings settings = kReferenceMethod;
  settings.humanoid_map = {"rightUpperArm=", "rightLowerArm=", "rightHand="};
  settings.min_confidence = 0.0;
  const Motion motion = hangingAt(character, 4, {0, 1, 2, 3});
  const StageResult result = runOn(character, motion, settings);
  CHECK(result.motion.modified.any(character.at(kLeftUpperArm)));
  CHECK(result.warnings.count("limb_missing") == 1);
}

TEST_CASE("a limb without hand rotates at its root and is reported") {
  test::BoxCharacterOptions options;
  options.without_hands = true;
  test::BoxCharacter character = test::boxCharacter(options);
  for (SelfCollisionMethod method :
       {SelfCollisionMethod::kExact, SelfCollisionMethod::kReference}) {
    SelfCollisionSettings settings = settingsOf(method);
    settings.min_confidence = 0.0;
    const StageResult result = runOn(character, hangingAt(character, 4, {0, 1, 2, 3}), settings);
    CHECK(result.motion.modified.any(character.at(kLeftUpperArm)));
    CHECK_FALSE(result.motion.modified.any(character.at(kLeftLowerArm)));
    CHECK(metricOf(result, "penetrating_frames_percent").before == 100.0);
    CHECK(metricOf(result, "penetrating_frames_percent").after == 0.0);
    CHECK(result.warnings.count("hand_missing") == 2);
  }
}

TEST_CASE("a limb that no skin follows is reported, and the others are resolved") {
  test::BoxCharacter character = test::boxCharacter();
  // The vertices of the right forearm follow the chest.
  SkinnedMesh& mesh = character.scene().meshes[0];
  const int forearm = character.at(kRightLowerArm);
  for (Influence& influence : mesh.influences) {
    if (static_cast<int>(influence.joint) == forearm) {
      influence.joint = static_cast<std::uint32_t>(character.at(kChest));
    }
  }
  const Motion motion = hangingAt(character, 4, {0, 1, 2, 3});
  const StageResult result = runOn(character, motion, {});
  CHECK(result.warnings.count("limb_without_skin") == 1);
  CHECK(metricOf(result, "penetrating_frames_percent").before == 100.0);
  CHECK(metricOf(result, "penetrating_frames_percent").after == 0.0);
}

TEST_CASE("parts that overlap in the bind pose count in no pose and are reported") {
  test::BoxCharacterOptions options;
  options.trunk_half_width_m = 0.8;  // up to beyond the hands
  test::BoxCharacter character = test::boxCharacter(options);
  const Motion motion = character.still(4);
  const StageResult result = runOn(character, motion, kReferenceMethod);
  CHECK(result.warnings.count("overlap_at_rest") == 2);
  CHECK(metricOf(result, "penetrating_frames_percent").before == 0.0);
  CHECK(result.motion.modified.none());
}

TEST_CASE("threads change nothing") {
  test::BoxCharacter character = test::boxCharacter();
  const std::vector<Motion> motions = {hangingAt(character, 9, {1, 2, 3, 4}),
                                       hangingAt(character, 9, {5, 6, 7, 8}),
                                       hangingAt(character, 9, {0, 3, 8})};
  for (SelfCollisionMethod method :
       {SelfCollisionMethod::kExact, SelfCollisionMethod::kReference}) {
    const auto one = runSelfCollision({character.scene(), motions, 1}, settingsOf(method));
    const auto three = runSelfCollision({character.scene(), motions, 3}, settingsOf(method));
    CHECK_OK(one);
    CHECK_OK(three);
    for (std::size_t i = 0; i < motions.size(); ++i) {
      CHECK((*one)[i].motion.locals == (*three)[i].motion.locals);
      CHECK(metricOf((*one)[i], "max_penetration_percent").after ==
            metricOf((*three)[i], "max_penetration_percent").after);
    }
  }
}

TEST_CASE("the humanoid that was found is noted") {
  const test::BoxCharacter character = test::boxCharacter();
  const auto resolved = resolveSelfCollision(character.scene(), {});
  CHECK_OK(resolved);
  REQUIRE(resolved->notes.size() == 1);
  CHECK(resolved->notes[0] == "humanoid by names, 22 roles, confidence 1.00");
}

TEST_CASE("the stage is one of those that recipes know") {
  const StageType* type = findStageType("self-collision");
  REQUIRE(type);
  CHECK(type->needs_meshes(nullptr));
  CHECK(type->settings->field("method")->choices == std::vector<std::string>{"exact", "reference"});
  CHECK(type->settings->field("tolerance_percent"));
}

TEST_SUITE_END();
