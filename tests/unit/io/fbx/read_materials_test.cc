// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/read_materials.h"

#include <cmath>

#include "checks.h"
#include "io/fbx/file_builder.h"
#include "io/fbx/new_curve.h"
#include "temporary_folder.h"

TEST_SUITE_BEGIN("fbx.read_materials");

using namespace clipmill;
using namespace clipmill::io::fbx;
using test::distance;

namespace {

constexpr std::string_view kPng = "\x89PNG texture";

Bytes bytesOf(std::string_view text) {
  const auto bytes = asBytes(text);
  return Bytes(bytes.begin(), bytes.end());
}

// A file of one material and the textures that are connected to it.
class MaterialFile {
 public:
  explicit MaterialFile(std::vector<NewElement> properties, const char* shading = "phong") {
    id_ = file_.add(
        "Material", "M", "Material", "",
        {leaf("ShadingModel", std::string(shading)), block("Properties70", std::move(properties))});
  }

  void addTexture(const char* property, const std::string& path, std::string_view content = "") {
    std::vector<NewElement> video = {leaf("RelativeFilename", path)};
    if (!content.empty()) video.push_back(leaf("Content", RawData{bytesOf(content)}));
    const std::int64_t video_id = file_.add("Video", path, "Video", "Clip", std::move(video));
    const std::int64_t texture_id =
        file_.add("Texture", path, "Texture", "", {leaf("RelativeFilename", path)});
    file_.connect(video_id, texture_id);
    file_.connect(texture_id, id_, property);
  }

  Scene read(const std::filesystem::path& folder = {}) {
    std::vector<NewElement> roots = {file_.takeDefinitions()};
    roots.push_back(file_.takeObjects());
    roots.push_back(file_.takeConnections());
    auto bytes = writeNewBinary(7400, roots);
    CHECK_OK(bytes);
    auto tree = parseTree(std::move(*bytes), {});
    CHECK_OK(tree);
    auto document = readDocument(*tree);
    CHECK_OK(document);
    Scene scene;
    CHECK_OK(readMaterials(**document, folder, {}, scene));
    REQUIRE(scene.materials.size() == 1);
    return scene;
  }

 private:
  Warnings losses_;
  FileBuilder file_{losses_};
  std::int64_t id_ = 0;
};

Material materialOf(std::vector<NewElement> properties, const char* shading = "phong") {
  return MaterialFile(std::move(properties), shading).read().materials[0];
}

}  // namespace

TEST_CASE("opacity is read from all properties that exporters use") {
  const auto opacity = [](std::vector<NewElement> properties) {
    return materialOf(std::move(properties)).base_color.w;
  };
  CHECK(opacity({}) == 1.0);
  CHECK(opacity({numberProperty("Opacity", 0.25)}) == 0.25);
  // A factor of 1 with a black colour is how opaque surfaces are written.
  CHECK(opacity({numberProperty("TransparencyFactor", 1.0),
                 colorProperty("TransparentColor", Vec3(0.0))}) == 1.0);
  CHECK(opacity({numberProperty("TransparencyFactor", 0.5),
                 colorProperty("TransparentColor", Vec3(1.0))}) == 0.5);
  CHECK(opacity({colorProperty("TransparentColor", Vec3(0.75))}) == 0.25);
  CHECK(materialOf({numberProperty("Opacity", 0.25)}).alpha_mode == AlphaMode::kBlend);
}

TEST_CASE("colours are multiplied by their factors, and are linear") {
  const Material m = materialOf(
      {colorProperty("DiffuseColor", Vec3(0.5, 0.25, 1)), numberProperty("DiffuseFactor", 0.5),
       colorProperty("EmissiveColor", Vec3(0.5)), numberProperty("EmissiveFactor", 4.0)});
  CHECK(distance(Vec3(m.base_color.x, m.base_color.y, m.base_color.z), Vec3(0.25, 0.125, 0.5)) ==
        0.0);
  CHECK(m.emissive == Vec3(2.0));
}

