// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// The helper program as it is built, on small files of the formats that it reads.
#include "io/imported/import_child.h"

#include <cstdlib>

#include "anim/pose.h"
#include "checks.h"
#include "core/to_size.h"
#include "io/imported/tiny_files.h"
#include "io/io.h"
#include "mesh/skinning.h"
#include "temporary_folder.h"

TEST_SUITE_BEGIN("imported.import_child");

namespace {

using namespace clipmill;
using namespace clipmill::io;
using namespace clipmill::test;

// The first bytes of an image.
const std::string kPng = "\x89PNG\r\n\x1a\n....";

std::filesystem::path writeText(const TemporaryFolder& folder, const std::string& name,
                                const std::string& text) {
  const auto bytes = asBytes(text);
  return folder.write(name, Bytes(bytes.begin(), bytes.end()));
}

Asset loaded(const std::filesystem::path& path) {
  ::setenv("CLIPMILL_IMPORT", CLIPMILL_IMPORT_PROGRAM, 0);
  auto asset = load(path, {true, {}});
  CHECK_OK(asset);
  return std::move(*asset);
}

int nodeOf(const Scene& scene, const char* name) {
  const auto found = findNodes(scene.skeleton, name);
  REQUIRE(found.size() == 1);
  return found[0];
}

struct Posed {
  std::vector<Affine> worlds;  // in metres, y up
  PosedVertices vertices;      // of the first mesh
};

Posed posedAt(const Scene& scene, double time_s) {
  Pose pose = restPose(scene.skeleton);
  scene.clips.at(0).source->cursor()->sample(time_s, pose.view());
  Posed posed;
  computeWorlds(scene.skeleton, pose.locals, scene.metric_from_file, posed.worlds);
  const SkinnedMesh& mesh = scene.meshes.at(0);
  REQUIRE(mesh.skin >= 0);
  poseMesh(mesh, &scene.skins[toSize(mesh.skin)], posed.worlds, {}, posed.vertices);
  return posed;
}

double highest(const Posed& posed) {
  double y = -1e9;
  for (const Vec3& position : posed.vertices.positions) y = std::max(y, position.y);
  return y;
}

// The asset written as a GLB and read again poses as the asset itself does.
void checkRoundTrip(const Asset& asset, const TemporaryFolder& folder) {
  CHECK_OK(save(asset, {}, folder / "out.glb"));
  const Asset again = loaded(folder / "out.glb");
  REQUIRE(again.scene.clips.size() == asset.scene.clips.size());
  CHECK(again.scene.clips[0].name == asset.scene.clips[0].name);
  const double end_s = asset.scene.clips[0].end_s;
  CHECK(again.scene.clips[0].end_s == doctest::Approx(end_s));
  for (double fraction : {0.0, 0.3, 1.0}) {
    const Posed a = posedAt(asset.scene, fraction * end_s);
    const Posed b = posedAt(again.scene, fraction * end_s);
    REQUIRE(a.worlds.size() == b.worlds.size());
    for (std::size_t n = 0; n < a.worlds.size(); ++n) {
      CHECK(distance(a.worlds[n].translation, b.worlds[n].translation) < 1e-6);
    }
    REQUIRE(a.vertices.positions.size() == b.vertices.positions.size());
    for (std::size_t v = 0; v < a.vertices.positions.size(); ++v) {
      CHECK(distance(a.vertices.positions[v], b.vertices.positions[v]) < 1e-5);
    }
  }
}

}  // namespace

