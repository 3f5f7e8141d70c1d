// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/read.h"

#include <limits>

#include <nlohmann/json.hpp>

#include "anim/pose.h"
#include "checks.h"
#include "core/to_size.h"
#include "io/gltf/tiny_gltf.h"

TEST_SUITE_BEGIN("gltf.read");

namespace {

using namespace clipmill;
using namespace clipmill::test;

void checkSame(const Status& checked, const Status& read) {
  CHECK(checked.ok() == read.ok());
  if (!checked.ok() && !read.ok()) CHECK(describe(checked.error()) == describe(read.error()));
}

// What is read without being kept, without its animations in the JSON.
Status checkBorrowed(const Bytes& bytes, const io::Limits& limits) {
  CLIPMILL_TRY(const auto document, io::gltf::parseBorrowed(bytes, "no-such-folder", limits));
  CHECK(!document->json->contains("animations"));
  return io::gltf::checkScene(*document, limits);
}

Result<Scene> readBytes(Bytes bytes, const io::Limits& limits = {}) {
  const Status borrowed = checkBorrowed(bytes, limits);
  const auto document = io::gltf::parseDocument(std::move(bytes), "no-such-folder", limits);
  if (!document) {
    checkSame(borrowed, document.error());
    return document.error();
  }
  // What is read without being kept has the same faults.
  const auto scene = io::gltf::readScene(**document, false, limits);
  const Status read = scene.ok() ? Status{} : Status(scene.error());
  checkSame(io::gltf::checkScene(**document, limits), read);
  checkSame(borrowed, read);
  return io::gltf::readScene(**document, true, limits);
}

// A text of these members behind "asset".
Result<Scene> readMembers(const std::string& members) {
  return readBytes(textBytes("{\"asset\":{\"version\":\"2.0\"}," + members + "}"));
}

Scene good(const Result<Scene>& scene) {
  CHECK_OK(scene);
  return *scene;
}

// The sentence of the fault, which is one line.
std::string refused(const Result<Scene>& scene, ErrorCode code = ErrorCode::kMalformed) {
  REQUIRE(!scene.ok());
  CHECK(scene.error().code == code);
  const std::string sentence = describe(scene.error());
  CHECK(sentence.find('\n') == std::string::npos);
  return sentence;
}

// One node and one clip whose only channel is described by its parts.
struct OneChannel {
  std::vector<float> times = {0, 1};
  std::vector<float> values = {0, 0, 0, 1, 2, 3};
  std::string interpolation = "LINEAR";
  std::string path = "translation";
  const char* type = "VEC3";

  TinyGltf gltf() const {
    TinyGltf result;
    result.addFloats(times, "SCALAR");
    result.addFloats(values, type);
    result.members =
        ",\"nodes\":[{}],\"animations\":[{\"samplers\":[{\"input\":0,\"output\":1,"
        "\"interpolation\":\"" +
        interpolation +
        "\"}],\"channels\":[{\"sampler\":0,"
        "\"target\":{\"node\":0,\"path\":\"" +
        path + "\"}}]}]";
    return result;
  }
  Result<Scene> read() const { return readBytes(gltf().glb()); }
};

Pose poseAt(const Scene& scene, double time_s) {
  Pose pose = restPose(scene.skeleton);
  scene.clips.at(0).source->cursor()->sample(time_s, pose.view());
  return pose;
}

Vec3 locationAt(const Scene& scene, double time_s) {
  return poseAt(scene, time_s).locals[0].translation;
}

}  // namespace

TEST_CASE("Parents come before children, whatever the order in the file") {
  const Scene scene =
      good(readMembers("\"nodes\":[{\"name\":\"leaf\"},{\"children\":[0,3]},{\"name\":\"root\","
                       "\"children\":[1]},{}]"));
  REQUIRE(scene.skeleton.size() == 4);
  std::vector<bool> seen(4, false);
  for (std::size_t i = 0; i < 4; ++i) {
    const Node& node = scene.skeleton.nodes[i];
    CHECK(node.parent < static_cast<int>(i));
    seen[toSize(node.source_id)] = true;
  }
  CHECK(seen == std::vector<bool>(4, true));
  CHECK(pathOf(scene.skeleton, findSource(scene.skeleton, 0)) == "root/#1/leaf");
}

