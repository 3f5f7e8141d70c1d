// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/convert.h"

#include <nlohmann/json.hpp>

#include "anim/pose.h"
#include "checks.h"
#include "io/gltf/read.h"
#include "io/gltf/tiny_gltf.h"
#include "temporary_folder.h"

TEST_SUITE_BEGIN("gltf.convert");

namespace {

using namespace clipmill;
using namespace clipmill::io::gltf;
using namespace clipmill::test;

constexpr std::uint64_t kMaxFileBytes = 1 << 20;

std::shared_ptr<const Document> parsed(Bytes bytes, const std::filesystem::path& folder) {
  const auto document = parseDocument(std::move(bytes), folder, {});
  CHECK_OK(document);
  return *document;
}

std::shared_ptr<const Document> joined(const Document& document) {
  auto glb = toGlb(document, kMaxFileBytes);
  CHECK_OK(glb);
  return parsed(std::move(*glb), "no-such-folder");
}

// Every pose that the two show at some times is the same to the bit.
void checkSamePoses(const Document& a, const Document& b) {
  const auto scene_a = readScene(a, true, {}), scene_b = readScene(b, true, {});
  CHECK_OK(scene_a);
  CHECK_OK(scene_b);
  REQUIRE(scene_a->clips.size() == scene_b->clips.size());
  for (std::size_t clip = 0; clip < scene_a->clips.size(); ++clip) {
    for (double time_s : {-1.0, 0.0, 0.3, 0.9, 2.0}) {
      Pose pose_a = restPose(scene_a->skeleton), pose_b = restPose(scene_b->skeleton);
      scene_a->clips[clip].source->cursor()->sample(time_s, pose_a.view());
      scene_b->clips[clip].source->cursor()->sample(time_s, pose_b.view());
      CHECK(pose_a.locals == pose_b.locals);
      CHECK(pose_a.weights == pose_b.weights);
    }
  }
  REQUIRE(scene_a->meshes.size() == scene_b->meshes.size());
  for (std::size_t i = 0; i < scene_a->meshes.size(); ++i) {
    CHECK(scene_a->meshes[i].positions == scene_b->meshes[i].positions);
  }
}

std::string bytesOfView(const Document& document, std::size_t view) {
  const auto& described = document.json->at("bufferViews")[view];
  const auto bytes = document.buffers[described.at("buffer").get<std::size_t>()].bytes.subspan(
      described.value("byteOffset", std::size_t{0}), described.at("byteLength").get<std::size_t>());
  return std::string(asText(bytes));
}

}  // namespace

TEST_CASE("A GLB converted to .gltf and back has the same poses and the same bytes") {
  const TemporaryFolder folder;
  for (const TinyGltf& gltf : {wavingGltf(), skinnedGltf()}) {
    const auto glb = parsed(gltf.glb(), folder.path());
    const auto text = toText(*glb, "a clip.bin");
    CHECK_OK(text);
    CHECK(text->bin == Bytes(glb->buffers[0].bytes.begin(), glb->buffers[0].bytes.end()));
    folder.write("a clip.bin", text->bin);
    const auto document = parsed(text->text, folder.path());
    CHECK(document->container == Container::kText);
    checkSamePoses(*glb, *document);
    const auto back = joined(*document);
    checkSamePoses(*glb, *back);
    CHECK(*back->json == *glb->json);
  }
}

TEST_CASE("A GLB without bytes needs no second file") {
  const auto glb = documentOf(glbOf("{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}]}"));
  const auto text = toText(*glb, "x.bin");
  CHECK_OK(text);
  CHECK(text->bin.empty());
  CHECK(asText(text->text) == "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}]}");
}

TEST_CASE("Several buffers and image files become one BIN chunk") {
  const TemporaryFolder folder;
  folder.write("a.bin", textBytes("abcde"));
  folder.write("pic 1.jpg", textBytes("\xFF\xD8"
                                      "texture"));
  const auto document = parsed(
      textBytes("{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":5,\"uri\":\"a.bin\","
                "\"name\":\"first\"},{\"byteLength\":3,\"uri\":\"data:;base64,eHl6\"}],"
                "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":1,\"byteLength\":3},"
                "{\"buffer\":1,\"byteLength\":2},{\"buffer\":1,\"byteOffset\":1,\"byteLength\":2}],"
                "\"images\":[{\"uri\":\"pic%201.jpg\",\"name\":\"P\"},{\"bufferView\":0,"
                "\"mimeType\":\"image/png\"}]}"),
      folder.path());
  const auto glb = joined(*document);
  REQUIRE(glb->buffers.size() == 1);
  CHECK(glb->json->at("buffers")[0]["name"] == "first");
  CHECK(!glb->json->at("buffers")[0].contains("uri"));
  CHECK(bytesOfView(*glb, 0) == "bcd");
  CHECK(bytesOfView(*glb, 1) == "xy");
  CHECK(bytesOfView(*glb, 2) == "yz");
  CHECK(bytesOfView(*glb, 3) ==
        "\xFF\xD8"
        "texture");
  const auto& image = glb->json->at("images")[0];
  CHECK(image["bufferView"] == 3);
  CHECK(image["mimeType"] == "image/jpeg");
  CHECK(image["name"] == "P");
  CHECK(!image.contains("uri"));
  CHECK(glb->external_uris.empty());
}

