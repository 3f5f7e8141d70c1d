// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/motion.h"
#include "checks.h"
#include "io/face_csv/face_csv_format.h"
#include "scene/face_shapes.h"

TEST_SUITE_BEGIN("io.face_csv");

using namespace clipmill;
using namespace clipmill::io;
using namespace clipmill::io::face_csv;

namespace {

// All shapes as Live Link Face writes them, and what follows them.
std::string headerLine() {
  std::string line = "Timecode,BlendShapeCount";
  for (std::string name :
       std::vector<std::string>(faceShapeNames().begin(), faceShapeNames().end())) {
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    line += "," + name;
  }
  return line + ",HeadYaw,HeadPitch,HeadRoll,LeftEyeYaw\n";
}

std::string rowAt(const std::string& timecode, double first_weight, const char* head = "0") {
  std::string row = timecode + ",61";
  for (std::size_t s = 0; s < faceShapeNames().size(); ++s) {
    row += "," + std::to_string(s == 0 ? first_weight : 0.01 * static_cast<double>(s));
  }
  return row + "," + head + ",0,0,0\n";
}

imported::ImportedScene readAll(const std::string& text, const ArraySettings& settings = {}) {
  auto made = readFaceCsv(text, "talk", settings, {});
  CHECK_OK(made);
  CHECK_OK(imported::checkImported(*made));
  return std::move(*made);
}

}  // namespace

TEST_CASE("A recording has a node for each shape, and the weights at their times") {
  const std::string text = headerLine() + rowAt("10:00:59:58.5", 0.25) +
                           rowAt("10:00:59:59.5", 0.5) + rowAt("10:01:00:00.5", 0.75);
  CHECK(looksLikeFaceCsv(text));
  const imported::ImportedScene made = readAll(text, {std::nullopt, 60.0, std::nullopt});
  CHECK(made.scene.face.is_animation);
  REQUIRE(made.scene.face.expressions.size() == 52);
  CHECK(made.scene.face.expressions[0].name == "browDownLeft");
  const imported::ImportedClip& clip = made.clips.at(0);
  CHECK(clip.keys.name == "talk");
  CHECK(clip.fps == 60.0);
  CHECK(clip.end_s == doctest::Approx(2.0 / 60.0));
  const Track& track = clip.keys.tracks.at(0);
  CHECK(made.scene.skeleton.nodes[toSize(track.node)].name == "browDownLeft");
  CHECK(track.values == std::vector<double>{0.25, 0, 0, 0.5, 0, 0, 0.75, 0, 0});
  CHECK(made.scene.warnings.empty());
}

TEST_CASE("The frame rate is that of the timecode, else assumed with a warning") {
  const auto recorded = [](int fps) {
    std::string text = headerLine();
    for (int f = 0; f < 3 * fps; ++f) {
      text += rowAt("00:00:0" + std::to_string(f / fps) + ":" + std::to_string(f % fps), 0.1);
    }
    return text;
  };
  for (const int fps : {30, 60}) {
    const imported::ImportedScene made = readAll(recorded(fps));
    CHECK(made.clips[0].fps == fps);
    CHECK(made.clips[0].end_s == doctest::Approx(3.0 - 1.0 / fps));
  }
  const imported::ImportedScene made = readAll(headerLine() + rowAt("0:0:0:0", 0.1));
  CHECK(made.scene.warnings.count("face_fps") == 1);
}

TEST_CASE("Head rotation is reported as left out") {
  const imported::ImportedScene made = readAll(headerLine() + rowAt("0:0:0:0", 0.1, "0.2"));
  CHECK(made.scene.warnings.count("head_rotation_left_out") == 1);
}

TEST_CASE("Broken tables are an error with the line") {
  const auto fails = [](const std::string& text, const std::string& location) {
    const auto made = readFaceCsv(text, "t", {}, {});
    REQUIRE(!made.ok());
    CHECK(made.error().code == ErrorCode::kMalformed);
    CHECK(made.error().location == location);
  };
  fails(headerLine(), "line 1");
  fails(headerLine() + "0:0:0:0,61\n", "line 2");
  fails(headerLine() + rowAt("0:0:0", 0.1), "line 2");
  fails(headerLine() + rowAt("0:0:0:1", 0.1) + rowAt("0:0:0:1", 0.1), "line 3");
  std::string no_number = headerLine() + rowAt("0:0:0:0", 0.1);
  no_number.replace(no_number.rfind("0.01"), 4, "x.01");
  fails(no_number, "line 2");
  CHECK(!looksLikeFaceCsv("a,b,c\n1,2,3\n"));
  CHECK(!looksLikeFaceCsv(""));
}
