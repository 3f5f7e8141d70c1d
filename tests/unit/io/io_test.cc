// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/io.h"

#include "anim/pose.h"
#include "checks.h"
#include "io/gltf/tiny_gltf.h"
#include "platform.h"
#include "temporary_folder.h"

TEST_SUITE_BEGIN("io.io");

namespace {

using namespace clipmill;
using namespace clipmill::io;
using namespace clipmill::test;

Asset loaded(const std::filesystem::path& path) {
  auto asset = load(path, {});
  CHECK_OK(asset);
  return std::move(*asset);
}

// A .gltf file with its buffer and an image in separate files.
std::filesystem::path writeParts(const TemporaryFolder& folder, const std::string& name) {
  TinyGltf gltf = wavingGltf();
  gltf.members += ",\"images\":[{\"uri\":\"textures/p.png\"}]";
  folder.write("wave.bin", gltf.bin);
  folder.write("textures/p.png", textBytes("texture"));
  return folder.write(name, textBytes(gltf.json("wave.bin")));
}

std::vector<ClipEdit> moveRoot() {
  return {{0,
           {{0,
             TrackPath::kTranslation,
             Interpolation::kLinear,
             3,
             std::make_shared<std::vector<double>>(std::vector<double>{0, 1}),
             {1, 2, 3, 4, 5, 6}}}}};
}

Vec3 rootAt(const Asset& asset, double time_s) {
  Pose pose = restPose(asset.scene.skeleton);
  asset.scene.clips.at(0).source->cursor()->sample(time_s, pose.view());
  return pose.locals[0].translation;
}

// The document of a GLB whose output lacks its last bytes, as one of a faulty writer would.
class CutDocument : public Document {
 public:
  explicit CutDocument(std::shared_ptr<const Document> whole) : whole_(std::move(whole)) {}
  std::string formatName() const override { return whole_->formatName(); }
  std::vector<std::filesystem::path> referencedFiles() const override { return {}; }
  OutputFormat nativeFormat() const override { return whole_->nativeFormat(); }
  Result<Output> render(const Scene& scene, std::span<const ClipEdit> edits,
                        const std::filesystem::path& output_path, const Additions& additions,
                        bool compact) const override {
    auto output = whole_->render(scene, edits, output_path, additions, compact);
    if (output) output->main.resize(output->main.size() - 8);
    return output;
  }

 private:
  std::shared_ptr<const Document> whole_;
};

// Windows refuses some names.
std::vector<std::string> oddNames() {
  std::vector<std::string> names = {"plain", "with space", "100%25", "a#b", "gr\xC3\xBC\xC3\x9F"};
  if (!kIsWindows) names.insert(names.end(), {"a#b?c", "a:b", "\xff"});
  return names;
}

}  // namespace

TEST_CASE("Errors of loading name the file and their kind") {
  const TemporaryFolder folder;
  const auto faultOf = [&](const std::filesystem::path& path) {
    const auto asset = load(path, {});
    REQUIRE(!asset.ok());
    CHECK(describe(asset.error()).find(utf8Text(path)) == 0);
    return asset.error().code;
  };
  CHECK(faultOf(folder / "none.glb") == ErrorCode::kNotFound);
  CHECK(faultOf(folder.path()) == ErrorCode::kUnreadable);
  CHECK(faultOf(folder.write("empty.glb", {})) == ErrorCode::kUnsupported);
  CHECK(faultOf(folder.write("odd.glb", textBytes("hello"))) == ErrorCode::kUnsupported);
  CHECK(faultOf(folder.write("bad.gltf", textBytes("{\"asset\":"))) == ErrorCode::kMalformed);
  CHECK(faultOf(folder.write("missing.gltf", textBytes(wavingGltf().json("missing.bin")))) ==
        ErrorCode::kNotFound);
  CHECK(faultOf(folder.write("old.gltf", textBytes("{\"asset\":{\"version\":\"1.0\"}}"))) ==
        ErrorCode::kUnsupported);
}

