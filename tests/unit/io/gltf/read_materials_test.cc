// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "checks.h"
#include "io/gltf/read.h"
#include "io/gltf/tiny_gltf.h"
#include "temporary_folder.h"

TEST_SUITE_BEGIN("gltf.read_materials");

namespace {

using namespace clipmill;
using namespace clipmill::test;

const Bytes kPng = rawBytes<std::uint8_t>({0x89, 'P', 'N', 'G', 1, 2, 3});
const Bytes kJpeg = rawBytes<std::uint8_t>({0xFF, 0xD8, 9, 8});

// Images 0 and 1 by texture 1 and 0, and one material of that text.
TinyGltf surfaced(const std::string& material) {
  TinyGltf gltf;
  const int view = gltf.addView(kPng);
  gltf.members = ",\"images\":[{\"name\":\"Coat\",\"mimeType\":\"image/png\",\"bufferView\":" +
                 std::to_string(view) + "},{\"uri\":\"data:image/jpeg;base64," +
                 io::gltf::encodeBase64(kJpeg) +
                 "\"}],\"textures\":[{\"source\":1},{\"source\":0}],\"materials\":[" + material +
                 "]";
  return gltf;
}

Result<Scene> read(const TinyGltf& gltf, const io::Limits& limits = {}) {
  return io::gltf::readScene(*documentOf(gltf.glb()), true, limits);
}

Material materialOf(const std::string& text) {
  const auto scene = read(surfaced(text));
  CHECK_OK(scene);
  CHECK(scene->warnings.empty());
  REQUIRE(scene->materials.size() == 1);
  return scene->materials[0];
}

}  // namespace

TEST_CASE("An empty material has the defaults of the format") {
  const Material material = materialOf("{}");
  CHECK(material.base_color == Vec4(1.0));
  CHECK(material.metallic == 1.0);
  CHECK(material.roughness == 1.0);
  CHECK(material.emissive == Vec3(0.0));
  CHECK(material.alpha_mode == AlphaMode::kOpaque);
  CHECK(material.alpha_cutoff == 0.5);
  CHECK_FALSE(material.double_sided);
  CHECK_FALSE(material.unlit);
  CHECK(material.base_color_image == -1);
  CHECK(material.emissive_image == -1);
}

TEST_CASE("All material properties are read, textures as their images") {
  const Material material = materialOf(
      R"({"name":"Coat","pbrMetallicRoughness":{"baseColorFactor":[0.1,0.2,0.3,0.4],)"
      R"("metallicFactor":0.25,"roughnessFactor":0.75,"baseColorTexture":{"index":0},)"
      R"("metallicRoughnessTexture":{"index":1}},"normalTexture":{"index":0,"scale":-2},)"
      R"("occlusionTexture":{"index":1},"emissiveTexture":{"index":0},)"
      R"("emissiveFactor":[0.5,0.25,1],"alphaMode":"MASK","alphaCutoff":0.125,)"
      R"("doubleSided":true,"extensions":{"KHR_materials_unlit":{},)"
      R"("KHR_materials_emissive_strength":{"emissiveStrength":4}}})");
  CHECK(material.name == "Coat");
  CHECK(material.base_color == Vec4(0.1, 0.2, 0.3, 0.4));
  CHECK(material.metallic == 0.25);
  CHECK(material.roughness == 0.75);
  CHECK(material.base_color_image == 1);
  CHECK(material.metallic_roughness_image == 0);
  CHECK(material.normal_image == 1);
  CHECK(material.normal_scale == -2.0);
  CHECK(material.occlusion_image == 0);
  CHECK(material.emissive_image == 1);
  CHECK(material.emissive == Vec3(2, 1, 4));
  CHECK(material.alpha_mode == AlphaMode::kMask);
  CHECK(material.alpha_cutoff == 0.125);
  CHECK(material.double_sided);
  CHECK(material.unlit);
}

TEST_CASE("Images keep their encoded bytes, from a view and from a data URI") {
  const auto scene = read(surfaced("{}"));
  CHECK_OK(scene);
  REQUIRE(scene->images.size() == 2);
  CHECK(scene->images[0].name == "Coat");
  CHECK(scene->images[0].bytes == kPng);
  CHECK(scene->images[1].bytes == kJpeg);
  CHECK(scene->images[1].mime_type == "image/jpeg");
  CHECK(scene->images[1].path.empty());
}