TEST_CASE("Nodes that do not form a tree are refused") {
  CHECK(refused(readMembers("\"nodes\":[{\"children\":[2]},{\"children\":[2]},{}]"))
            .find("nodes[1]: shares child 2") == 0);
  refused(readMembers("\"nodes\":[{\"children\":[1,1]},{}]"));
  CHECK(refused(readMembers("\"nodes\":[{\"children\":[1]},{\"children\":[0]}]")).find("cycle") !=
        std::string::npos);
  CHECK(refused(readMembers("\"nodes\":[{\"children\":[0]}]")).find("cycle") != std::string::npos);
  refused(readMembers("\"nodes\":[{\"children\":[1]}]"));
  refused(readMembers("\"nodes\":[{\"children\":[-1]}]"));
  refused(readMembers("\"nodes\":[{\"children\":[0.5]}]"));
}

TEST_CASE("Members of the wrong kind are refused wherever they are") {
  for (const char* members :
       {"\"nodes\":{}", "\"nodes\":[1]", "\"nodes\":[null]", "\"accessors\":{}",
        "\"bufferViews\":5", "\"bufferViews\":[{\"extensions\":5,\"buffer\":0,\"byteLength\":0}]",
        "\"meshes\":[[]]", "\"images\":[\"a\"]", "\"animations\":[7]", "\"buffers\":[[]]",
        "\"skins\":\"x\"", "\"nodes\":[{\"translation\":[1,2]}]",
        "\"nodes\":[{\"translation\":[1,2,1e999]}]", "\"nodes\":[{\"name\":3}]",
        "\"nodes\":[{}],\"skins\":[{\"joints\":[1]}]"}) {
    CAPTURE(members);
    CHECK(!readMembers(members).ok());
  }
}

TEST_CASE("A long chain of nodes is read without recursion") {
  std::string nodes = "\"nodes\":[";
  constexpr int kCount = 20000;
  for (int i = 0; i + 1 < kCount; ++i) nodes += "{\"children\":[" + std::to_string(i + 1) + "]},";
  const Scene scene = good(readMembers(nodes + "{}]"));
  CHECK(scene.skeleton.size() == kCount);
}

TEST_CASE("A matrix becomes translation, rotation and scale with the same world") {
  const Scene scene =
      good(readMembers("\"nodes\":[{\"matrix\":[0,2,0,0,-3,0,0,0,0,0,4,0,5,6,7,1]}]"));
  const Affine world = toAffine(scene.skeleton.nodes[0].rest);
  CHECK(distance(transformPoint(world, Vec3(1, 0, 0)), Vec3(5, 8, 7)) < 1e-12);
  CHECK(distance(transformPoint(world, Vec3(0, 1, 0)), Vec3(2, 6, 7)) < 1e-12);
  CHECK(distance(transformPoint(world, Vec3(0, 0, 1)), Vec3(5, 6, 11)) < 1e-12);
  CHECK(scene.warnings.empty());
}

TEST_CASE("A matrix with shear is taken with a warning, one too large is refused") {
  const Scene scene =
      good(readMembers("\"nodes\":[{\"matrix\":[1,0,0,0,1,1,0,0,0,0,1,0,0,0,0,1]}]"));
  CHECK(scene.warnings.count("matrix_with_shear") == 1);
  refused(readMembers("\"nodes\":[{\"matrix\":[1e300,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}]"));
}

TEST_CASE("Rest weights are the node's, or the mesh's, or zeros") {
  const std::string targets = "\"primitives\":[{\"attributes\":{},\"targets\":[{},{},{}]}]";
  const Scene scene =
      good(readMembers("\"meshes\":[{" + targets + ",\"weights\":[1,2,3]},{" + targets +
                       "}],\"nodes\":[{\"mesh\":0},{\"mesh\":1},"
                       "{\"mesh\":0,\"weights\":[7,8,9,10]},{}]"));
  const auto weightsOf = [&](int source) {
    const Node& node = scene.skeleton.nodes[toSize(findSource(scene.skeleton, source))];
    const auto start = scene.skeleton.rest_weights.begin() + node.weights_start;
    return std::vector<double>(start, start + node.weights_count);
  };
  CHECK(weightsOf(0) == std::vector<double>{1, 2, 3});
  CHECK(weightsOf(1) == std::vector<double>{0, 0, 0});
  CHECK(weightsOf(2) == std::vector<double>{7, 8, 9});
  CHECK(weightsOf(3).empty());
}

TEST_CASE("A clip ranges from its first key to its last and holds both ends") {
  const Scene scene = good(OneChannel{{0.5f, 1.5f}}.read());
  REQUIRE(scene.clips.size() == 1);
  CHECK(scene.clips[0].start_s == 0.5);
  CHECK(scene.clips[0].end_s == 1.5);
  CHECK(locationAt(scene, -1.0) == Vec3(0));
  CHECK(locationAt(scene, 1.0) == Vec3(0.5, 1, 1.5));
  CHECK(locationAt(scene, 9.0) == Vec3(1, 2, 3));
}

