// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// What only some kinds of stages have: settings to be found, files, several outputs.
#include <nlohmann/json.hpp>

#include "checks.h"
#include "core/hash.h"
#include "core/to_size.h"
#include "io/gltf/tiny_gltf.h"
#include "pipeline/output_names.h"
#include "pipeline/run.h"
#include "temporary_folder.h"

TEST_SUITE_BEGIN("pipeline.stage_seams");

namespace {

using namespace clipmill;
using namespace clipmill::pipeline;
using namespace clipmill::stages;
using namespace clipmill::test;
using Json = nlohmann::json;

// A stage that lifts every node by a height, to be found (nothing given: 10 a clip), or several.
struct LiftSettings {
  double height = 0.0;
  std::vector<double> heights;
  std::string file;  // lifts by the height of its first node
};

const SettingsTable& liftTable() {
  static const SettingsTable table =
      SettingsTableBuilder<LiftSettings>()
          .number("height", &LiftSettings::height, "how high", "m", 0.0, 1000.0)
          .numbers("heights", &LiftSettings::heights, "one output each", "m", 0)
          .text("file", &LiftSettings::file, "how high, by example")
          .build();
  return table;
}

int runs_of_lift = 0;

Result<std::vector<StageResult>> runLift(const StageInput& input, const LiftSettings& settings) {
  ++runs_of_lift;
  double height = settings.height;
  if (!input.files.empty()) {
    height = input.files[0].scene.skeleton.nodes[0].rest.translation.y;
  }
  if (!input.raw_files.empty()) height = static_cast<double>(input.raw_files[0].bytes.size());
  std::vector<StageResult> results;
  for (const Motion& motion : input.motions) {
    StageResult result;
    result.motion = motion;
    for (Transform& local : result.motion.locals) local.translation.y += height;
    for (std::size_t n = 0; n < motion.node_count; ++n) {
      result.motion.modified.set(static_cast<int>(n), TrackPath::kTranslation);
    }
    results.push_back(std::move(result));
  }
  return results;
}

StageType plainLift(const std::string& name) {
  return makeStageType<LiftSettings>(name, "lifts", liftTable(), runLift);
}

const LiftSettings& liftOf(const void* settings) {
  return *static_cast<const LiftSettings*>(settings);
}

const StageType& findingLift() {
  static const StageType type = [] {
    StageType t = plainLift("finding-lift");
    t.resolve = [](const Scene&, std::span<const Motion> motions,
                   const void* settings) -> Result<ResolvedSettings> {
      auto found = std::make_shared<LiftSettings>(liftOf(settings));
      if (found->height < 0.0) return Error{ErrorCode::kUnsupported, "", "cannot be found", ""};
      if (found->height > 0.0) return ResolvedSettings{found, {}};
      found->height = 10.0 * static_cast<double>(motions.size());
      return ResolvedSettings{found, {"height " + std::to_string(found->height)}};
    };
    return t;
  }();
  return type;
}

const StageType& filedLift() {
  static const StageType type = [] {
    StageType t = plainLift("filed-lift");
    t.files_of = [](const void* settings) {
      return std::vector<std::string>{liftOf(settings).file};
    };
    return t;
  }();
  return type;
}

// Lifts by as much as its file has bytes.
const StageType& weighedLift() {
  static const StageType type = [] {
    StageType t = plainLift("weighed-lift");
    t.raw_files_of = [](const void* settings) {
      return std::vector<std::string>{liftOf(settings).file};
    };
    return t;
  }();
  return type;
}

const StageType& manyLifts() {
  static const StageType type = [] {
    StageType t = plainLift("many-lifts");
    t.variants = [](const void* settings) {
      std::vector<StageVariant> variants;
      for (const double height : liftOf(settings).heights) {
        auto one = std::make_shared<LiftSettings>();
        one->height = height;
        variants.push_back({std::to_string(static_cast<int>(height)) + "m", one});
      }
      return variants;
    };
    return t;
  }();
  return type;
}

// A stage that returns as many results as its setting for the height.
const StageType& countingStage() {
  static const StageType type = makeStageType<LiftSettings>(
      "counting", "returns so many results", liftTable(),
      +[](const StageInput&, const LiftSettings& settings) -> Result<std::vector<StageResult>> {
        return std::vector<StageResult>(toSize(settings.height));
      });
  return type;
}

// A stage that reads a motion after it took it.
const StageType& forgetfulStage() {
  static const StageType type = makeStageType<LiftSettings>(
      "forgetful", "reads what it took", liftTable(),
      +[](const StageInput& input, const LiftSettings&) -> Result<std::vector<StageResult>> {
        std::vector<StageResult> results(1);
        results[0].motion = input.motions.take(0);
        results[0].motion.clip_name = input.motions[0].clip_name;
        return results;
      });
  return type;
}

RecipeStage stageOf(const StageType& type, double height = 0.0, std::vector<double> heights = {},
                    std::string file = "") {
  auto settings = std::make_shared<LiftSettings>();
  settings->height = height;
  settings->heights = std::move(heights);
  settings->file = std::move(file);
  return {&type, settings};
}

Recipe recipeOf(std::vector<RecipeStage> stages) {
  Recipe recipe;
  recipe.output.keys = KeysMode::kAll;
  recipe.stages = std::move(stages);
  return recipe;
}

// Height of the first node in the first frame of the first clip.
double heightIn(const std::filesystem::path& path) {
  const auto asset = io::load(path, {});
  CHECK_OK(asset);
  const Scene& scene = asset->scene;
  const Motion motion =
      sampleClip(scene.skeleton, scene.clips[0], 0,
                 makeGrid(scene.clips[0].start_s, scene.clips[0].end_s, scene.clips[0].fps));
  return motion.localsOf(0)[0].translation.y;
}

struct Folder : TemporaryFolder {
  std::filesystem::path input = write("a.glb", wavingGltf().glb());
  double height = heightIn(input);

