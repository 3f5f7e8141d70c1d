// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/patch.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "anim/clip.h"
#include "anim/pose.h"
#include "checks.h"
#include "core/to_size.h"
#include "io/gltf/loaded_gltf.h"
#include "io/gltf/read.h"
#include "io/gltf/tiny_gltf.h"

TEST_SUITE_BEGIN("gltf.patch");

namespace {

using namespace clipmill;
using namespace clipmill::io::gltf;
using namespace clipmill::test;
using Json = nlohmann::json;

Track makeTrack(int node, TrackPath path, std::vector<double> times, std::vector<double> values,
                Interpolation interpolation = Interpolation::kLinear) {
  const int width = path == TrackPath::kRotation ? 4 : path == TrackPath::kWeights ? 1 : 3;
  return {node,
          path,
          interpolation,
          width,
          std::make_shared<std::vector<double>>(std::move(times)),
          std::move(values)};
}

Track move(int node) {
  return makeTrack(node, TrackPath::kTranslation, {0.0, 0.5, 2.0}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
}

Result<Bytes> tryPatch(const Loaded& loaded, std::vector<Track> tracks, int clip = 0) {
  const std::vector<io::ClipEdit> edits = {{clip, std::move(tracks)}};
  return patchDocument(*loaded.document, loaded.scene.skeleton, edits);
}

Bytes patched(const Loaded& loaded, std::vector<Track> tracks, int clip = 0) {
  auto bytes = tryPatch(loaded, std::move(tracks), clip);
  CHECK_OK(bytes);
  return std::move(*bytes);
}

Pose poseAt(const Scene& scene, double time_s, std::size_t clip = 0) {
  Pose pose = restPose(scene.skeleton);
  scene.clips.at(clip).source->cursor()->sample(time_s, pose.view());
  return pose;
}

Vec3 locationOf(const Scene& scene, int node, double time_s) {
  return poseAt(scene, time_s).locals.at(toSize(node)).translation;
}

void checkMoved(const Scene& scene, int node) {
  CHECK(locationOf(scene, node, 0.0) == Vec3(1, 2, 3));
  CHECK(locationOf(scene, node, 0.5) == Vec3(4, 5, 6));
  CHECK(locationOf(scene, node, 1.25) == Vec3(5.5, 6.5, 7.5));
  CHECK(locationOf(scene, node, 2.0) == Vec3(7, 8, 9));
}

std::string trimmedText(const Document& document) {
  std::string text(document.text);
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

TinyGltf withMembers(TinyGltf gltf, const std::string& members) {
  gltf.members = members;
  return gltf;
}

}  // namespace

TEST_CASE("Without edits the result is the file, byte for byte") {
  Bytes odd = wavingGltf().glb();
  odd.push_back(std::byte{7});  // behind the end of the GLB
  for (const Bytes& bytes : {wavingGltf().glb(), wavingGltf().text(), skinnedGltf().glb(), odd}) {
    const Loaded loaded = loadGltf(bytes);
    const auto same = patchDocument(*loaded.document, loaded.scene.skeleton, {});
    CHECK_OK(same);
    CHECK(*same == bytes);
  }
}

TEST_CASE("One track changes its own sampler; all other text and the old BIN chunk stay") {
  const Loaded before = loadGltf(wavingGltf().glb());
  const Loaded after = loadGltf(patched(before, {move(0)}));
  checkMoved(after.scene, 0);

  // What the text must be, from the old one by hand.
  std::string expected = trimmedText(*before.document);
  const auto swap = [&](const std::string& from, const std::string& to) {
    const std::size_t at = expected.find(from);
    REQUIRE(at != std::string::npos);
    expected.replace(at, from.size(), to);
  };
  const std::size_t bin_bytes = before.document->bin.size();
  swap("{\"input\":0,\"output\":2,\"interpolation\":\"STEP\"}",
       "{\"input\":3,\"output\":4,\"interpolation\":\"LINEAR\"}");
  swap("\"buffers\":[{\"byteLength\":" + std::to_string(bin_bytes),
       "\"buffers\":[{\"byteLength\":" + std::to_string(bin_bytes + 48));
  swap("}],\"accessors\"", "},{\"buffer\":0,\"byteOffset\":" + std::to_string(bin_bytes) +
                               ",\"byteLength\":48}],\"accessors\"");
  expected.insert(expected.size() - 2,
                  ",{\"bufferView\":3,\"byteOffset\":0,\"componentType\":5126,\"count\":3,\"type\":"
                  "\"SCALAR\",\"min\":[0],\"max\":[2]},{\"bufferView\":3,\"byteOffset\":12,"
                  "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}");
  CHECK(trimmedText(*after.document) == expected);
  CHECK(isPrefix(before.document->bin, after.document->bin));
  // The other channel is as it was.
  const Quat rotated = poseAt(after.scene, 0.3).locals[1].rotation;
  CHECK(distance(rotated, poseAt(before.scene, 0.3).locals[1].rotation) == 0.0);
}

TEST_CASE("A sampler shared by two channels stays with the other one") {
  TinyGltf gltf;
  gltf.addFloats({0, 1}, "SCALAR");
  gltf.addFloats({0, 0, 0, 9, 9, 9}, "VEC3");
  const Loaded before = loadGltf(
      withMembers(gltf,
                  ",\"nodes\":[{},{}],\"animations\":[{\"samplers\":[{\"input\":0,\"output\":1}],"
                  "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}},"
                  "{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"translation\"}}]}]")
          .glb());
  const Loaded after = loadGltf(patched(before, {move(1)}));
  checkMoved(after.scene, 1);
  CHECK(locationOf(after.scene, 0, 1.0) == Vec3(9, 9, 9));
  CHECK(after.document->json->at("animations")[0]["samplers"].size() == 2);
  CHECK(after.document->json->at("animations")[0]["samplers"][0] ==
        before.document->json->at("animations")[0]["samplers"][0]);
}

TEST_CASE("Of duplicate channels the effective one is changed") {
  TinyGltf gltf;
  gltf.addFloats({0, 1}, "SCALAR");
  gltf.addFloats({0, 0, 0, 9, 9, 9}, "VEC3");
  const std::string channel = ",\"target\":{\"node\":0,\"path\":\"translation\"}}";
  const Loaded before = loadGltf(
      withMembers(gltf,
                  ",\"nodes\":[{}],\"animations\":[{\"samplers\":[{\"input\":0,\"output\":1},"
                  "{\"input\":0,\"output\":1}],\"channels\":[{\"sampler\":0" +
                      channel + ",{\"sampler\":1" + channel + "]}]")
          .glb());
  checkMoved(loadGltf(patched(before, {move(0)})).scene, 0);
}

TEST_CASE("A track that the clip does not have gets a channel") {
  const Loaded before = loadGltf(wavingGltf().glb());
  const Loaded after = loadGltf(patched(before, {move(1)}));
  checkMoved(after.scene, 1);
  const Json& animation = after.document->json->at("animations")[0];
  CHECK(animation["channels"].size() == 3);
  CHECK(animation["samplers"].size() == 3);
}

TEST_CASE("Missing arrays are created: animation, accessors, bufferViews, buffers") {
  const std::string bare =
      "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}],\"animations\":[{},{\"name\":\"B\"}]}";
  const Bytes no_bytes;
  for (const Bytes& bytes : {textBytes(bare), glbOf(bare), glbOf(bare, &no_bytes)}) {
    const Loaded after = loadGltf(patched(loadGltf(bytes), {move(0)}, 1));
    CHECK(after.scene.clips[0].animated.none());
    CHECK(poseAt(after.scene, 0.5, 1).locals[0].translation == Vec3(4, 5, 6));
    CHECK(after.document->json->at("animations")[0] == Json::object());
  }
}

TEST_CASE("Empty arrays are filled") {
  const Loaded after = loadGltf(patched(
      loadGltf(textBytes(
          "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}],\"accessors\":[ ],\"buffers\":[],"
          "\"bufferViews\":[],\"animations\":[{\"channels\":[],\"samplers\":[]}]}")),
      {move(0)}));
  checkMoved(after.scene, 0);
}

TEST_CASE("A matrix node that becomes a target gets the same translation, rotation and scale") {
  const std::string matrix = "[0,2,0,0,-3,0,0,0,0,0,-4,0,5,6,7,1]";
  const Loaded before =
      loadGltf(textBytes("{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"matrix\":" + matrix +
                         ",\"name\":\"M\"},{\"matrix\":" + matrix + "}],\"animations\":[{}]}"));
  const Track rotation = makeTrack(0, TrackPath::kRotation, {0.0}, {0, 0, 0, 1});
  const Loaded after = loadGltf(patched(before, {rotation}));
  const Json& nodes = after.document->json->at("nodes");
  CHECK(!nodes[0].contains("matrix"));
  CHECK(nodes[0]["name"] == "M");
  CHECK(nodes[1].contains("matrix"));
  const Affine now = toAffine(after.scene.skeleton.nodes[0].rest);
  for (const Vec3& p : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(0)}) {
    const Affine was{Mat3(0, 2, 0, -3, 0, 0, 0, 0, -4), Vec3(5, 6, 7)};
    CHECK(distance(transformPoint(now, p), transformPoint(was, p)) < 1e-12);
  }
}

TEST_CASE("A GLB whose first buffer is elsewhere gets a buffer of its own") {
  TinyGltf gltf = wavingGltf();
  const Loaded before = loadGltf(glbOf(asText(gltf.text())));
  REQUIRE(before.document->container == Container::kGlb);
  const Loaded after = loadGltf(patched(before, {move(0)}));
  checkMoved(after.scene, 0);
  REQUIRE(after.document->buffers.size() == 2);
  CHECK(after.document->buffers[0].uri == before.document->buffers[0].uri);
}

TEST_CASE("A .gltf file gets a buffer in a data URI") {
  const Loaded before = loadGltf(wavingGltf().text());
  const Loaded after = loadGltf(patched(before, {move(0)}));
  checkMoved(after.scene, 0);
  REQUIRE(after.document->buffers.size() == 2);
  CHECK(isDataUri(after.document->buffers[1].uri));
  CHECK(after.document->buffers[0].uri == before.document->buffers[0].uri);
}

TEST_CASE("Other chunks are kept after the new BIN chunk") {
  TinyGltf gltf = wavingGltf();
  const Bytes note = textBytes("note");
  const ExtraChunk extra{0x58585858, note};
  const Loaded after =
      loadGltf(patched(loadGltf(glbOf(gltf.json(), &gltf.bin, {&extra, 1})), {move(0)}));
  checkMoved(after.scene, 0);
  REQUIRE(after.document->extra_chunks.size() == 1);
  CHECK(after.document->extra_chunks[0].type == extra.type);
  CHECK(asText(after.document->extra_chunks[0].bytes) == "note");
}

TEST_CASE("Indented text stays indented where it is not changed and where elements are added") {
  const std::string pretty = Json::parse(asText(wavingGltf().text())).dump(2);
  const Loaded after = loadGltf(patched(loadGltf(textBytes(pretty)), {move(1)}));
  checkMoved(after.scene, 1);
  const std::string text(after.document->text);
  // Every line of the source is there, in order: some only got a comma.
  std::size_t at = 0;
  for (std::size_t start = 0; start < pretty.size();) {
    const std::size_t end = std::min(pretty.find('\n', start), pretty.size());
    at = text.find(pretty.substr(start, end - start), at);
    REQUIRE(at != std::string::npos);
    start = end + 1;
  }
  CHECK(text.find("\n    },\n    {\"bufferView\"") != std::string::npos);
}

TEST_CASE("Weights, step keys and splines keep their interpolation") {
  const Loaded mesh = loadGltf(skinnedGltf().glb());
  const int body = findSource(mesh.scene.skeleton, 2);
  const Loaded weights =
      loadGltf(patched(mesh, {makeTrack(body, TrackPath::kWeights, {0, 1}, {0.25, 0.75})}));
  CHECK(poseAt(weights.scene, 0.5).weights[0] == 0.5);

  const Loaded waving = loadGltf(wavingGltf().glb());
  const Loaded steps = loadGltf(patched(
      waving, {makeTrack(0, TrackPath::kScale, {0, 1}, {1, 1, 1, 2, 2, 2}, Interpolation::kStep)}));
  CHECK(poseAt(steps.scene, 0.9).locals[0].scale == Vec3(1));
  CHECK(poseAt(steps.scene, 1.0).locals[0].scale == Vec3(2));

  const Loaded spline =
      loadGltf(patched(waving, {makeTrack(0, TrackPath::kTranslation, {0, 1},
                                          {0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0},
                                          Interpolation::kCubicSpline)}));
  CHECK(distance(locationOf(spline.scene, 0, 0.25), Vec3(0.25, 0, 0)) < 1e-15);
}

TEST_CASE("Weights that bytes hold are bytes, others are floats, and both are read again") {
  const Loaded mesh = loadGltf(skinnedGltf().glb());
  const int body = findSource(mesh.scene.skeleton, 2);
  const auto written = [&](std::vector<double> values) {
    const std::vector<double> times = {0, 1, 2, 3, 4};
    return loadGltf(patched(mesh, {makeTrack(body, TrackPath::kWeights, times, values), move(0)}));
  };
  const auto storedOf = [](const Loaded& loaded) {
    const Json& json = *loaded.document->json;
    const Json& clip = json.at("animations").at(0);
    for (const Json& channel : clip.at("channels")) {
      if (channel.at("target").at("path") != "weights") continue;
      const Json& sampler = clip.at("samplers").at(channel.at("sampler").get<std::size_t>());
      return json.at("accessors").at(sampler.at("output").get<std::size_t>());
    }
    return Json();
  };
  const Loaded bytes = written({0, 1 / 255.0, static_cast<float>(2 / 255.0), 0.2, 1});
  CHECK(storedOf(bytes).at("componentType") == 5121);
  CHECK(storedOf(bytes).at("normalized") == true);
  CHECK(storedOf(bytes).at("count") == 5);
  CHECK(poseAt(bytes.scene, 1).weights[0] == 1 / 255.0);
  CHECK(poseAt(bytes.scene, 2).weights[0] == 2 / 255.0);
  CHECK(poseAt(bytes.scene, 4).weights[0] == 1.0);
  checkMoved(bytes.scene, 0);  // five bytes do not shift the floats behind them

  for (const double other : {1e-3, -1 / 255.0, 256 / 255.0}) {
    const Loaded floats = written({0, 1 / 255.0, other, 0.2, 1});
    CHECK(storedOf(floats).at("componentType") == 5126);
    CHECK(poseAt(floats.scene, 2).weights[0] == doctest::Approx(other).epsilon(1e-6));
  }
  CHECK(storedOf(written({0, 1, 1, 0, 0})).at("componentType") == 5126);  // a byte by chance
}

TEST_CASE("Tracks with equal times share one accessor") {
  const Loaded after = loadGltf(patched(loadGltf(wavingGltf().glb()), {move(0), move(1)}));
  checkMoved(after.scene, 0);
  checkMoved(after.scene, 1);
  CHECK(after.document->json->at("accessors").size() == 3 + 3);
}

TEST_CASE("Keys that floats cannot separate or store are refused with a remedy") {
  const Loaded loaded = loadGltf(wavingGltf().glb());
  const auto near = tryPatch(
      loaded, {makeTrack(0, TrackPath::kTranslation, {100000, 100000.001}, {0, 0, 0, 0, 0, 0})});
  REQUIRE(!near.ok());
  CHECK(near.error().code == ErrorCode::kUnsupported);
  CHECK(!near.error().remedy.empty());
  const auto huge = tryPatch(loaded, {makeTrack(0, TrackPath::kTranslation, {0}, {1e39, 0, 0})});
  REQUIRE(!huge.ok());
  CHECK(huge.error().code == ErrorCode::kUnsupported);
}

TEST_CASE("Of duplicate members the effective one is changed") {
  TinyGltf gltf = wavingGltf();
  gltf.members = ",\"nodes\":[],\"animations\":[]" + gltf.members;
  checkMoved(loadGltf(patched(loadGltf(gltf.glb()), {move(0)})).scene, 0);
}

TEST_CASE("Keys can be written again and again") {
  Loaded loaded = loadGltf(wavingGltf().glb());
  for (int round = 0; round < 3; ++round) loaded = loadGltf(patched(loaded, {move(0), move(1)}));
  checkMoved(loaded.scene, 0);
  CHECK(loaded.document->json->at("animations")[0]["channels"].size() == 3);
}

TEST_CASE("A new clip is appended to those of the file, which stay unchanged") {
  const Loaded loaded = loadGltf(wavingGltf().glb());
  const std::vector<io::ClipEdit> edits = {{1, {move(0), move(1)}, std::nullopt, "Walk \"2\""},
                                           {0, {move(1)}},
                                           {2, {move(1)}, std::nullopt, ""}};
  auto bytes = patchDocument(*loaded.document, loaded.scene.skeleton, edits);
  CHECK_OK(bytes);
  const Loaded result = loadGltf(std::move(*bytes));
  REQUIRE(result.scene.clips.size() == 3);
  CHECK(result.scene.clips[0].name == "Wave");
  CHECK(result.scene.clips[1].name == "Walk \"2\"");
  CHECK(result.scene.clips[1].end_s == 2.0);
  CHECK(!result.document->json->at("animations").at(2).contains("name"));
  CHECK(result.document->json->at("animations").at(1).at("channels").size() == 2);
  for (const double time : {0.0, 0.5, 1.25, 2.0}) {
    CHECK(locationOf(result.scene, 0, time) == locationOf(loaded.scene, 0, time));
    CHECK(poseAt(result.scene, time, 1).locals[1].translation ==
          poseAt(result.scene, time, 0).locals[1].translation);
  }
}

TEST_CASE("A file without animations gets its first one") {
  const Loaded loaded =
      loadGltf(glbOf("{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"N\"}]}"));
  const std::vector<io::ClipEdit> edits = {{0, {move(0)}, std::nullopt, "Walk"}};
  auto bytes = patchDocument(*loaded.document, loaded.scene.skeleton, edits);
  CHECK_OK(bytes);
  const Loaded result = loadGltf(std::move(*bytes));
  REQUIRE(result.scene.clips.size() == 1);
  CHECK(result.scene.clips[0].name == "Walk");
  checkMoved(result.scene, 0);
}

TEST_CASE("The extras of a file get members, and keep those that they have") {
  const std::vector<AddedExtra> extras = {{"drivers", "{\"a\":[1,2]}"}, {"known", "3"}};
  const auto extrasOf = [&](const std::string& members) {
    const Loaded loaded = loadGltf(withMembers(TinyGltf(), members).glb());
    auto bytes = patchDocument(*loaded.document, loaded.scene.skeleton, {}, {}, {}, extras);
    CHECK_OK(bytes);
    return loadGltf(std::move(*bytes)).document->json->at("extras");
  };
  CHECK(extrasOf("") == Json::parse("{\"drivers\":{\"a\":[1,2]},\"known\":3}"));
  CHECK(extrasOf(",\"extras\":{\"known\":1,\"other\":[]}") ==
        Json::parse("{\"known\":3,\"other\":[],\"drivers\":{\"a\":[1,2]}}"));
  CHECK(extrasOf(",\"extras\":{}") == Json::parse("{\"drivers\":{\"a\":[1,2]},\"known\":3}"));
  // What is no object stays.
  CHECK(extrasOf(",\"extras\":\"text\"") == Json("text"));
}