TEST_CASE("The fallback buffer of compressed views stays without bytes") {
  const auto document = documentOf(textBytes(
      "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":400,\"name\":\"none\"},"
      "{\"byteLength\":3,\"uri\":\"data:;base64,eHl6\"}],\"bufferViews\":[{\"buffer\":0,"
      "\"byteLength\":400,\"extensions\":{\"EXT_meshopt_compression\":{\"buffer\":1,"
      "\"byteOffset\":1,\"byteLength\":2}}}]}"));
  const auto glb = joined(*document);
  REQUIRE(glb->buffers.size() == 2);
  const auto& view = glb->json->at("bufferViews")[0];
  CHECK(view["buffer"] == 1);
  CHECK(glb->json->at("buffers")[1]["name"] == "none");
  const auto& compression = view["extensions"]["EXT_meshopt_compression"];
  CHECK(compression["buffer"] == 0);
  CHECK(compression["byteOffset"] == 1);
  CHECK(asText(glb->buffers[0].bytes) == "xyz");
}

TEST_CASE("Of an extension that a view has twice only the last is updated") {
  const auto document = documentOf(
      textBytes("{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":3,\"uri\":\"data:;"
                "base64,eHl6\"},"
                "{\"byteLength\":3,\"uri\":\"data:;base64,eHl6\"}],\"bufferViews\":[{\"buffer\":1,"
                "\"byteLength\":1,\"extensions\":{\"E\":5,\"E\":{\"buffer\":1}}}]}"));
  const auto glb = joined(*document);
  CHECK(glb->json->at("bufferViews")[0]["extensions"]["E"]["byteOffset"] == 4);
  CHECK(glb->text.find("\"E\":5,\"E\":{") != std::string_view::npos);
}

TEST_CASE("One image referred to a thousand times exceeds the limit") {
  const TemporaryFolder folder;
  folder.write("p.png", Bytes(10000));
  std::string images;
  for (int i = 0; i < 1000; ++i) images += std::string(i ? "," : "") + "{\"uri\":\"p.png\"}";
  const auto document = parsed(
      textBytes("{\"asset\":{\"version\":\"2.0\"},\"images\":[" + images + "]}"), folder.path());
  const auto glb = toGlb(*document, kMaxFileBytes);
  REQUIRE(!glb.ok());
  CHECK(glb.error().code == ErrorCode::kLimit);
}

TEST_CASE("A buffer referred to several times counts against the limit each time") {
  const TemporaryFolder folder;
  folder.write("a.bin", Bytes(1000));
  std::string buffers;
  for (int i = 0; i < 100; ++i) {
    buffers += std::string(i ? "," : "") + "{\"byteLength\":1000,\"uri\":\"a.bin\"}";
  }
  io::Limits limits;
  limits.max_decoded_bytes = 50000;
  const auto document =
      parseDocument(textBytes("{\"asset\":{\"version\":\"2.0\"},\"buffers\":[" + buffers + "]}"),
                    folder.path(), limits);
  REQUIRE(!document.ok());
  CHECK(document.error().code == ErrorCode::kLimit);
}

TEST_CASE("External files are listed once, and not from outside the folder") {
  const TemporaryFolder folder;
  folder.write("a.png", textBytes("a"));
  const auto twice =
      parsed(textBytes("{\"asset\":{\"version\":\"2.0\"},\"images\":[{\"uri\":\"a.png\"},"
                       "{\"uri\":\"./a.png\"},{\"uri\":\"x/../a.png\"}]}"),
             folder.path());
  const auto resources = externalFiles(*twice, kMaxFileBytes);
  CHECK_OK(resources);
  REQUIRE(resources->size() == 1);
  CHECK((*resources)[0].relative_path == "a.png");
  for (const char* uri : {"../a.png", "x/../../a.png", ".."}) {
    const auto outside =
        parsed(textBytes("{\"asset\":{\"version\":\"2.0\"},\"images\":[{\"uri\":\"" +
                         std::string(uri) + "\"}]}"),
               folder.path());
    const auto refused = externalFiles(*outside, kMaxFileBytes);
    REQUIRE(!refused.ok());
    CHECK(refused.error().code == ErrorCode::kUnsupported);
  }
}