  Result<RunReport> run(const Recipe& recipe, const std::string& output,
                        const RunOptions& options = {}) const {
    RunReport report;
    if (Status done = runFile(input, recipe, *this / output, options, report); !done) {
      return done.error();
    }
    return report;
  }
};

}  // namespace

TEST_CASE("Values that a stage detects replace its settings, in a run and in a dumped recipe") {
  const Folder folder;
  const Recipe recipe = recipeOf({stageOf(findingLift())});
  const auto report = folder.run(recipe, "b.glb");
  CHECK_OK(report);
  CHECK(heightIn(folder / "b.glb") == doctest::Approx(folder.height + 10.0));
  CHECK(report->clips[0].stages[0].notes == std::vector<std::string>{"height 10.000000"});
  CHECK(Json::parse(reportJson(*report))["clips"][0]["stages"][0]["notes"][0] ==
        "height 10.000000");
  CHECK(reportText(*report).find("note: finding-lift: height 10") != std::string::npos);

  const auto resolved = resolveRecipe(folder.input, recipe, {});
  CHECK_OK(resolved);
  CHECK(recipeToml(resolved->recipe, false).find("height = 10.0") != std::string::npos);
  CHECK(resolved->notes[0].size() == 1);
  CHECK(recipeToml(recipe, false).find("height = 0.0") != std::string::npos);
  // Run again as dumped it finds nothing more, and gives the same.
  const Bytes first = folder.read("b.glb");
  CHECK_OK(folder.run(resolved->recipe, "b.glb"));
  CHECK(folder.read("b.glb") == first);
}

TEST_CASE("A detection that fails ends the run before any stage") {
  const Folder folder;
  runs_of_lift = 0;
  const auto failed =
      folder.run(recipeOf({stageOf(manyLifts()), stageOf(findingLift(), -1.0)}), "b.glb");
  REQUIRE(!failed.ok());
  CHECK(failed.error().code == ErrorCode::kUnsupported);
  CHECK(runs_of_lift == 0);
}

TEST_CASE("A file that settings name is passed to the stage, and is in the report and make rule") {
  const Folder folder;
  TinyGltf post;
  post.members = ",\"nodes\":[{\"name\":\"Post\",\"translation\":[0,7,0]}]";
  const std::string path = folder.write("post.glb", post.glb()).string();
  const auto report = folder.run(recipeOf({stageOf(filedLift(), 0.0, {}, path)}), "b.glb");
  CHECK_OK(report);
  CHECK(heightIn(folder / "b.glb") == doctest::Approx(folder.height + 7.0));
  REQUIRE(report->files.size() == 1);
  CHECK(report->files[0].path == path);
  CHECK(report->files[0].hash == io::load(path, {})->content_hash);
  CHECK(report->read_files == std::vector<std::filesystem::path>{path});
  CHECK(Json::parse(reportJson(*report))["files"][0]["hash"] == report->files[0].hash);

  const std::string none = folder.text("none.glb");
  const auto failed = folder.run(recipeOf({stageOf(filedLift(), 0.0, {}, none)}), "c.glb");
  REQUIRE(!failed.ok());
  CHECK(failed.error().code == ErrorCode::kNotFound);
  CHECK(failed.error().location == none);
}

