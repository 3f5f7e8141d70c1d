// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/run.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "checks.h"
#include "io/gltf/tiny_gltf.h"
#include "pipeline/output_names.h"
#include "temporary_folder.h"

TEST_SUITE_BEGIN("pipeline.run");

namespace {

using namespace clipmill;
using namespace clipmill::pipeline;
using namespace clipmill::test;
using Json = nlohmann::json;

Scene namedClips(const std::vector<std::string>& names) {
  Scene scene;
  for (const std::string& name : names) {
    scene.clips.emplace_back();
    scene.clips.back().name = name;
  }
  return scene;
}

std::vector<int> chosen(const Scene& scene, const std::vector<std::string>& selectors) {
  const auto clips = selectClips(scene, selectors);
  CHECK_OK(clips);
  return *clips;
}

using Indices = std::vector<int>;

constexpr const char* kSwing =
    "[output]\nkeys = \"all\"\n[[stage]]\ntype = \"dynamic-bones\"\n[[stage.chain]]\nroot = "
    "\"Tip\"\n";

Recipe recipeOf(const std::string& text) { return parseRecipe(text, "r").value(); }

struct Run {
  Status status;
  RunReport report;
};

Run run(const std::filesystem::path& input, const std::string& recipe,
        const std::filesystem::path& output, const RunOptions& options = {}) {
  Run result;
  result.status = runFile(input, recipeOf(recipe), output, options, result.report);
  return result;
}

}  // namespace

TEST_CASE("Clips are chosen by name, index, glob or all, in the order of the file") {
  const Scene scene = namedClips({"Walk", "Run", "Walk fast", "2", "[odd]"});
  CHECK(chosen(scene, {}) == Indices{0, 1, 2, 3, 4});
  CHECK(chosen(scene, {"all"}) == Indices{0, 1, 2, 3, 4});
  CHECK(chosen(scene, {"Run", "Walk"}) == Indices{0, 1});
  CHECK(chosen(scene, {"Walk*"}) == Indices{0, 2});
  CHECK(chosen(scene, {"W?lk"}) == Indices{0});
  CHECK(chosen(scene, {"1"}) == Indices{1});
  CHECK(chosen(scene, {"2"}) == Indices{3});  // a name counts before an index
  CHECK(chosen(scene, {"[odd]"}) == Indices{4});
  CHECK(chosen(scene, {"Run", "*un", "1"}) == Indices{1});
}

TEST_CASE("The error of an unknown clip names the nearest clip") {
  const Scene scene = namedClips({"Walk", "Run"});
  for (const char* selector : {"Wlak", "5", "-1", "0.5", "", "nan", "walk"}) {
    CAPTURE(selector);
    const auto clips = selectClips(scene, {selector});
    REQUIRE(!clips.ok());
    CHECK(clips.error().code == ErrorCode::kNotFound);
  }
  CHECK(selectClips(scene, {"Walkk"}).error().remedy == "did you mean 'Walk'?");
}

TEST_CASE("A run without stages copies the file byte for byte") {
  const TemporaryFolder folder;
  const Bytes bytes = skinnedGltf().glb();
  const Run copied = run(folder.write("a.glb", bytes), "", folder / "b.glb");
  CHECK_OK(copied.status);
  CHECK(folder.read("b.glb") == bytes);
}

TEST_CASE("A stage's keys are written, and the same for any number of threads") {
  const TemporaryFolder folder;
  const auto input = folder.write("a.glb", wavingGltf().glb());
  RunOptions options;
  for (const int threads : {1, 2, 8}) {
    options.threads = threads;
    CHECK_OK(run(input, kSwing, folder / (std::to_string(threads) + ".glb"), options).status);
  }
  CHECK(folder.read("1.glb") != folder.read("a.glb"));
  CHECK(folder.read("1.glb") == folder.read("2.glb"));
  CHECK(folder.read("1.glb") == folder.read("8.glb"));
  const auto written = io::load(folder / "1.glb", {});
  CHECK_OK(written);
  CHECK(written->scene.clips[0].end_s == 1.0);
}

TEST_CASE("A dry run does all the work and writes nothing") {
  const TemporaryFolder folder;
  RunOptions options;
  options.dry_run = true;
  const Run dry = run(folder.write("a.glb", wavingGltf().glb()), kSwing, folder / "b.glb", options);
  CHECK_OK(dry.status);
  REQUIRE(dry.report.clips.size() == 1);
  CHECK(dry.report.clips[0].tracks_written > 0);
  CHECK(folder.files() == std::vector<std::string>{"a.glb"});
}