TEST_CASE("An image file is read from the document's folder, and a missing one is a warning") {
  const TemporaryFolder folder;
  folder.write("my coat.png", kPng);
  TinyGltf gltf;
  gltf.members = R"(,"images":[{"uri":"my%20coat.png"},{"uri":"gone.png"}])";
  const auto document = io::gltf::parseDocument(gltf.text(), folder.path(), {}).value();
  const auto scene = io::gltf::readScene(*document, true, {});
  CHECK_OK(scene);
  REQUIRE(scene->images.size() == 2);
  CHECK(scene->images[0].bytes == kPng);
  CHECK(scene->images[0].mime_type == "image/png");
  CHECK(scene->images[0].path == "my coat.png");
  CHECK(scene->images[1].bytes.empty());
  CHECK(scene->images[1].path == "gone.png");
  CHECK(scene->warnings.count("image_not_found") == 1);
  CHECK(scene->warnings.all().size() == 1);
  // Poses need no images.
  CHECK(io::gltf::readScene(*document, false, {})->warnings.empty());

  io::Limits limits;
  limits.max_file_bytes = kPng.size() - 1;
  const auto refused = io::gltf::readScene(*document, true, limits);
  REQUIRE(!refused.ok());
  CHECK(refused.error().code == ErrorCode::kLimit);
}

TEST_CASE("Images count against the limits, embedded or in files") {
  io::Limits limits;
  limits.max_file_bytes = kPng.size() - 1;
  const auto too_large = read(surfaced("{}"), limits);
  REQUIRE(!too_large.ok());
  CHECK(too_large.error().code == ErrorCode::kLimit);
  limits = {};
  limits.max_decoded_bytes = 2 * sizeof(Image);
  const auto too_many = read(surfaced("{}"), limits);
  REQUIRE(!too_many.ok());
  CHECK(too_many.error().code == ErrorCode::kLimit);
}

TEST_CASE("Images that cannot be read are warnings") {
  TinyGltf gltf = surfaced("{}");
  gltf.members = R"(,"images":[{"bufferView":7},{},{"uri":"data:image/png;base64,!"},)"
                 R"({"uri":"http://far.away/coat.png"},{"bufferView":0}])";
  const auto scene = read(gltf);
  CHECK_OK(scene);
  CHECK(scene->images.size() == 5);
  CHECK(scene->warnings.count("image_not_read") == 4);
  CHECK(scene->images[3].path == "http://far.away/coat.png");
  CHECK(scene->images[4].bytes == kPng);
  CHECK(scene->images[4].mime_type == "image/png");
}

TEST_CASE("Errors in a material are warnings, and the rest of it is read") {
  const char* const faults[] = {
      R"({"doubleSided":true,"normalTexture":{"index":2}})",
      R"({"doubleSided":true,"emissiveTexture":{}})",
      R"({"doubleSided":true,"emissiveTexture":7})",
      R"({"doubleSided":true,"alphaMode":"GLASS"})",
      R"({"doubleSided":true,"alphaCutoff":-1})",
      R"({"doubleSided":true,"emissiveFactor":[1,1]})",
      R"({"doubleSided":true,"pbrMetallicRoughness":{"metallicFactor":2}})",
      R"({"doubleSided":true,"pbrMetallicRoughness":[]})",
      R"({"doubleSided":true,"extensions":[]})"};
  for (const char* fault : faults) {
    CAPTURE(fault);
    const auto scene = read(surfaced(fault));
    CHECK_OK(scene);
    CHECK(scene->warnings.count("malformed_material") >= 1);
    CHECK(scene->materials[0].double_sided);
    CHECK(scene->materials[0].metallic == 1.0);
    CHECK(scene->materials[0].normal_image == -1);
  }
  CHECK(read(surfaced("3"))->warnings.count("malformed_material") >= 1);
}

TEST_CASE("A texture whose image only an extension refers to uses that image") {
  TinyGltf gltf = surfaced(R"({"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}})");
  const std::string from = R"("textures":[{"source":1})";
  gltf.members.replace(gltf.members.find(from), from.size(),
                       R"("textures":[{"extensions":{"EXT_texture_webp":{"source":0}}})");
  const auto scene = read(gltf);
  CHECK_OK(scene);
  CHECK(scene->materials[0].base_color_image == 0);
}