TEST_CASE("A file over the limit is not read") {
  const TemporaryFolder folder;
  const auto path = folder.write("a.glb", wavingGltf().glb());
  LoadOptions options;
  options.limits.max_file_bytes = 100;
  const auto asset = load(path, options);
  REQUIRE(!asset.ok());
  CHECK(asset.error().code == ErrorCode::kLimit);
}

TEST_CASE("The format is identified by the content, not by the extension") {
  const TemporaryFolder folder;
  CHECK(loaded(folder.write("a.gltf", wavingGltf().glb())).document->formatName() == "GLB");
  CHECK(loaded(folder.write("b.glb", wavingGltf().text())).document->formatName() == "glTF");
}

TEST_CASE("An output without edits is the input, byte for byte, also over the input itself") {
  const TemporaryFolder folder;
  const Bytes bytes = skinnedGltf().glb();
  const Asset asset = loaded(folder.write("a.glb", bytes));
  CHECK_OK(save(asset, {}, folder / "b.glb"));
  CHECK_OK(save(asset, {}, folder / "a.glb"));
  CHECK(folder.read("a.glb") == bytes);
  CHECK(folder.read("b.glb") == bytes);
  CHECK(folder.files() == std::vector<std::string>{"a.glb", "b.glb"});
}

TEST_CASE("Keys are saved over the input and read again") {
  const TemporaryFolder folder;
  const auto path = folder.write("a.glb", wavingGltf().glb());
  CHECK_OK(save(loaded(path), moveRoot(), path));
  CHECK(rootAt(loaded(path), 0.5) == Vec3(2.5, 3.5, 4.5));
}

TEST_CASE("Clips that are added one by one are saved as all at once") {
  for (const std::string name : {"a.glb", "a.gltf", "a.fbx"}) {
    for (const bool compact : {false, true}) {
      const TemporaryFolder folder;
      Asset asset = loaded(folder.write("in.glb", wavingGltf().glb()));
      std::filesystem::create_directories(folder / "one");
      std::filesystem::create_directories(folder / "all");
      ClipSaver saver(asset, folder / ("one/" + name));
      std::vector<ClipEdit> edits;
      for (const char* clip : {"Walk", "", "Run"}) {
        asset.scene.clips.push_back(asset.scene.clips.front());
        asset.scene.clips.back().name = clip;
        edits.push_back(moveRoot().front());
        edits.back().clip = static_cast<int>(asset.scene.clips.size()) - 1;
        CHECK_OK(saver.add(edits.back()));
      }
      CHECK_OK(saver.save(compact));
      CHECK_OK(save(asset, edits, folder / ("all/" + name), {}, {}, compact));
      CHECK(folder.read("one/" + name) == folder.read("all/" + name));
    }
  }
}

TEST_CASE("An output that could not be read again is refused, and what was there stays") {
  const TemporaryFolder folder;
  const Bytes bytes = wavingGltf().glb();
  const auto path = folder.write("a.glb", bytes);
  Asset asset = loaded(path);
  asset.document = std::make_shared<CutDocument>(asset.document);
  for (const char* name : {"a.glb", "b.glb"}) {
    const auto saved = save(asset, moveRoot(), folder / name);
    REQUIRE(!saved.ok());
    CHECK(saved.error().code == ErrorCode::kUnsupported);
    CHECK(saved.error().message.find("could not be read again") != std::string::npos);
  }
  CHECK(folder.files() == std::vector<std::string>{"a.glb"});
  CHECK(folder.read("a.glb") == bytes);
}

TEST_CASE("A .gltf file in another folder gets copies of its external files") {
  const TemporaryFolder from, to;
  const Asset asset = loaded(writeParts(from, "wave.gltf"));
  CHECK(asset.document->referencedFiles().size() == 2);
  CHECK_OK(save(asset, moveRoot(), to / "out.gltf"));
  CHECK(to.files() == std::vector<std::string>{"out.gltf", "textures/p.png", "wave.bin"});
  CHECK(rootAt(loaded(to / "out.gltf"), 1.0) == Vec3(4, 5, 6));
  // Once more: what is there already is the same.
  CHECK_OK(save(asset, {}, to / "out.gltf"));
}