TEST_CASE("A raw file that settings name is passed as bytes, and is in the report and make rule") {
  const Folder folder;
  const auto bytes = asBytes("eleven more");
  const std::string path = folder.write("weight.txt", Bytes(bytes.begin(), bytes.end())).string();
  const auto report = folder.run(recipeOf({stageOf(weighedLift(), 0.0, {}, path)}), "b.glb");
  CHECK_OK(report);
  CHECK(heightIn(folder / "b.glb") == doctest::Approx(folder.height + 11.0));
  REQUIRE(report->files.size() == 1);
  CHECK(report->files[0].path == path);
  CHECK(report->files[0].hash == hashHex(bytes));
  CHECK(report->read_files == std::vector<std::filesystem::path>{path});

  const std::string none = folder.text("none.txt");
  const auto failed = folder.run(recipeOf({stageOf(weighedLift(), 0.0, {}, none)}), "c.glb");
  REQUIRE(!failed.ok());
  CHECK(failed.error().code == ErrorCode::kNotFound);
  CHECK(failed.error().location == none);
}

TEST_CASE("A run can write several outputs; the stages before them run once") {
  const Folder folder;
  runs_of_lift = 0;
  const Recipe recipe =
      recipeOf({stageOf(findingLift(), 100.0), stageOf(manyLifts(), 0.0, {3.0, 4.0, 5.0}),
                stageOf(findingLift(), 1000.0)});
  const auto report = folder.run(recipe, "leap_{}.glb");
  CHECK_OK(report);
  CHECK(runs_of_lift == 1 + 3 * 2);
  CHECK(folder.files() ==
        std::vector<std::string>{"a.glb", "leap_3m.glb", "leap_4m.glb", "leap_5m.glb"});
  CHECK(heightIn(folder / "leap_3m.glb") == doctest::Approx(folder.height + 1103.0));
  CHECK(heightIn(folder / "leap_5m.glb") == doctest::Approx(folder.height + 1105.0));

  const Json json = Json::parse(reportJson(*report));
  CHECK(!json.contains("clips"));
  REQUIRE(json["outputs"].size() == 3);
  CHECK(json["outputs"][1]["label"] == "4m");
  CHECK(json["outputs"][1]["output"] == folder.text("leap_4m.glb"));
  CHECK(json["outputs"][1]["written"] == true);
  CHECK(json["outputs"][1]["clips"][0]["stages"].size() == 3);
  CHECK(outputsOf(*report).size() == 3);
  CHECK(reportText(*report).find("leap_4m.glb: 1 clip") != std::string::npos);
}

TEST_CASE("A stage that returns another number of results than clips is an internal error") {
  const Folder folder;
  for (const int count : {0, 2}) {
    const auto refused = folder.run(
        recipeOf({stageOf(findingLift(), 1.0), stageOf(countingStage(), count)}), "b.glb");
    REQUIRE(!refused.ok());
    CHECK(refused.error().code == ErrorCode::kInternal);
    CHECK(refused.error().message == "returned " + std::to_string(count) + " results for 1 clips");
    CHECK(refused.error().location.find("stage[1] counting") != std::string::npos);
  }
  CHECK(folder.files() == std::vector<std::string>{"a.glb"});
}

TEST_CASE("A stage that reads a motion after it took it ends the run") {
  const Folder folder;
  CHECK_THROWS_AS(static_cast<void>(folder.run(recipeOf({stageOf(forgetfulStage())}), "b.glb")),
                  std::logic_error);
  CHECK(folder.files() == std::vector<std::string>{"a.glb"});
}

