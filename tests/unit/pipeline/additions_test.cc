// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Stages that add to the file: to its meshes, and beside it.
#include "checks.h"
#include "core/to_size.h"
#include "io/gltf/tiny_gltf.h"
#include "pipeline/run.h"
#include "temporary_folder.h"

TEST_SUITE_BEGIN("pipeline.additions");

namespace {

using namespace clipmill;
using namespace clipmill::pipeline;
using namespace clipmill::stages;
using namespace clipmill::test;

// A stage that gives every skinned mesh one more morph, which moves its vertices by (0, 0, depth),
// and whose weight follows the time of the clip. Writes how many morphs it found beside the output.
struct PuffSettings {
  double depth = 1.0;
};

const SettingsTable& puffTable() {
  static const SettingsTable table =
      SettingsTableBuilder<PuffSettings>()
          .number("depth", &PuffSettings::depth, "depth of the dent", "m", 0.0, 10.0)
          .build();
  return table;
}

Result<StageOutput> runPuff(const StageInput& input, const PuffSettings& settings) {
  StageOutput output;
  std::string found;
  for (const SkinnedMesh& mesh : input.scene.meshes) {
    found += std::to_string(mesh.morphs.size()) + "\n";
    const std::vector<Vec3> deltas(mesh.vertexCount(), Vec3(0, 0, settings.depth));
    output.additions.morphs.push_back({mesh.node, "puff", deltas});
  }
  output.additions.files.push_back(
      {"_puff" + std::to_string(static_cast<int>(settings.depth)) + ".txt", textBytes(found)});
  const Scene wide = withAdditions(input.scene, output.additions);
  for (const Motion& motion : input.motions) {
    StageResult result;
    result.motion = withAdditions(input.scene.skeleton, wide.skeleton, motion);
    for (const AddedMorph& morph : output.additions.morphs) {
      const Node& node = wide.skeleton.nodes[toSize(morph.node)];
      const int last = node.weights_start + node.weights_count - 1;
      for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
        result.motion.frame(f).weights[toSize(last)] = motion.grid.timeOf(f);
      }
      result.motion.modified.set(morph.node, TrackPath::kWeights);
    }
    output.results.push_back(std::move(result));
  }
  return output;
}

const StageType& puff() {
  static const StageType type = [] {
    StageType t = makeStageType<PuffSettings>("puff", "puffs up", puffTable(), runPuff);
    t.needs_meshes = [](const void*) { return true; };
    return t;
  }();
  return type;
}

Recipe puffs(std::vector<double> depths, KeysMode keys = KeysMode::kAll) {
  Recipe recipe;
  recipe.output.keys = keys;
  for (const double depth : depths) {
    auto settings = std::make_shared<PuffSettings>();
    settings->depth = depth;
    recipe.stages.push_back({&puff(), settings});
  }
  return recipe;
}

Status run(const std::filesystem::path& input, const Recipe& recipe,
           const std::filesystem::path& output) {
  RunReport report;
  return runFile(input, recipe, output, {}, report);
}

struct Loaded {
  Scene scene;
  const SkinnedMesh& mesh() const { return scene.meshes.at(0); }
  std::vector<double> weightsAt(double time_s) const {
    Pose pose = restPose(scene.skeleton);
    scene.clips.at(0).source->cursor()->sample(time_s, pose.view());
    return pose.weights;
  }
};

Loaded load(const std::filesystem::path& path) {
  auto asset = io::load(path, {true, {}});
  CHECK_OK(asset);
  return {asset->scene};
}

// A stage that hangs a joint one unit above the last joint of the skin and moves it along x with
// the time of the clip; the last vertex of the first mesh follows it.
struct GraftSettings {};

const SettingsTable& graftTable() {
  static const SettingsTable table = SettingsTableBuilder<GraftSettings>().build();
  return table;
}

Additions graftOn(const Scene& scene) {
  const SkinnedMesh& mesh = scene.meshes.at(0);
  const Skin& skin = scene.skins.at(toSize(mesh.skin));
  const int joint = static_cast<int>(scene.skeleton.size());
  Additions additions;
  additions.joints = {{"", skin.joints.back(), {Vec3(0, 1, 0), kIdentityRotation, Vec3(1.0)}}};
  AddedWeights weights;
  weights.node = mesh.node;
  for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
    const bool is_last = v + 1 == mesh.vertexCount();
    weights.influence_start.push_back(v);
    weights.influences.push_back({is_last ? joint : skin.joints.front(), 1.0});
  }
  weights.influence_start.push_back(weights.influences.size());
  weights.joints = {joint};
  weights.joint_from_bind = {Affine{Mat3(1.0), Vec3(0, -1, 0)} * skin.joint_from_bind.back()};
  additions.weights = {std::move(weights)};
  return additions;
}

Result<StageOutput> runGraft(const StageInput& input, const GraftSettings&) {
  StageOutput output;
  output.additions = graftOn(input.scene);
  const Skeleton wide = withAdditions(input.scene.skeleton, output.additions);
  const int joint = static_cast<int>(input.scene.skeleton.size());
  for (const Motion& motion : input.motions) {
    StageResult result;
    result.motion = withAdditions(input.scene.skeleton, wide, motion);
    for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
      result.motion.frame(f).locals[toSize(joint)].translation.x = motion.grid.timeOf(f);
    }
    result.motion.modified.set(joint, TrackPath::kTranslation);
    output.results.push_back(std::move(result));
  }
  return output;
}

