// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/imported/import_message.h"

#include <cstring>

#include "checks.h"
#include "io/imported/full_scene.h"

TEST_SUITE_BEGIN("imported.import_message");

namespace {

using namespace clipmill;
using namespace clipmill::io::imported;
using namespace clipmill::io;
using namespace clipmill::test;

ImportMessage readOk(const Bytes& bytes) {
  auto message = readImportMessage(bytes);
  CHECK_OK(message);
  return std::move(*message);
}

}  // namespace

TEST_CASE("A scene with every kind of content is transferred completely") {
  const ImportedScene sent = fullScene();
  CHECK_OK(checkImported(sent));
  const Bytes bytes = writeImportMessage(sent);
  const ImportMessage message = readOk(bytes);
  CHECK(!message.error);
  const ImportedScene& got = message.imported;
  // Written again it has the same bytes; the most important parts are compared separately.
  CHECK(writeImportMessage(got) == bytes);
  CHECK(got.format == "Test");
  CHECK(got.files == sent.files);
  CHECK(got.scene.skeleton.nodes[1].rest == sent.scene.skeleton.nodes[1].rest);
  CHECK(got.scene.skeleton.rest_weights == sent.scene.skeleton.rest_weights);
  CHECK(got.scene.meshes[0].positions == sent.scene.meshes[0].positions);
  CHECK(got.scene.meshes[0].tangents == sent.scene.meshes[0].tangents);
  CHECK(got.scene.meshes[0].more_uvs == sent.scene.meshes[0].more_uvs);
  CHECK(got.scene.meshes[0].more_colors == sent.scene.meshes[0].more_colors);
  CHECK(got.scene.meshes[0].influence_start == sent.scene.meshes[0].influence_start);
  CHECK(got.scene.meshes[0].morphs[0].name == "Smile");
  CHECK(got.scene.materials[0].alpha_mode == AlphaMode::kMask);
  CHECK(got.scene.materials[0].normal_image == 0);
  CHECK(got.scene.images[0].bytes == sent.scene.images[0].bytes);
  CHECK(got.scene.metric_from_file.linear == sent.scene.metric_from_file.linear);
  CHECK(got.scene.warnings.count("odd") == 3);
  CHECK(got.scene.warnings.all()[0].first == "there");
  REQUIRE(got.clips.size() == 1);
  CHECK(got.clips[0].fps == 12.5);
  REQUIRE(got.clips[0].keys.tracks.size() == 3);
  CHECK(got.clips[0].keys.tracks[1].values == sent.clips[0].keys.tracks[1].values);
}

TEST_CASE("Tracks that share their times still share them") {
  const auto message = readOk(writeImportMessage(fullScene()));
  const auto& tracks = message.imported.clips[0].keys.tracks;
  CHECK(tracks[0].times_s == tracks[1].times_s);
  CHECK(tracks[0].times_s != tracks[2].times_s);
}

TEST_CASE("An error is transferred completely") {
  const ImportMessage message =
      readOk(writeImportMessage(Error{ErrorCode::kUnsupported, "here", "is odd", "mend it"}));
  REQUIRE(message.error.has_value());
  CHECK(message.error->code == ErrorCode::kUnsupported);
  CHECK(describe(*message.error) == "here: is odd; mend it");
}

TEST_CASE("Every truncation, and every byte too many, is refused") {
  for (Bytes bytes : {writeImportMessage(fullScene()),
                      writeImportMessage(Error{ErrorCode::kLimit, "a", "b", "c"})}) {
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      CAPTURE(size);
      REQUIRE(!readImportMessage(std::span(bytes).first(size)).ok());
    }
    bytes.push_back(std::byte{0});
    CHECK(!readImportMessage(bytes).ok());
  }
}

TEST_CASE("Counts larger than the received data are refused everywhere") {
  const Bytes whole = writeImportMessage(fullScene());
  for (std::size_t at = 0; at + 8 <= whole.size(); ++at) {
    Bytes bytes = whole;
    std::memset(bytes.data() + at, 0x7f, 8);
    // Some of these are numbers and may have any value; none may crash the reader or give an
    // invalid scene.
    const auto message = readImportMessage(bytes);
    if (message && !message->error) CHECK_OK(checkImported(message->imported));
  }
}

TEST_CASE("Inconsistent scenes are refused") {
  const auto refused = [](auto change) {
    ImportedScene imported = fullScene();
    change(imported);
    return !readImportMessage(writeImportMessage(imported)).ok();
  };
  CHECK(!refused([](ImportedScene&) {}));
  CHECK(refused([](ImportedScene& s) { s.scene.skeleton.nodes[0].parent = 1; }));
  CHECK(refused([](ImportedScene& s) { s.scene.skeleton.nodes[2].weights_count = 2; }));
  CHECK(refused([](ImportedScene& s) { s.scene.skeleton.nodes[1].rest.scale.x = INFINITY; }));
  CHECK(refused([](ImportedScene& s) { s.scene.skins[0].joints[0] = 9; }));
  CHECK(refused([](ImportedScene& s) { s.scene.skins[0].joint_from_bind.pop_back(); }));
  CHECK(refused([](ImportedScene& s) { s.scene.materials[0].emissive_image = 5; }));
  CHECK(refused([](ImportedScene& s) { s.scene.meshes[0].triangles[2] = 3; }));
  CHECK(refused([](ImportedScene& s) { s.scene.meshes[0].triangles.pop_back(); }));
  CHECK(refused([](ImportedScene& s) { s.scene.meshes[0].uvs.pop_back(); }));
  CHECK(refused([](ImportedScene& s) { s.scene.meshes[0].tangents.pop_back(); }));
  CHECK(refused([](ImportedScene& s) { s.scene.meshes[0].more_uvs[1].pop_back(); }));
  CHECK(refused([](ImportedScene& s) { s.scene.meshes[0].more_colors[0].clear(); }));
  CHECK(refused([](ImportedScene& s) { s.scene.meshes[0].influences[0].joint = 2; }));
  CHECK(refused([](ImportedScene& s) { s.scene.meshes[0].influences[0].weight = 0.0; }));
  CHECK(refused([](ImportedScene& s) { s.scene.meshes[0].influence_start[1] = 9; }));
  CHECK(refused([](ImportedScene& s) { s.scene.meshes[0].morphs.clear(); }));
  CHECK(refused([](ImportedScene& s) { s.scene.metric_from_file.linear *= 0.0; }));
  CHECK(refused([](ImportedScene& s) { s.clips[0].fps = 0.0; }));
  CHECK(refused([](ImportedScene& s) { s.clips[0].keys.tracks[0].node = 3; }));
  CHECK(refused([](ImportedScene& s) { s.clips[0].keys.tracks[0].width = 4; }));
  CHECK(refused([](ImportedScene& s) { s.clips[0].keys.tracks[0].values.pop_back(); }));
  CHECK(refused([](ImportedScene& s) { s.clips[0].keys.tracks[1] = s.clips[0].keys.tracks[0]; }));
  CHECK(refused([](ImportedScene& s) {
    s.clips[0].keys.tracks[0].times_s = std::make_shared<std::vector<double>>(2, 1.0);
  }));
}