TEST_CASE("An existing file with other content is not overwritten") {
  const TemporaryFolder from, to;
  const Asset asset = loaded(writeParts(from, "wave.gltf"));
  to.write("textures/p.png", textBytes("another"));
  const auto saved = save(asset, {}, to / "out.gltf");
  REQUIRE(!saved.ok());
  CHECK(saved.error().code == ErrorCode::kWrite);
  CHECK(to.files() == std::vector<std::string>{"textures/p.png"});
  CHECK(to.read("textures/p.png") == textBytes("another"));
}

TEST_CASE("A failed save removes the files that it wrote") {
  const TemporaryFolder from, to;
  const Asset asset = loaded(writeParts(from, "wave.gltf"));
  std::filesystem::create_directories(to / "out.gltf/blocked");
  const auto saved = save(asset, {}, to / "out.gltf");
  REQUIRE(!saved.ok());
  CHECK(saved.error().code == ErrorCode::kWrite);
  CHECK(to.files().empty());
}

TEST_CASE("A GLB written as .gltf beside an image that its buffer file would replace is refused") {
  const TemporaryFolder from, to;
  TinyGltf gltf = wavingGltf();
  gltf.members += ",\"images\":[{\"uri\":\"out.bin\"}]";
  from.write("out.bin", textBytes("texture"));
  const Asset asset = loaded(from.write("a.glb", gltf.glb()));
  CHECK(!save(asset, {}, to / "out.gltf").ok());
  CHECK(to.files().empty());
  CHECK_OK(save(asset, {}, to / "other.gltf"));
}

TEST_CASE("Any output name gives a .gltf file that finds its buffer") {
  const TemporaryFolder folder;
  const Asset asset = loaded(folder.write("a.glb", wavingGltf().glb()));
  for (const std::string& name : oddNames()) {
    CAPTURE(name);
    const auto path = folder / (name + ".gltf");
    CHECK_OK(save(asset, {}, path));
    CHECK(rootAt(loaded(path), 1.0) == rootAt(asset, 1.0));
  }
}

TEST_CASE("A GLB with extra chunks is not written as .gltf, which cannot store them") {
  const TemporaryFolder folder;
  const TinyGltf gltf = wavingGltf();
  const Bytes content = textBytes("own");
  const io::gltf::ExtraChunk chunk{0x4E574F, content};
  const auto path = folder.write("wave.glb", glbOf(gltf.json(), &gltf.bin, {&chunk, 1}));
  const auto saved = save(loaded(path), {}, folder / "wave.gltf");
  REQUIRE(!saved.ok());
  CHECK(saved.error().code == ErrorCode::kUnsupported);
  CHECK(!std::filesystem::exists(folder / "wave.gltf"));
  CHECK_OK(save(loaded(path), {}, folder / "copy.glb"));
}

TEST_CASE("Invalid output names are refused before any work") {
  const TemporaryFolder folder;
  const Asset asset = loaded(folder.write("a.glb", wavingGltf().glb()));
  CHECK_OK(checkOutput(asset, folder / "b.vrm"));
  CHECK(checkOutput(asset, folder / "b.txt").error().code == ErrorCode::kUsage);
  CHECK(checkOutput(asset, folder / "none/b.glb").error().code == ErrorCode::kWrite);
  CHECK(checkOutput(asset, folder / (std::string(5000, 'x') + "/b.glb")).error().code ==
        ErrorCode::kWrite);
  std::filesystem::create_directories(folder / "dir.glb");
  CHECK(checkOutput(asset, folder / "dir.glb").error().code == ErrorCode::kWrite);
}
