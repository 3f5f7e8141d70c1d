// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/edit/trim.h"

#include "checks.h"
#include "stages/blend/concat.h"
#include "stages/blend/strider.h"

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::blend;
using namespace clipmill::stages::edit;
using namespace clipmill::test;

TEST_SUITE_BEGIN("edit.trim");

namespace {

StageResult trimOne(const Scene& scene, const Motion& motion, const TrimSettings& settings) {
  auto results = runTrim({scene, std::span(&motion, 1), 1}, settings);
  CHECK_OK(results);
  return results->front();
}

StageResult retimeOne(const Scene& scene, const Motion& motion, const RetimeSettings& settings) {
  auto results = runRetime({scene, std::span(&motion, 1), 1}, settings);
  CHECK_OK(results);
  return results->front();
}

TrimSettings part(double start_s, std::optional<double> end_s = {}) {
  TrimSettings settings;
  settings.start_s = start_s;
  settings.end_s = end_s;
  return settings;
}

void checkSame(const Motion& a, const Motion& b, double tolerance) {
  REQUIRE(a.grid.frame_count == b.grid.frame_count);
  CHECK(a.grid.end_s == nearTo(b.grid.end_s, 1e-12));
  for (std::size_t frame = 0; frame < a.grid.frame_count; ++frame) {
    for (std::size_t node = 0; node < a.node_count; ++node) {
      CHECK(worstLocal(a.localsOf(frame)[node], b.localsOf(frame)[node]) < tolerance);
    }
    for (std::size_t w = 0; w < a.weight_count; ++w) {
      CHECK(std::abs(a.weightsOf(frame)[w] - b.weightsOf(frame)[w]) < tolerance);
    }
  }
}

}  // namespace

TEST_CASE("a trimmed clip has the poses of the part and the start time of the clip") {
  Strider character;
  character.stride("Walk", 1.0, 30.0, 1.0, 0.3, 0.4, 2.0);
  const Motion walk = character.motion(0);
  const StageResult cut = trimOne(character.scene, walk, part(0.2, 0.7));
  CHECK(cut.motion.grid.start_s == 2.0);
  CHECK(cut.motion.grid.end_s == nearTo(2.5, 1e-12));
  REQUIRE(cut.motion.grid.frame_count == 16);
  for (std::size_t frame = 0; frame < 16; ++frame) {
    for (std::size_t node = 0; node < walk.node_count; ++node) {
      CHECK(worstLocal(cut.motion.localsOf(frame)[node], walk.localsOf(frame + 6)[node]) < 1e-9);
    }
  }
  CHECK(cut.motion.modified.has(character.leg, TrackPath::kRotation));
  CHECK(cut.motion.source == nullptr);
}

TEST_CASE("frames and seconds mean the same part") {
  Strider character;
  character.stride("Walk", 1.0, 30.0, 1.0, 0.3, 0.4);
  const Motion walk = character.motion(0);
  TrimSettings frames;
  frames.start_frame = 3;
  frames.end_frame = 21;
  checkSame(trimOne(character.scene, walk, frames).motion,
            trimOne(character.scene, walk, part(0.1, 0.7)).motion, 1e-12);
}

TEST_CASE("trimming to the whole clip does not change it") {
  Strider character;
  character.stride("Walk", 1.0, 30.0, 1.0, 0.3, 0.4);
  const Motion walk = character.motion(0);
  for (const TrimSettings& whole : {TrimSettings{}, part(0.0, 1.0)}) {
    const StageResult same = trimOne(character.scene, walk, whole);
    CHECK(same.motion.locals == walk.locals);
    CHECK(same.motion.modified.none());
    CHECK(same.motion.source == walk.source);
  }
}

