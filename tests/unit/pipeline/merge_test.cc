// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/merge.h"

#include <nlohmann/json.hpp>

#include "checks.h"
#include "core/file.h"
#include "io/gltf/tiny_gltf.h"
#include "pipeline/run.h"
#include "temporary_folder.h"

TEST_SUITE_BEGIN("pipeline.merge");

namespace {

using namespace clipmill;
using namespace clipmill::pipeline;
using namespace clipmill::test;
using Json = nlohmann::json;

struct Merged {
  Status status;
  RunReport report;
};

Merged merged(const std::filesystem::path& character, const std::vector<std::string>& files,
              const std::filesystem::path& output, const MergeSettings& settings = {},
              int threads = 1) {
  RunOptions options;
  options.threads = threads;
  Merged result;
  result.status = mergeFiles(character, files, settings, {}, {}, output, options, result.report);
  return result;
}

io::Asset named(const std::string& path, const std::vector<std::string>& clips) {
  io::Asset asset;
  asset.path = path;
  for (const std::string& name : clips) {
    asset.scene.clips.emplace_back();
    asset.scene.clips.back().name = name;
  }
  return asset;
}

Bytes bytesOf(const std::filesystem::path& path) {
  auto bytes = readFile(path, 1u << 24);
  CHECK_OK(bytes);
  return std::move(*bytes);
}

}  // namespace

TEST_CASE("Names of added clips follow a pattern, without a prefix") {
  const io::Asset one = named("clips/Hero@Walk.fbx", {"mixamo.com"});
  CHECK(mergedName("file", "", one, 0) == "Hero@Walk");
  CHECK(mergedName("file", "*@", one, 0) == "Walk");
  CHECK(mergedName("clip", "", one, 0) == "mixamo.com");
  CHECK(mergedName("M_{file}_01", "Hero@", one, 0) == "M_Walk_01");
  const io::Asset two = named("pack.glb", {"A_Run", ""});
  CHECK(mergedName("file", "", two, 0) == "pack_A_Run");
  CHECK(mergedName("clip", "A_", two, 0) == "Run");
  CHECK(mergedName("{file}.{clip}", "", two, 0) == "pack.A_Run");
  CHECK(mergedName("clip", "", two, 1) == "pack");
}

TEST_CASE("A prefix is the shortest part that matches, and never the whole name") {
  CHECK(withoutPrefix("a_b_walk", "*_") == "b_walk");
  CHECK(withoutPrefix("walk", "wal?") == "walk");
  CHECK(withoutPrefix("walk", "x*") == "walk");
  CHECK(withoutPrefix("walk", "*") == "alk");
}

TEST_CASE("A merge is the same as runs with clip_from, one after another, byte for byte") {
  const TemporaryFolder folder;
  const auto wave = folder.write("wave.glb", wavingGltf().glb());
  const auto other = folder.write("other.glb", wavingGltf().glb());
  std::filesystem::path last = wave;
  for (const char* step : {"one.glb", "two.glb", "three.glb"}) {
    Recipe recipe;
    recipe.input.clip_from = other.string();
    RunReport report;
    CHECK_OK(runFile(last, recipe, folder / step, {}, report));
    last = folder / step;
  }
  MergeSettings settings;
  settings.names = "clip";
  const std::vector<std::string> files(3, other.string());
  for (const int threads : {1, 2, 5}) {
    const Merged done = merged(wave, files, folder / "all.glb", settings, threads);
    CHECK_OK(done.status);
    const auto all = io::load(folder / "all.glb", {}), chain = io::load(last, {});
    REQUIRE(all->scene.clips.size() == 4);
    for (std::size_t c = 0; c < 4; ++c) {
      CHECK(all->scene.clips[c].name == chain->scene.clips[c].name);
      const auto motionOf = [&](const io::Asset& asset) {
        const Clip& clip = asset.scene.clips[c];
        return sampleClip(asset.scene.skeleton, clip, static_cast<int>(c),
                          makeGrid(clip.start_s, clip.end_s, 60.0));
      };
      const Motion a = motionOf(*all), b = motionOf(*chain);
      REQUIRE(a.locals.size() == b.locals.size());
      for (std::size_t i = 0; i < a.locals.size(); ++i) {
        CHECK(a.locals[i].translation == b.locals[i].translation);
        CHECK(a.locals[i].rotation == b.locals[i].rotation);
      }
    }
  }
}

TEST_CASE("The bytes of a merge do not depend on the number of threads") {
  const TemporaryFolder folder;
  const auto wave = folder.write("wave.glb", wavingGltf().glb());
  const std::vector<std::string> files(7, wave.string());
  CHECK_OK(merged(wave, files, folder / "one.glb", {}, 1).status);
  CHECK_OK(merged(wave, files, folder / "three.glb", {}, 3).status);
  CHECK(bytesOf(folder / "one.glb") == bytesOf(folder / "three.glb"));
}

TEST_CASE("Clips with the name of another are numbered with a warning") {
  const TemporaryFolder folder;
  const auto wave = folder.write("Wave.glb", wavingGltf().glb());
  const Merged done = merged(wave, {wave.string(), wave.string()}, folder / "all.glb");
  CHECK_OK(done.status);
  CHECK(done.report.warnings.count("clip_renamed") == 2);
  REQUIRE(done.report.clips.size() == 2);
  CHECK(done.report.clips[0].clip == "Wave_2");
  CHECK(done.report.clips[1].clip == "Wave_3");
  const Json report = Json::parse(reportJson(done.report));
  REQUIRE(report["mappings"].size() == 1);
  CHECK(report["mappings"][0]["by"] == "same skeleton");
  CHECK(report["mappings"][0]["joints"].size() == 2);
  CHECK(report["mappings"][0]["joints"][0]["confidence"] == 1.0);
}

TEST_CASE("A file that fails ends a merge, or is left out") {
  const TemporaryFolder folder;
  const auto wave = folder.write("wave.glb", wavingGltf().glb());
  const auto broken = folder.write("broken.glb", Bytes(3));
  const std::vector<std::string> files = {broken.string(), wave.string()};
  const Merged failed = merged(wave, files, folder / "all.glb");
  REQUIRE(!failed.status.ok());
  CHECK(failed.status.error().location.find("broken.glb") != std::string::npos);
  CHECK(!std::filesystem::exists(folder / "all.glb"));
  MergeSettings settings;
  settings.keep_going = true;
  const Merged done = merged(wave, files, folder / "all.glb", settings);
  CHECK_OK(done.status);
  CHECK(done.report.warnings.count("file_left_out") == 1);
  CHECK(io::load(folder / "all.glb", {})->scene.clips.size() == 2);
  CHECK(!merged(wave, {broken.string()}, folder / "none.glb", settings).status.ok());
}

TEST_CASE("A character of another format is converted first") {
  const TemporaryFolder folder;
  const auto wave = folder.write("wave.glb", wavingGltf().glb());
  const Merged done = merged(wave, {wave.string()}, folder / "all.fbx");
  CHECK_OK(done.status);
  const auto result = io::load(folder / "all.fbx", {});
  CHECK_OK(result);
  CHECK(result->document->nativeFormat() == io::OutputFormat::kFbx);
  REQUIRE(result->scene.clips.size() == 2);
  CHECK(result->scene.clips[1].end_s == doctest::Approx(1.0));
}