Recipe grafts(std::size_t count) {
  static const StageType type = [] {
    StageType t = makeStageType<GraftSettings>("graft", "adds a joint", graftTable(), runGraft);
    t.needs_meshes = [](const void*) { return true; };
    return t;
  }();
  Recipe recipe;
  for (std::size_t i = 0; i < count; ++i) {
    recipe.stages.push_back({&type, std::make_shared<GraftSettings>()});
  }
  return recipe;
}

void checkPuffed(const Loaded& after, double tolerance, double depth = 1.0) {
  REQUIRE(after.mesh().morphs.size() == 2);
  CHECK(after.mesh().morphs[1].name == "puff");
  for (const Vec3& delta : after.mesh().morphs[1].position_deltas) {
    CHECK(test::distance(delta, Vec3(0, 0, depth)) <= tolerance * depth);
  }
  for (const double time : {0.0, 0.5, 1.0, 2.0}) {
    CHECK(std::abs(after.weightsAt(time).at(1) - time) <= tolerance);
  }
}

}  // namespace

TEST_CASE("Morphs that a stage adds are written with their keys, and its files beside the output") {
  const TemporaryFolder folder;
  const auto input = folder.write("a.glb", skinnedGltf().glb());
  for (const KeysMode keys : {KeysMode::kAll, KeysMode::kReduced}) {
    CHECK_OK(run(input, puffs({1.0}, keys), folder / "b.glb"));
    checkPuffed(load(folder / "b.glb"), keys == KeysMode::kAll ? 1e-6 : 1e-3);
  }
  CHECK(asText(folder.read("b_puff1.txt")) == "1\n");
}

TEST_CASE("Added morphs are written to other formats too") {
  const TemporaryFolder folder;
  const auto input = folder.write("a.glb", skinnedGltf().glb());
  CHECK_OK(run(input, puffs({1.0}), folder / "b.fbx"));
  // The new file counts in centimetres.
  checkPuffed(load(folder / "b.fbx"), 1e-4, 100.0);
  // And an FBX file in its own format, in which no weight of the first morph may change.
  CHECK_OK(run(input, Recipe(), folder / "plain.fbx"));
  CHECK_OK(run(folder / "plain.fbx", puffs({1.0}), folder / "c.fbx"));
  checkPuffed(load(folder / "c.fbx"), 1e-4);
  CHECK_OK(run(folder / "plain.fbx", puffs({1.0}), folder / "d.glb"));
  checkPuffed(load(folder / "d.glb"), 1e-4, 0.01);
  for (const char* name : {"b.fbx", "c.fbx", "d.glb"}) {
    for (const double time : {0.0, 0.5, 1.25, 2.0}) {
      const double own = load(input).weightsAt(time)[0];
      CHECK(std::abs(load(folder / name).weightsAt(time)[0] - own) < 1e-4);
    }
  }
}

TEST_CASE("A stage sees the morphs of the previous stage and appends its own") {
  const TemporaryFolder folder;
  const auto input = folder.write("a.glb", skinnedGltf().glb());
  CHECK_OK(run(input, puffs({1.0, 2.0}), folder / "b.glb"));
  CHECK(asText(folder.read("b_puff2.txt")) == "2\n");
  const Loaded after = load(folder / "b.glb");
  REQUIRE(after.mesh().morphs.size() == 3);
  CHECK(after.mesh().morphs[2].position_deltas[0] == Vec3(0, 0, 2));
  CHECK(after.weightsAt(1.0)[1] == doctest::Approx(1.0));
  CHECK(after.weightsAt(1.0)[2] == doctest::Approx(1.0));
}

TEST_CASE("Added joints are written with their keys, and later stages can add children to them") {
  const TemporaryFolder folder;
  const auto input = folder.write("a.glb", skinnedGltf().glb());
  CHECK_OK(run(input, Recipe(), folder / "plain.fbx"));
  for (const auto& [from, to] : {std::pair("a.glb", "b.glb"), std::pair("plain.fbx", "b.fbx"),
                                 std::pair("a.glb", "c.fbx")}) {
    const std::string output = to;
    CAPTURE(output);
    CHECK_OK(run(folder / from, grafts(2), folder / to));
    const Scene after = load(folder / to).scene;
    const auto first = findNodes(after.skeleton, "joint_0");
    const auto second = findNodes(after.skeleton, "joint_1");
    REQUIRE(first.size() == 1);
    REQUIRE(second.size() == 1);
    CHECK(after.skeleton.nodes[toSize(second[0])].parent == first[0]);
    const SkinnedMesh& mesh = after.meshes.at(0);
    const Skin& skin = after.skins.at(toSize(mesh.skin));
    CHECK(skin.joints.at(mesh.influences.back().joint) == second[0]);
    Pose pose = restPose(after.skeleton);
    after.clips.at(0).source->cursor()->sample(2.0, pose.view());
    std::vector<Affine> worlds;
    computeWorlds(after.skeleton, pose.locals, after.metric_from_file, worlds);
    // Both moved by 2 along x, in metres or in the centimetres that the file counts.
    const double unit = std::string(from) == "plain.fbx" ? 0.01 : 1.0;
    const Affine& end = worlds[toSize(second[0])];
    CHECK(end.translation.x == nearTo(4.0 * unit, 1e-3));
  }
}

TEST_CASE("A side file with other content is not overwritten, and the run writes nothing") {
  const TemporaryFolder folder;
  const auto input = folder.write("a.glb", skinnedGltf().glb());
  folder.write("b_puff1.txt", textBytes("mine"));
  const Status refused = run(input, puffs({1.0}), folder / "b.glb");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kWrite);
  CHECK_FALSE(std::filesystem::exists(folder / "b.glb"));
}