TEST_CASE("A single output has the report that it always had") {
  const Folder folder;
  const auto report = folder.run(recipeOf({stageOf(manyLifts(), 2.0)}), "b.glb");
  CHECK_OK(report);
  CHECK(heightIn(folder / "b.glb") == doctest::Approx(folder.height + 2.0));
  const Json json = Json::parse(reportJson(*report));
  CHECK(!json.contains("outputs"));
  CHECK(json["clips"].size() == 1);
}

TEST_CASE("Outputs with the same path are an error before any work") {
  const Folder folder;
  runs_of_lift = 0;
  const auto twice = folder.run(recipeOf({stageOf(manyLifts(), 0.0, {3.0, 3.2})}), "b.glb");
  REQUIRE(!twice.ok());
  CHECK(twice.error().code == ErrorCode::kUsage);
  const auto two_stages = folder.run(
      recipeOf({stageOf(manyLifts(), 0.0, {3.0}), stageOf(manyLifts(), 0.0, {4.0})}), "b.glb");
  REQUIRE(!two_stages.ok());
  CHECK(two_stages.error().code == ErrorCode::kRecipe);
  CHECK(two_stages.error().location.ends_with("a.glb: stage[1] many-lifts"));
  CHECK(runs_of_lift == 0);
  CHECK(folder.files() == std::vector<std::string>{"a.glb"});
}

TEST_CASE("The error of an output names the outputs that were written before it") {
  const Folder folder;
  folder.write("b_4m.glb/blocking_file", textBytes("x"));
  const Recipe recipe = recipeOf({stageOf(manyLifts(), 0.0, {3.0, 4.0})});
  // A folder of that name is seen before any work.
  const auto refused = folder.run(recipe, "b.glb");
  REQUIRE(!refused.ok());
  CHECK(!std::filesystem::exists(folder / "b_3m.glb"));
  // A file that blocks a side file is detected only when that is written.
  folder.write("c_4m.bin", textBytes("x"));
  const auto failed = folder.run(recipe, "c.gltf");
  REQUIRE(!failed.ok());
  CHECK(failed.error().code == ErrorCode::kWrite);
  CHECK(failed.error().message.find("c_3m.gltf") != std::string::npos);
  CHECK(std::filesystem::exists(folder / "c_3m.gltf"));
  CHECK(!std::filesystem::exists(folder / "c_4m.gltf"));
}

TEST_CASE("Names that differ in the case of letters alone get numbers, and others stay") {
  const auto namesOf = [](const std::vector<std::string>& labels) {
    std::vector<std::string> names;
    for (const auto& name : distinctOutputNamesOf("{}.glb", labels)) names.push_back(name.string());
    return names;
  };
  using Names = std::vector<std::string>;
  CHECK(namesOf({"歩く", "走る"}) == Names{"歩く.glb", "走る.glb"});
  CHECK(namesOf({"walk", "Walk", "walk"}) == Names{"walk.glb", "Walk_2.glb", "walk_3.glb"});
  CHECK(namesOf({"ä", "Ä", "a:", "a*"}) == Names{"ä.glb", "Ä_2.glb", "a_.glb", "a__2.glb"});
  // A number gives no name that a label has by itself.
  CHECK(namesOf({"a", "A", "a_2"}) == Names{"a.glb", "A_3.glb", "a_2.glb"});
}

TEST_CASE("Labels go where the braces are, or before the extension, fit for a name") {
  CHECK(outputNameOf("leap_{}.glb", "3m") == "leap_3m.glb");
  CHECK(outputNameOf("a/{}/b_{}.glb", "3.5m") == "a/3.5m/b_3.5m.glb");
  CHECK(outputNameOf("a/leap.fbx", "3m") == "a/leap_3m.fbx");
  CHECK(outputNameOf("leap.glb", "../x y") == "leap_.._x y.glb");
  CHECK(outputNameOf("{}.glb", "歩く") == "歩く.glb");
  CHECK(outputNameOf("a/{}/{}.glb", "..") == "a/__/__.glb");
  CHECK(outputNameOf("a//{}.glb", "nul") == "a//nul_.glb");
  CHECK(outputNameOf("/nul/{}.glb", "x") == "/nul/x.glb");
  CHECK(outputNameOf("leap_{}.glb", "") == "leap_{}.glb");
  CHECK(dependencyRule({"b 1.glb", "b2.glb"}, {"a.glb"}) == "b\\ 1.glb b2.glb: a.glb\n");
}
