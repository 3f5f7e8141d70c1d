// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Clips of one file on the character of another: what becomes of the files. How motion is carried
// over is tested in scene/clip_transfer_test.cc.
#include "pipeline/clip_from.h"

#include <nlohmann/json.hpp>

#include "checks.h"
#include "io/gltf/tiny_gltf.h"
#include "pipeline/run.h"
#include "temporary_folder.h"

TEST_SUITE_BEGIN("pipeline.clip_from");

namespace {

using namespace clipmill;
using namespace clipmill::pipeline;
using namespace clipmill::test;
using Json = nlohmann::json;

constexpr const char* kSwing =
    "[output]\nkeys = \"all\"\n[[stage]]\ntype = \"dynamic-bones\"\n[[stage.chain]]\nroot = "
    "\"Tip\"\n";

// wavingGltf() without its clip.
Bytes stillCharacter() {
  return glbOf(
      "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":["
      "{\"name\":\"Root\",\"children\":[1]},{\"name\":\"Tip\",\"translation\":[0,1,0]}]}");
}

struct Run {
  Status status;
  RunReport report;
};

Run run(const std::filesystem::path& input, const std::filesystem::path& clip_from,
        const std::filesystem::path& output, const std::string& recipe = "",
        const RunOptions& options = {}) {
  Recipe parsed = parseRecipe(recipe, "r").value();
  parsed.input.clip_from = clip_from.string();
  Run result;
  result.status = runFile(input, parsed, output, options, result.report);
  return result;
}

Motion motionOf(const io::Asset& asset, std::size_t clip) {
  const Clip& c = asset.scene.clips.at(clip);
  return sampleClip(asset.scene.skeleton, c, static_cast<int>(clip),
                    makeGrid(c.start_s, c.end_s, 30.0));
}

double worstDifference(const Motion& a, const Motion& b) {
  REQUIRE(a.locals.size() == b.locals.size());
  double worst = 0.0;
  for (std::size_t i = 0; i < a.locals.size(); ++i) {
    worst = std::max({worst, distance(a.locals[i].translation, b.locals[i].translation),
                      distance(a.locals[i].rotation, b.locals[i].rotation)});
  }
  return worst;
}

io::Asset loaded(const std::filesystem::path& path) {
  auto asset = io::load(path, {});
  CHECK_OK(asset);
  return std::move(*asset);
}

}  // namespace

TEST_CASE("A file without clips gets the clip of another file with the same skeleton") {
  const TemporaryFolder folder;
  const auto clip = folder.write("wave.glb", wavingGltf().glb());
  const auto still = folder.write("still.glb", stillCharacter());
  const Run done = run(still, clip, folder / "out.glb", "[output]\nkeys = \"all\"\n");
  CHECK_OK(done.status);
  const io::Asset result = loaded(folder / "out.glb");
  REQUIRE(result.scene.clips.size() == 1);
  CHECK(result.scene.clips[0].name == "Wave");
  CHECK(worstDifference(motionOf(result, 0), motionOf(loaded(clip), 0)) < 1e-5);  // floats
  REQUIRE(done.report.notes.size() == 1);
  CHECK(done.report.notes[0].find("copied") != std::string::npos);
  CHECK(done.report.files[0].path == clip.string());
  CHECK(Json::parse(reportJson(done.report))["notes"].size() == 1);
}

TEST_CASE("Clips are appended to those of the file, with unique names") {
  const TemporaryFolder folder;
  const auto wave = folder.write("wave.glb", wavingGltf().glb());
  CHECK_OK(run(wave, wave, folder / "two.glb").status);
  CHECK_OK(run(folder / "two.glb", wave, folder / "three.glb").status);
  const io::Asset result = loaded(folder / "three.glb");
  REQUIRE(result.scene.clips.size() == 3);
  CHECK(result.scene.clips[1].name == "Wave_2");
  CHECK(result.scene.clips[2].name == "Wave_3");
}

TEST_CASE("Stages process the new clips unless others are selected; new clips are always written") {
  const TemporaryFolder folder;
  const auto wave = folder.write("wave.glb", wavingGltf().glb());
  const Run on_new = run(wave, wave, folder / "new.glb", kSwing);
  CHECK_OK(on_new.status);
  REQUIRE(on_new.report.clips.size() == 1);
  CHECK(on_new.report.clips[0].clip == "Wave_2");
  const io::Asset swung = loaded(folder / "new.glb");
  const Motion before = motionOf(loaded(wave), 0);
  CHECK(worstDifference(motionOf(swung, 0), before) == 0.0);
  CHECK(worstDifference(motionOf(swung, 1), before) > 0.01);

  RunOptions options;
  options.clips = {"Wave"};
  const Run on_old = run(wave, wave, folder / "old.glb", kSwing, options);
  CHECK_OK(on_old.status);
  const io::Asset other = loaded(folder / "old.glb");
  REQUIRE(other.scene.clips.size() == 2);
  CHECK(worstDifference(motionOf(other, 0), before) > 0.01);
  CHECK(worstDifference(motionOf(other, 1), motionOf(swung, 1)) > 0.01);
}

TEST_CASE("A converted output has the new clip too") {
  const TemporaryFolder folder;
  const auto wave = folder.write("wave.glb", wavingGltf().glb());
  const auto still = folder.write("still.glb", stillCharacter());
  CHECK_OK(run(still, wave, folder / "out.fbx").status);
  const io::Asset result = loaded(folder / "out.fbx");
  REQUIRE(result.scene.clips.size() == 1);
  CHECK(result.scene.clips[0].name == "Wave");
  CHECK(result.scene.clips[0].end_s == doctest::Approx(1.0));
  // And once more into that FBX, in place.
  CHECK_OK(run(folder / "out.fbx", wave, folder / "again.fbx").status);
  CHECK(loaded(folder / "again.fbx").scene.clips.size() == 2);
}

TEST_CASE("Clips that cannot be transferred are an error with their location") {
  const TemporaryFolder folder;
  const auto wave = folder.write("wave.glb", wavingGltf().glb());
  const auto still = folder.write("still.glb", stillCharacter());
  const auto other = folder.write(
      "other.glb", glbOf("{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"Box\"}]}"));
  const auto failed = [&](const Run& done, ErrorCode code, const std::string& location) {
    REQUIRE(!done.status.ok());
    CHECK(done.status.error().code == code);
    CHECK(done.status.error().location.find(location) != std::string::npos);
  };
  failed(run(wave, folder / "none.glb", folder / "x.glb"), ErrorCode::kNotFound, "none.glb");
  failed(run(wave, still, folder / "x.glb"), ErrorCode::kNotFound, "still.glb");
  failed(run(other, wave, folder / "x.glb"), ErrorCode::kUnsupported, "wave.glb: clip Wave");
  failed(run(still, wave, folder / "x.glb", "[input]\nclip_from_clip = \"Wafe\"\n"),
         ErrorCode::kNotFound, "wave.glb");
  CHECK(!std::filesystem::exists(folder / "x.glb"));
}

TEST_CASE("Recipes name the file and the clip") {
  const auto recipe =
      parseRecipe("[input]\nclip_from = \"w.bvh\"\nclip_from_clip = \"Walk*\"\n", "r");
  CHECK_OK(recipe);
  CHECK(recipe->input.clip_from == "w.bvh");
  CHECK(recipe->input.clip_from_clip == "Walk*");
  const auto again = parseRecipe(recipeToml(*recipe, true), "r");
  CHECK_OK(again);
  CHECK(recipeToml(*again, false) == recipeToml(*recipe, false));
  CHECK(recipeHash(*recipe) != recipeHash(Recipe()));
  CHECK(Json::parse(recipeSchema())["properties"].contains("input"));
}