TEST_CASE("COLLADA is read with its unit, axes, skin, image and motion") {
  const TemporaryFolder folder;
  writeText(folder, "strip.png", kPng);
  const Asset asset = loaded(writeText(folder, "strip.dae", tinyCollada()));
  CHECK(asset.document->formatName() == "COLLADA");
  CHECK(asset.scene.warnings.empty());
  const Scene& scene = asset.scene;
  REQUIRE(scene.meshes.size() == 1);
  CHECK(scene.meshes[0].triangles.size() == 12);
  CHECK(scene.meshes[0].vertexCount() == 6);
  REQUIRE(scene.images.size() == 1);
  CHECK(asText(scene.images[0].bytes) == kPng);
  CHECK(scene.materials[toSize(scene.meshes[0].material)].base_color_image == 0);
  CHECK(asset.document->referencedFiles() ==
        std::vector<std::filesystem::path>{folder / "strip.png"});

  const Posed rest = posedAt(scene, 0.0), bent = posedAt(scene, 1.0);
  CHECK(highest(rest) == nearTo(1.8, 1e-6));
  const auto upper = toSize(nodeOf(scene, "Upper"));
  CHECK(distance(rest.worlds[upper].translation, Vec3(0, 0.9, 0)) < 1e-6);
  // A quarter about x takes the file's z, which is up, to minus its y, which is our z.
  for (std::size_t v = 0; v < rest.vertices.positions.size(); ++v) {
    const Vec3 from = rest.vertices.positions[v], to = bent.vertices.positions[v];
    if (from.y > 1.7) CHECK(distance(to, Vec3(from.x, 0.9, 0.9)) < 1e-6);
    if (from.y < 0.1) CHECK(distance(to, from) < 1e-6);
  }
  REQUIRE(scene.clips.size() == 1);
  CHECK(scene.clips[0].end_s == doctest::Approx(1.0));
  checkRoundTrip(asset, folder);
}

TEST_CASE("An image file that does not exist or is not an image is a warning") {
  const TemporaryFolder folder;
  const auto path = writeText(folder, "strip.dae", tinyCollada());
  CHECK(loaded(path).scene.warnings.count("image_not_found") == 1);
  writeText(folder, "strip.png", "BM no PNG");
  CHECK(loaded(path).scene.warnings.count("image_format") == 1);
}

TEST_CASE("DirectX text is read with skin and motion; its unit is assumed") {
  const TemporaryFolder folder;
  const Asset asset = loaded(writeText(folder, "strip.x", tinyX()));
  CHECK(asset.document->formatName() == "DirectX .x");
  CHECK(asset.scene.warnings.count("unit_unknown") == 1);
  REQUIRE(asset.scene.clips.size() == 1);
  CHECK(asset.scene.clips[0].name == "Bend");
  CHECK(asset.scene.clips[0].end_s == doctest::Approx(1.0));
  CHECK(highest(posedAt(asset.scene, 0.0)) == doctest::Approx(2.0));
  // What was up is horizontal after 90 degrees, at the height of the bone.
  CHECK(highest(posedAt(asset.scene, 1.0)) == doctest::Approx(1.1));
  checkRoundTrip(asset, folder);
}

TEST_CASE("SMD is read in inches with skin and motion") {
  const TemporaryFolder folder;
  const Asset asset = loaded(writeText(folder, "strip.smd", tinySmd()));
  CHECK(asset.document->formatName() == "SMD");
  REQUIRE(asset.scene.clips.size() == 1);
  CHECK(highest(posedAt(asset.scene, 0.0)) == doctest::Approx(70 * 0.0254));
  const auto upper = toSize(nodeOf(asset.scene, "Upper"));
  const Posed rest = posedAt(asset.scene, 0.0), last = posedAt(asset.scene, 1e9);
  CHECK(distance(rest.worlds[upper].translation, Vec3(0, 35 * 0.0254, 0)) < 1e-6);
  CHECK(angleBetween(rotationOf(rest.worlds[upper]), rotationOf(last.worlds[upper])) ==
        doctest::Approx(1.0));
  checkRoundTrip(asset, folder);
}