TEST_CASE("the parts of a clip joined again are the clip") {
  Strider character;
  character.stride("Walk", 1.0, 30.0, 1.5, 0.3, 0.4);
  const Motion walk = character.motion(0);
  const StageResult first = trimOne(character.scene, walk, part(0.0, 0.4));
  const StageResult second = trimOne(character.scene, walk, part(0.4));
  Strider joined = character;
  Clip rest = character.scene.clips[0];
  rest.name = "Rest";
  rest.end_s = second.motion.grid.end_s;
  rest.source =
      keyframeSource(character.scene.skeleton, tracksOf(character.scene.skeleton, second.motion));
  joined.scene.clips.push_back(rest);
  ConcatSettings settings;
  settings.with.push_back({"Rest", "", 1.0});
  const auto whole = runConcat({joined.scene, std::span(&first.motion, 1), 1}, settings);
  CHECK_OK(whole);
  checkSame(whole->front().motion, walk, 1e-8);
}

TEST_CASE("a part without length, or beyond the clip, is refused with what was found") {
  Strider character;
  character.stride("Walk", 1.0, 30.0, 1.0, 0.3, 0.4);
  const Motion walk = character.motion(0);
  for (const TrimSettings& wrong : {part(0.5, 0.5), part(0.7, 0.2), part(0.5, 1.5), part(2.0)}) {
    const auto result = runTrim({character.scene, std::span(&walk, 1), 1}, wrong);
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().code == ErrorCode::kRecipe);
    CHECK(describe(result.error()).find("0 s") != std::string::npos);
  }
}

TEST_CASE("retiming to the same duration and frame rate does not change a clip") {
  Strider character;
  character.stride("Walk", 1.0, 30.0, 1.0, 0.3, 0.4);
  const Motion walk = character.motion(0);
  RetimeSettings settings;
  settings.result_fps = 30.0;
  settings.duration_s = 1.0;
  const StageResult same = retimeOne(character.scene, walk, settings);
  CHECK(same.motion.locals == walk.locals);
  CHECK(same.motion.modified.none());
}

TEST_CASE("a higher frame rate samples the same clip, and back it is the same") {
  Strider character;
  character.stride("Walk", 1.0, 30.0, 1.0, 0.3, 0.4);
  const Motion walk = character.motion(0);
  RetimeSettings settings;
  settings.result_fps = 120.0;
  Motion fine = retimeOne(character.scene, walk, settings).motion;
  REQUIRE(fine.grid.frame_count == 121);
  settings.result_fps = 30.0;
  checkSame(retimeOne(character.scene, fine, settings).motion, walk, 1e-8);
}

TEST_CASE("a clip of twice the duration has at each time the pose of half that time") {
  Strider character;
  character.stride("Walk", 1.0, 30.0, 1.0, 0.3, 0.4, 3.0);
  const Motion walk = character.motion(0);
  RetimeSettings slow;
  slow.time_scale = 2.0;
  const Motion made = retimeOne(character.scene, walk, slow).motion;
  CHECK(made.grid.start_s == 3.0);
  REQUIRE(made.grid.frame_count == 61);
  for (std::size_t frame = 0; frame <= 30; ++frame) {
    CHECK(worstLocal(made.localsOf(2 * frame)[2], walk.localsOf(frame)[2]) < 1e-8);
  }
}

TEST_CASE("reversing twice restores the clip") {
  Strider character;
  character.stride("Walk", 1.0, 30.0, 1.0, 0.3, 0.4);
  const Motion walk = character.motion(0);
  RetimeSettings back;
  back.reverse = true;
  const Motion once = retimeOne(character.scene, walk, back).motion;
  CHECK(once.localsOf(0)[0].translation.z > 0.5);
  checkSame(retimeOne(character.scene, once, back).motion, walk, 1e-8);
}

TEST_CASE("a clip of no length cannot be given a duration") {
  Strider character;
  character.stride("Pose", 0.0, 30.0, 0.0, 0.0, 0.4);
  const Motion pose = character.motion(0);
  RetimeSettings settings;
  settings.duration_s = 1.0;
  const auto result = runRetime({character.scene, std::span(&pose, 1), 1}, settings);
  REQUIRE_FALSE(result.ok());
  CHECK(describe(result.error()).find("'Pose'") != std::string::npos);
}