TEST_CASE("gloss becomes roughness") {
  CHECK(materialOf({numberProperty("Shininess", 25.0)}).roughness == 0.5);
  CHECK(materialOf({numberProperty("Shininess", 1e9)}).roughness == 0.0);
  CHECK(materialOf({numberProperty("Shininess", -3.0)}).roughness == 1.0);
  CHECK(materialOf({}, "lambert").roughness == 1.0);
  CHECK(materialOf({}).metallic == 0.0);
  CHECK(materialOf({numberProperty("ReflectionFactor", 0.5)}).metallic == 0.0);
  CHECK(materialOf(
            {numberProperty("ReflectionFactor", 0.5), colorProperty("ReflectionColor", Vec3(1.0))})
            .metallic == 0.5);
}

TEST_CASE("physically based materials of Maya and 3ds Max are read") {
  const Material maya = materialOf(
      {colorProperty("Maya|base_color", Vec3(0.1, 0.2, 0.3)), numberProperty("Maya|metallic", 0.6),
       numberProperty("Maya|roughness", 0.7), colorProperty("Maya|emissive", Vec3(1, 0, 0)),
       numberProperty("Maya|emissive_intensity", 2.0)});
  CHECK(maya.base_color == Vec4(0.1, 0.2, 0.3, 1.0));
  CHECK(maya.metallic == 0.6);
  CHECK(maya.roughness == 0.7);
  CHECK(maya.emissive == Vec3(2, 0, 0));
  const Material max = materialOf({colorProperty("3dsMax|Parameters|base_color", Vec3(0.5)),
                                   numberProperty("3dsMax|Parameters|metalness", 1.0),
                                   numberProperty("3dsMax|Parameters|roughness", 0.25),
                                   boolProperty("3dsMax|Parameters|inv_roughness", true)});
  CHECK(max.metallic == 1.0);
  CHECK(max.roughness == 0.75);
}

TEST_CASE("NaN and infinite values count as missing") {
  const double nan = std::nan("");
  const Material m =
      materialOf({colorProperty("DiffuseColor", Vec3(nan, -1, 7)), numberProperty("Opacity", nan),
                  numberProperty("Shininess", nan), numberProperty("BumpFactor", nan)});
  CHECK(m.base_color == Vec4(0, 0, 1, 1));
  CHECK(m.roughness >= 0.0);
  CHECK(m.normal_scale == 1.0);
}

TEST_CASE("a texture replaces the colour") {
  MaterialFile file({colorProperty("DiffuseColor", Vec3(0.5))});
  file.addTexture("DiffuseColor", "a.png", kPng);
  file.addTexture("Bump", "b.png", kPng);
  file.addTexture("SpecularColor", "c.png", kPng);
  const Scene scene = file.read();
  const Material& m = scene.materials[0];
  CHECK(m.base_color == Vec4(1.0));
  REQUIRE(m.base_color_image == 0);
  CHECK(scene.images[0].bytes == bytesOf(kPng));
  CHECK(scene.images[0].mime_type == "image/png");
  CHECK(m.normal_image == 1);
  CHECK(scene.warnings.count("texture_not_taken") == 1);
}

TEST_CASE("image files beside the input are found by path and by name") {
  const test::TemporaryFolder folder;
  folder.write("maps/a.png", bytesOf(kPng));
  folder.write("b.png", bytesOf(kPng));
  folder.write("secret.txt", bytesOf("no texture"));
  MaterialFile file({});
  file.addTexture("DiffuseColor", "maps\\a.png");
  file.addTexture("NormalMap", "C:\\work\\b.png");
  file.addTexture("EmissiveColor", "secret.txt");
  const Scene scene = file.read(folder.path());
  REQUIRE(scene.images.size() == 3);
  CHECK(scene.images[0].bytes == bytesOf(kPng));
  CHECK(scene.images[1].bytes == bytesOf(kPng));
  CHECK(scene.images[2].bytes.empty());
  CHECK(scene.images[2].path == "secret.txt");
  CHECK(scene.warnings.count("image_not_found") == 1);
}

TEST_CASE("an image that two videos refer to is embedded in one of them only") {
  MaterialFile file({});
  file.addTexture("DiffuseColor", "a.png");
  file.addTexture("EmissiveColor", "a.png", kPng);
  const Scene scene = file.read();
  REQUIRE(scene.images.size() == 1);
  CHECK(scene.materials[0].base_color_image == 0);
  CHECK(scene.materials[0].emissive_image == 0);
  CHECK(scene.warnings.empty());
}

TEST_SUITE_END();