TEST_CASE("The last of several channels for one target wins") {
  TinyGltf gltf;
  gltf.addFloats({0, 1}, "SCALAR");
  gltf.addFloats({1, 1, 1, 1, 1, 1}, "VEC3");
  gltf.addFloats({2, 2, 2, 2, 2, 2}, "VEC3");
  gltf.members =
      ",\"nodes\":[{}],\"animations\":[{\"samplers\":[{\"input\":0,\"output\":2},{\"input\":0,"
      "\"output\":1}],\"channels\":[{\"sampler\":1,\"target\":{\"node\":0,\"path\":\"translation\"}"
      "},"
      "{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}}]}]";
  CHECK(locationAt(good(readBytes(gltf.glb())), 0.5) == Vec3(2, 2, 2));
}

TEST_CASE("Channels of unknown paths and of pointers add a warning") {
  const Scene unknown = good(OneChannel{{0, 1}, {0, 0, 0, 1, 2, 3}, "LINEAR", "colour"}.read());
  CHECK(unknown.warnings.count("unknown_channel_path") == 1);
  CHECK(!unknown.clips[0].animated.any(0));
  const Scene weights = good(OneChannel{{0, 1}, {0, 1}, "LINEAR", "weights", "SCALAR"}.read());
  CHECK(weights.warnings.count("weights_without_targets") == 1);
  TinyGltf pointer = OneChannel{}.gltf();
  const std::string node = "\"node\":0,\"path\":\"translation\"";
  pointer.members.replace(pointer.members.find(node), node.size(),
                          "\"path\":\"pointer\",\"extensions\":{}");
  const Scene scene = good(readBytes(pointer.glb()));
  CHECK(scene.warnings.count("animation_pointer") == 1);
  CHECK(!scene.clips[0].animated.any(0));
}

TEST_CASE("Key times that are not finite or descend are refused") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  refused(OneChannel{{0, kInfinity}}.read());
  refused(OneChannel{{std::numeric_limits<float>::quiet_NaN(), 1}}.read());
  refused(OneChannel{{0, 1}, {0, 0, 0, 1, kInfinity, 3}}.read());
  CHECK(refused(OneChannel{{1, 0}}.read()).find("do not ascend") != std::string::npos);
}

TEST_CASE("Two keys at one time are a jump") {
  const Scene scene = good(OneChannel{{0, 1, 1, 2}, {0, 0, 0, 1, 0, 0, 5, 0, 0, 6, 0, 0}}.read());
  CHECK(locationAt(scene, 0.5) == Vec3(0.5, 0, 0));
  CHECK(locationAt(scene, 1.0) == Vec3(5, 0, 0));
  CHECK(locationAt(scene, 1.5) == Vec3(5.5, 0, 0));
}

TEST_CASE("A clip of one key or of no length holds its pose") {
  for (const OneChannel& channel :
       {OneChannel{{2}, {1, 2, 3}}, OneChannel{{2, 2}, {9, 9, 9, 1, 2, 3}}}) {
    const Scene scene = good(channel.read());
    CHECK(scene.clips[0].start_s == 2.0);
    CHECK(scene.clips[0].end_s == 2.0);
    CHECK(locationAt(scene, 2.0) == Vec3(1, 2, 3));
  }
}

TEST_CASE("An animation without channels is a clip that moves nothing") {
  const Scene scene = good(readMembers("\"nodes\":[{}],\"animations\":[{\"name\":\"Empty\"}]"));
  REQUIRE(scene.clips.size() == 1);
  CHECK(scene.clips[0].name == "Empty");
  CHECK(scene.clips[0].start_s == scene.clips[0].end_s);
  CHECK(locationAt(scene, 0.0) == Vec3(0));
}

TEST_CASE("Outputs that do not fit the times or the path are refused") {
  CHECK(refused(OneChannel{{0, 1, 2}}.read()).find("animations[0].samplers[0]: has 3 key times") ==
        0);
  refused(OneChannel{{0, 1}, std::vector<float>(6, 0), "CUBICSPLINE"}.read());
  refused(OneChannel{{0, 1}, std::vector<float>(8, 0), "LINEAR", "translation", "VEC4"}.read());
  refused(OneChannel{{0, 1}, std::vector<float>(6, 0), "LINEAR", "rotation"}.read());
  refused(OneChannel{{0, 1}, std::vector<float>(6, 0), "SPLINE"}.read());
  refused(OneChannel{{}, {}}.read());
}

