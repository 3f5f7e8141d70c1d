// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pages/preview.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "checks.h"
#include "io/gltf/data_uri.h"
#include "io/gltf/tiny_gltf.h"
#include "pipeline/run.h"
#include "temporary_folder.h"

TEST_SUITE_BEGIN("pages.preview");

namespace {

using namespace clipmill;
using namespace clipmill::pages;
using namespace clipmill::pipeline;
using namespace clipmill::test;
using Json = nlohmann::json;

constexpr const char* kTemplate = "<html><body><!--clipmill:data--><p>end</p></body></html>";
constexpr const char* kHostile = "</script><img src=x onerror=alert(1)><!--";

PreviewModel jointLayoutOf(const std::string& name, const std::vector<std::string>& clips) {
  PreviewModel model;
  model.name = name;
  model.glb = textBytes("glb of " + name);
  for (const std::string& clip : clips) model.clips.push_back({clip, 0.0, 1.0, 30.0, 0.0});
  return model;
}

std::string pageOf(const Preview& preview) {
  const auto page = previewPage(kTemplate, preview);
  CHECK_OK(page);
  return *page;
}

std::size_t countOf(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// The content of the data block with that id.
std::string blockOf(const std::string& page, const std::string& id) {
  const std::string start = " id=\"" + id + "\">";
  const std::size_t at = page.find(start);
  REQUIRE(at != std::string::npos);
  const std::size_t from = at + start.size();
  return page.substr(from, page.find("</script>", from) - from);
}

Result<std::string> reportIn(const std::string& text) {
  const TemporaryFolder folder;
  return loadPreviewReport(folder.write("r.json", textBytes(text)), {});
}

}  // namespace

TEST_CASE("A page is its template with the data at the mark") {
  Preview preview;
  preview.models = {jointLayoutOf("a.glb", {"Walk", "Run"}),
                    jointLayoutOf("b.glb", {"Walk", "Run"})};
  preview.report_json = "{\"clips\":[]}";
  const std::string page = pageOf(preview);
  CHECK(page.find("<html><body><script type=") == 0);
  CHECK(page.find("<p>end</p></body></html>") == page.size() - 24);
  CHECK(page.find("clipmill:data") == std::string::npos);
  CHECK(io::gltf::decodeBase64(blockOf(page, "model0")) == textBytes("glb of a.glb"));
  CHECK(io::gltf::decodeBase64(blockOf(page, "model1")) == textBytes("glb of b.glb"));
  CHECK(blockOf(page, "report") == preview.report_json);
  const Json header = Json::parse(blockOf(page, "preview"));
  CHECK(header["models"][1]["name"] == "b.glb");
  CHECK(header["models"][0]["clips"][1]["name"] == "Run");
  CHECK(header["first"] == 0);
}

TEST_CASE("Names with markup stay text and keep their characters") {
  Preview preview;
  preview.models = {jointLayoutOf(kHostile, {kHostile, "\xff\x01\xe2\x80\xa8"})};
  preview.models[0].warnings.add("code", "text", kHostile);
  preview.report_json = Json({{"clips", {{{"clip", kHostile}}}}}).dump();
  const std::string page = pageOf(preview);
  CHECK(countOf(page, "<img") == 0);
  CHECK(countOf(page, "<!--") == 0);
  CHECK(countOf(page, "<script") == 3);
  CHECK(countOf(page, "</script") == 3);
  const Json header = Json::parse(blockOf(page, "preview"));
  CHECK(header["models"][0]["name"] == kHostile);
  CHECK(header["models"][0]["clips"][0]["name"] == kHostile);
  CHECK(header["models"][0]["warnings"][0]["first"] == kHostile);
  CHECK(Json::parse(blockOf(page, "report"))["clips"][0]["clip"] == kHostile);
}

TEST_CASE("Clips are paired by unique name, else by index") {
  Preview preview;
  preview.models = {jointLayoutOf("a", {"Walk", "Twice", "Twice", "Alone"}),
                    jointLayoutOf("b", {"Twice", "Walk", "Twice"})};
  const Json header = Json::parse(blockOf(pageOf(preview), "preview"));
  CHECK(header["pairs"] == Json::parse("[[0,1],[1,1],[2,2],[3,-1]]"));
}

TEST_CASE("A template without a mark for data is an error") {
  Preview preview;
  preview.models = {jointLayoutOf("a", {})};
  CHECK(!previewPage("<html></html>", preview).ok());
}

TEST_CASE("A model has its clips, and opens with the chosen one") {
  const TemporaryFolder folder;
  const auto path = folder.write("wave.glb", wavingGltf().glb());
  const auto model = loadPreviewModel(path, {"W*"}, {});
  CHECK_OK(model);
  CHECK(model->name == "wave.glb");
  CHECK(model->glb == folder.read("wave.glb"));
  REQUIRE(model->clips.size() == 1);
  CHECK(model->clips[0].name == "Wave");
  CHECK(model->clips[0].end_s == 1.0);
  CHECK(model->clips[0].animation_start_s == 0.0);
  CHECK(model->chosen_clips == std::vector<int>{0});
  const auto missing = loadPreviewModel(path, {"None"}, {});
  REQUIRE(!missing.ok());
  CHECK(missing.error().code == ErrorCode::kNotFound);
}

TEST_CASE("A glTF text becomes one GLB that needs no other file") {
  const TemporaryFolder folder;
  TinyGltf gltf = wavingGltf();
  gltf.members += ",\"images\":[{\"uri\":\"p.png\"}]";
  folder.write("wave.bin", gltf.bin);
  folder.write("p.png", textBytes("image"));
  const auto path = folder.write("wave.gltf", textBytes(gltf.json("wave.bin")));
  const auto model = loadPreviewModel(path, {}, {});
  CHECK_OK(model);
  const auto document = documentOf(model->glb);
  CHECK(document->container == io::gltf::Container::kGlb);
  CHECK(document->external_uris.empty());
}

TEST_CASE("Compression that players do not support is removed from a glTF, with a warning") {
  const TemporaryFolder folder;
  TinyGltf gltf = wavingGltf();
  gltf.members += ",\"extensionsUsed\":[\"KHR_draco_mesh_compression\"]";
  const auto model = loadPreviewModel(folder.write("packed.glb", gltf.glb()), {}, {});
  CHECK_OK(model);
  CHECK(model->warnings.count("packed_meshes") == 1);
  const auto document = documentOf(model->glb);
  CHECK(document->text.find("draco") == std::string_view::npos);
  CHECK(model->source_of_node == std::vector<int>{0, 1});
  // What was sampled moves as the source does.
  const auto asset = io::load(folder.write("again.glb", model->glb), {});
  CHECK_OK(asset);
  REQUIRE(asset->scene.clips.size() == 1);
  CHECK(asset->scene.clips[0].end_s == 1.0);
}

TEST_CASE("A run report is accepted, and other texts are an error") {
  const auto report = reportIn("{\"clips\":[{}]}");
  CHECK_OK(report);
  CHECK(*report == "{\"clips\":[{}]}");
  const std::string nested = std::string(100000, '[') + std::string(100000, ']');
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("{}"), std::string("{\"clips\":1}"),
        std::string("{\"clips\":[]} more"), std::string("{\"clips\":[\"\xff\"]}"), nested,
        "{\"clips\":[],\"x\":" + nested + "}"}) {
    CAPTURE(text.substr(0, 30));
    const auto refused = reportIn(text);
    REQUIRE(!refused.ok());
    CHECK(refused.error().code == ErrorCode::kMalformed);
  }
}

TEST_CASE("Series of a report have a value a frame, on one line each") {
  RunReport report;
  ClipReport clip;
  StageReport stage;
  stage.type = "dynamic-bones";
  stage.series = {{"tip_speed_mps", "Tail*", {}, {0.0, 0.5, 0.25}},
                  {"angle_to_rest_deg", "Tail*", {1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}};
  stage.shapes = {{"collider", "thigh", 7, "Leg", Vec3(0.0), Vec3(0.0, 0.4, 0.0), 0.1}};
  stage.points = {{"Tail6", 9, "Tail6", Vec3(0.0, 0.1, 0.0)}};
  clip.stages.push_back(stage);
  report.clips.push_back(clip);
  const std::string text = reportJson(report);
  CHECK(text.find("\"after\": [0.0,0.5,0.25]") != std::string::npos);
  const Json json = Json::parse(text)["clips"][0]["stages"][0];
  CHECK(!json["series"][0].contains("before"));
  CHECK(json["series"][0]["of"] == "Tail*");
  CHECK(json["series"][1]["before"].size() == 3);
  CHECK(json["shapes"][0]["node"] == 7);
  CHECK(json["shapes"][0]["tail_m"][1] == 0.4);
  CHECK(json["points"][0]["name"] == "Tail6");
}