TEST_CASE("A failed run leaves no output and reports its error") {
  const TemporaryFolder folder;
  const auto input = folder.write("a.glb", wavingGltf().glb());
  const auto failed = [&](const Run& done, ErrorCode code) {
    REQUIRE(!done.status.ok());
    CHECK(done.status.error().code == code);
    REQUIRE(done.report.error);
    CHECK(done.report.error->code == code);
    const Json report = Json::parse(reportJson(done.report));
    CHECK(report["status"] == "failed");
    CHECK(report["error"]["code"] == errorWord(code));
    CHECK(!report["error"]["message"].get<std::string>().empty());
  };
  RunOptions options;
  options.clips = {"None"};
  failed(run(input, kSwing, folder / "b.glb", options), ErrorCode::kNotFound);
  failed(run(folder / "none.glb", kSwing, folder / "b.glb"), ErrorCode::kNotFound);
  failed(run(input, kSwing, folder / "b.txt"), ErrorCode::kUsage);
  const auto still = folder.write("still.glb", glbOf("{\"asset\":{\"version\":\"2.0\"}}"));
  failed(run(still, kSwing, folder / "b.glb"), ErrorCode::kNotFound);
  const auto broken = folder.write("broken.glb", textBytes("glTF"));
  failed(run(broken, kSwing, folder / "b.glb"), ErrorCode::kMalformed);
  RunOptions small;
  small.limits.max_decoded_bytes = 20000;
  failed(run(input,
             "[output]\nfps = 1000\n[[stage]]\ntype = \"dynamic-bones\"\n[[stage.chain]]\n"
             "root = \"Tip\"\n",
             folder / "b.glb", small),
         ErrorCode::kLimit);
  CHECK(folder.files() == std::vector<std::string>{"a.glb", "broken.glb", "still.glb"});
}

TEST_CASE("A clip over the memory limit is an error before it is sampled") {
  const TemporaryFolder folder;
  TinyGltf gltf;
  gltf.addFloats({0.0f, 1e30f}, "SCALAR");
  gltf.addFloats({0, 0, 0, 1, 2, 3}, "VEC3");
  gltf.members =
      ",\"nodes\":[{\"name\":\"Tip\"}],\"animations\":[{\"samplers\":[{\"input\":0,"
      "\"output\":1}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":"
      "\"translation\"}}]}]";
  const Run done = run(folder.write("a.glb", gltf.glb()), kSwing, folder / "b.glb");
  REQUIRE(!done.status.ok());
  CHECK(done.status.error().code == ErrorCode::kLimit);
}

TEST_CASE("The report is JSON with input, outputs, clips and warnings") {
  const TemporaryFolder folder;
  const Run done = run(folder.write("a.glb", wavingGltf().glb()), kSwing, folder / "b.glb");
  CHECK_OK(done.status);
  const Json report = Json::parse(reportJson(done.report));
  CHECK(report["schema"] == 1);
  CHECK(report["status"] == "ok");
  CHECK(report["tool"]["name"] == "clipmill");
  CHECK(report["config_hash"] == recipeHash(recipeOf(kSwing)));
  CHECK(report["input_hash"].get<std::string>().size() == 32);
  REQUIRE(report["clips"].size() == 1);
  const Json& clip = report["clips"][0];
  CHECK(clip["clip"] == "Wave");
  CHECK(clip["frames"] == clip["keys"]["after"].get<int>() / clip["keys"]["tracks"].get<int>());
  CHECK(clip["stages"][0]["type"] == "dynamic-bones");
  CHECK(report["run"].contains("ms"));
  CHECK(!reportText(done.report).empty());
}

TEST_CASE("A report with names of invalid bytes is valid JSON, and its text has one line each") {
  RunReport report;
  report.input = "in\xff\n.glb";
  report.output = "out\n.glb";
  report.warnings.add("code", "something", "node \x1b[31m\n");
  CHECK(Json::accept(reportJson(report)));
  const std::string text = reportText(report);
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
  CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("A make rule escapes the special characters of make") {
  CHECK(dependencyRule({"out.glb"}, {"a.glb", "r.toml"}) == "out.glb: a.glb r.toml\n");
  CHECK(dependencyRule({"o"}, {"a b.glb", "c#1", "$x"}) == "o: a\\ b.glb c\\#1 $$x\n");
#ifdef _WIN32  // where a backslash separates folders
  CHECK(dependencyRule({"o"}, {"C:\\a\\b", "a\\ b"}) == "o: C:/a/b a/\\ b\n");
#else
  CHECK(dependencyRule({"o"}, {"a\\b", "a\\ b"}) == "o: a\\b a\\\\\\ b\n");
#endif
}