TEST_CASE("MD5 is read in inches, with the motion of the file beside it") {
  const TemporaryFolder folder;
  writeText(folder, "strip.md5anim", tinyMd5Anim());
  const Asset asset = loaded(writeText(folder, "strip.md5mesh", tinyMd5Mesh()));
  CHECK(asset.document->formatName() == "MD5");
  REQUIRE(asset.scene.clips.size() == 1);
  CHECK(asset.scene.clips[0].fps == 24.0);
  CHECK(asset.scene.clips[0].end_s == doctest::Approx(2.0 / 24.0));
  CHECK(highest(posedAt(asset.scene, 0.0)) == doctest::Approx(70 * 0.0254));
  const auto upper = toSize(nodeOf(asset.scene, "Upper"));
  CHECK(angleBetween(rotationOf(posedAt(asset.scene, 0.0).worlds[upper]),
                     rotationOf(posedAt(asset.scene, 1e9).worlds[upper])) == nearTo(kPi, 1e-6));
  checkRoundTrip(asset, folder);
}

TEST_CASE("Imported formats are not written") {
  const TemporaryFolder folder;
  const Asset asset = loaded(writeText(folder, "strip.dae", tinyCollada()));
  const Status fits = checkOutput(asset, folder / "strip.dae");
  REQUIRE(!fits.ok());
  CHECK(fits.error().code == ErrorCode::kUsage);
  CHECK(describe(fits.error()).ends_with("use .fbx, .glb, .gltf, .vrm or .vrma"));
  CHECK(checkOutput(asset, folder / "strip.vrm").error().code == ErrorCode::kUsage);
  CHECK_OK(checkOutput(asset, folder / "strip.glb"));
  CHECK_OK(save(asset, {}, folder / "strip.gltf"));
  CHECK(loaded(folder / "strip.gltf").scene.clips.size() == 1);
}

TEST_CASE("Reading a file twice gives the same scene") {
  const TemporaryFolder folder;
  const auto path = writeText(folder, "strip.dae", tinyCollada());
  CHECK_OK(save(loaded(path), {}, folder / "a.glb"));
  CHECK_OK(save(loaded(path), {}, folder / "b.glb"));
  CHECK(folder.read("a.glb") == folder.read("b.glb"));
}

TEST_CASE("New keys replace those of their track, and others stay") {
  const TemporaryFolder folder;
  const Asset asset = loaded(writeText(folder, "strip.dae", tinyCollada()));
  const int upper = nodeOf(asset.scene, "Upper");
  const Track track{upper,
                    TrackPath::kTranslation,
                    Interpolation::kLinear,
                    3,
                    std::make_shared<std::vector<double>>(std::vector<double>{0.0, 1.0}),
                    {0, 0, 90, 0, 0, 100}};
  CHECK_OK(save(asset, std::vector<ClipEdit>{{0, {track}}}, folder / "out.glb"));
  const Asset again = loaded(folder / "out.glb");
  const auto node = toSize(nodeOf(again.scene, "Upper"));
  const Affine before = posedAt(asset.scene, 1.0).worlds[toSize(upper)];
  const Affine after = posedAt(again.scene, 1.0).worlds[node];
  CHECK(distance(after.translation, Vec3(0, 1, 0)) < 1e-6);
  CHECK(angleBetween(rotationOf(before), rotationOf(after)) < 1e-6);
}

TEST_CASE("Every truncation is refused or read without a crash") {
  const TemporaryFolder folder;
  for (const auto& [name, text] :
       std::vector<std::pair<std::string, std::string>>{{"a.dae", tinyCollada()},
                                                        {"a.x", tinyX()},
                                                        {"a.smd", tinySmd()},
                                                        {"a.md5mesh", tinyMd5Mesh()}}) {
    for (std::size_t part = 1; part < 8; ++part) {
      const std::string file = name;
      CAPTURE(file);
      CAPTURE(part);
      const auto path = writeText(folder, name, text.substr(0, text.size() * part / 8));
      const auto asset = load(path, {});
      if (!asset) CHECK(describe(asset.error()).starts_with(path.string()));
    }
  }
}