TEST_CASE("A cubic spline passes through its keys with its tangents") {
  // In-tangent, value, out-tangent of two keys: from 0 with speed 1 to 1 with speed 1 is a line.
  const Scene scene =
      good(OneChannel{{0, 1}, {0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0}, "CUBICSPLINE"}
               .read());
  CHECK(locationAt(scene, 0.0) == Vec3(0));
  CHECK(distance(locationAt(scene, 0.25), Vec3(0.25, 0, 0)) < 1e-15);
  CHECK(locationAt(scene, 1.0) == Vec3(1, 0, 0));
}

TEST_CASE("A rotation key of length zero is the identity") {
  const Scene scene =
      good(OneChannel{{0, 1}, std::vector<float>(8, 0), "LINEAR", "rotation", "VEC4"}.read());
  CHECK(distance(poseAt(scene, 0.5).locals[0].rotation, kIdentityRotation) == 0.0);
}

TEST_CASE("Versions other than 2 are unsupported") {
  CHECK(refused(readBytes(textBytes("{\"asset\":{\"version\":\"1.0\"}}")), ErrorCode::kUnsupported)
            .find("version 1.0") != std::string::npos);
  refused(readBytes(textBytes("{}")));
  Bytes old = wavingGltf().glb();
  old[4] = std::byte{1};
  refused(readBytes(old), ErrorCode::kUnsupported);
}

TEST_CASE("An unknown required extension is kept with a warning, image extensions without") {
  const Scene scene =
      good(readMembers("\"extensionsRequired\":[\"EXT_odd\",\"KHR_texture_basisu\",\"VRMC_vrm\"]"));
  CHECK(scene.warnings.count("unknown_required_extension") == 1);
  CHECK(scene.warnings.all()[0].first == "EXT_odd");
}

TEST_CASE("A valid GLB truncated at each 64th byte is refused with one line") {
  TinyGltf gltf = skinnedGltf();
  gltf.addView(Bytes(4000));
  const Bytes whole = gltf.glb();
  CHECK_OK(readBytes(whole));
  REQUIRE(whole.size() > 4096);
  for (std::size_t size = 0; size < whole.size(); size += 64) {
    CAPTURE(size);
    const auto scene =
        readBytes(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
    refused(scene);
  }
}

TEST_CASE("A few bytes that decode to much memory exceed the limit") {
  io::Limits small;
  small.max_decoded_bytes = 2 << 20;
  std::string nodes, targets, clips, primitives;
  for (int i = 0; i < 2000; ++i) {
    const char* comma = i ? "," : "";
    nodes += std::string(comma) + "{\"mesh\":0}";
    targets += std::string(comma) + "{}";
    clips += std::string(comma) + "{}";
    primitives += std::string(comma) + "{\"attributes\":{}}";
  }
  const std::string asset = "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[" + nodes + "],";
  const auto limited = [&](const std::string& members) {
    refused(readBytes(textBytes(asset + members + "}"), small), ErrorCode::kLimit);
  };
  limited("\"meshes\":[{\"primitives\":[{\"attributes\":{},\"targets\":[" + targets + "]}]}]");
  limited("\"meshes\":[{\"primitives\":[" + primitives + "]}]");
  limited("\"meshes\":[{\"primitives\":[]}],\"animations\":[" + clips + "]");
  limited("\"meshes\":[{\"primitives\":[{\"attributes\":{}}],\"name\":\"" +
          std::string(10000, 'n') + "\"}]");
  std::string values = "\"extras\":[0";
  for (int i = 0; i < 50000; ++i) values += ",0";
  limited("\"meshes\":[]," + values + "]");
}

TEST_CASE("Brackets nested beyond the limit are refused before parsing") {
  const std::string open(100000, '[');
  refused(readMembers("\"extras\":" + open + std::string(100000, ']')), ErrorCode::kLimit);
}

TEST_CASE("Control characters of a file are not in the error message") {
  const auto scene =
      readMembers("\"buffers\":[{\"byteLength\":1,\"uri\":\"a\\n\\u001b[31mred\\u0085.bin\"}]");
  const std::string sentence = refused(scene, ErrorCode::kNotFound);
  for (char c : sentence) CHECK(static_cast<unsigned char>(c) >= 0x20);
  CHECK(sentence.find("\xC2\x85") == std::string::npos);
  const auto endless =
      readMembers("\"buffers\":[{\"byteLength\":1,\"uri\":\"" + std::string(100000, 'u') + "\"}]");
  REQUIRE(!endless.ok());
  CHECK(describe(endless.error()).size() < 1000);
}
