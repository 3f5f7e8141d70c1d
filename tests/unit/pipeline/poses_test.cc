// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/poses.h"

#include <nlohmann/json.hpp>

#include "checks.h"
#include "io/gltf/read.h"
#include "io/gltf/tiny_gltf.h"
#include "io/io.h"
#include "pipeline/info.h"
#include "temporary_folder.h"

TEST_SUITE_BEGIN("pipeline.poses");

namespace {

using namespace clipmill;
using namespace clipmill::pipeline;
using namespace clipmill::test;
using Json = nlohmann::json;

Scene sceneOf(const Bytes& bytes) {
  const auto document = documentOf(bytes);
  auto scene = io::gltf::readScene(*document, true, {});
  CHECK_OK(scene);
  return std::move(*scene);
}

Json posesOf(const Scene& scene, const PosesOptions& options) {
  const auto text = posesJson(scene, "GLB", options);
  CHECK_OK(text);
  return Json::parse(*text);
}

PosesOptions atTimes(std::vector<double> times_s) {
  PosesOptions options;
  options.clips = {0};
  options.times_s = std::move(times_s);
  return options;
}

}  // namespace

TEST_CASE("World transforms are row-major three by four, of nodes in document order") {
  const Scene scene = sceneOf(wavingGltf().glb());
  const Json poses = posesOf(scene, atTimes({0.0, 1.0}));
  CHECK(poses["nodes"] == Json({"Root", "Root/Tip"}));
  const Json& clip = poses["clips"][0];
  CHECK(clip["name"] == "Wave");
  CHECK(clip["times"] == Json({0.0, 1.0}));
  REQUIRE(clip["world"].size() == 2);
  CHECK(clip["world"][0][1] == Json({1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0}));
  // At the end: Root at (1, 2, 3), Tip one above it and a rotation of 180 degrees about z.
  const Json& tip = clip["world"][1][1];
  const std::vector<double> expected = {-1, 0, 0, 1, 0, -1, 0, 3, 0, 0, 1, 3};
  for (std::size_t i = 0; i < 12; ++i) CHECK(tip[i].get<double>() == doctest::Approx(expected[i]));
}

TEST_CASE("Fractions are relative to the clip, and frames cover it") {
  const Scene scene = sceneOf(skinnedGltf().glb());
  PosesOptions options;
  options.clips = {0};
  options.fractions = {0, 0.25, 1};
  CHECK(posesOf(scene, options)["clips"][0]["times"] == Json({0.0, 0.5, 2.0}));
  options.fractions.clear();
  options.fps = 2.0;
  CHECK(posesOf(scene, options)["clips"][0]["times"] == Json({0.0, 0.5, 1.0, 1.5, 2.0}));
  options.fps = 0.0;
  CHECK(posesOf(scene, options)["clips"][0]["times"].size() == 9);
}

TEST_CASE("Vertices are skinned and morphed, and large meshes are left out") {
  const Scene scene = sceneOf(skinnedGltf().glb());
  PosesOptions options = atTimes({0.5});
  options.vertices = true;
  const Json poses = posesOf(scene, options);
  REQUIRE(poses["clips"][0]["skinned"].size() == 1);
  const Json& mesh = poses["clips"][0]["skinned"][0];
  CHECK(mesh["positions"] == Json({0, 0, 1, 1, 0, 1, 0, 1, 1}));
  CHECK(mesh["time"] == 0.5);
  options.max_vertices = 2;
  CHECK(posesOf(scene, options)["clips"][0]["skinned"].empty());
}

TEST_CASE("A file without clips shows its rest pose") {
  const Scene scene =
      sceneOf(glbOf("{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"translation\":[1,2,3]}]}"));
  const Json poses = posesOf(scene, {});
  REQUIRE(poses["clips"].size() == 1);
  CHECK(poses["clips"][0]["world"][0][0] == Json({1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3}));
}

TEST_CASE("Transforms that overflow still give valid JSON") {
  const Scene scene = sceneOf(
      glbOf("{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"scale\":[1e200,1,1],\"children\":[1]},"
            "{\"scale\":[1e200,1,1],\"translation\":[1e200,0,0]}]}"));
  CHECK(posesOf(scene, {})["clips"][0]["world"][0][1][3].is_null());
}

TEST_CASE("Output over the limit is an error before it is made") {
  const Scene scene = sceneOf(wavingGltf().glb());
  PosesOptions options;
  options.clips = {0};
  options.fps = 1e9;
  const auto many = posesJson(scene, "GLB", options);
  REQUIRE(!many.ok());
  CHECK(many.error().code == ErrorCode::kLimit);
  PosesOptions few = atTimes(std::vector<double>(100, 0.0));
  few.max_points = 199;
  CHECK(posesJson(scene, "GLB", few).error().code == ErrorCode::kLimit);
  few.max_points = 200;
  CHECK_OK(posesJson(scene, "GLB", few));

  Scene chain;
  for (int i = 0; i < 20000; ++i) {
    Node node;
    node.name = "a name of some length";
    node.parent = i - 1;
    node.source_id = i;
    chain.skeleton.nodes.push_back(node);
  }
  CHECK(posesJson(chain, "GLB", {}).error().code == ErrorCode::kLimit);
}

TEST_CASE("The text of info has each node below its own parent, in any order of nodes") {
  const TemporaryFolder folder;
  auto loaded = io::load(
      folder.write("a.glb", glbOf("{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}]}")), {});
  CHECK_OK(loaded);
  io::Asset& asset = *loaded;
  asset.scene.skeleton.nodes.clear();
  // As in FBX files: the children of "a" come after "b".
  for (const auto& [name, parent] : {std::pair{"a", -1},
                                     {"b", -1},
                                     {"b1", 1},
                                     {"a1", 0},
                                     {"a2", 0},
                                     {"a11", 3},
                                     {"tail1", 4},
                                     {"tail2", 6}}) {
    Node node;
    node.name = name;
    node.parent = parent;
    node.source_id = static_cast<int>(asset.scene.skeleton.size());
    node.rest.translation = Vec3(0, 1, 0);
    asset.scene.skeleton.nodes.push_back(node);
  }
  const std::string text = infoText(asset);
  CHECK(text.find("  a\n    a1\n      a11\n    a2\n      tail1\n        tail2\n  b\n    b1\n") !=
        std::string::npos);
  CHECK(text.find("chains that could swing (dynamic-bones --auto)\n  tail: 1 chain below 'a2'") !=
        std::string::npos);
  const Json chains = Json::parse(infoJson(asset))["swinging_chains"];
  REQUIRE(chains.size() == 1);
  CHECK(chains[0]["root"] == "tail1");
  CHECK(chains[0]["joint_count"] == 2);
}

TEST_CASE("The text of info has one line for each node, for any name and any depth") {
  const TemporaryFolder folder;
  std::string nodes = "{\"name\":\"a\\n\\u001b[31m\",\"children\":[1]}";
  for (int i = 2; i < 3000; ++i) nodes += ",{\"children\":[" + std::to_string(i) + "]}";
  const auto asset = io::load(
      folder.write("a.glb",
                   glbOf("{\"asset\":{\"version\":\"2.0\"},\"nodes\":[" + nodes + ",{}]}")),
      {});
  CHECK_OK(asset);
  const std::string text = infoText(*asset);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.size() < 3000 * 200);
  CHECK(Json::parse(infoJson(*asset))["nodes"].size() == 3000);
}
