// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/bvh/read.h"

#include "anim/pose.h"
#include "checks.h"
#include "core/file.h"
#include "io/bvh/tiny_bvh.h"

TEST_SUITE_BEGIN("bvh.read");

namespace {

using namespace clipmill;
using namespace clipmill::io::imported;
using namespace clipmill::test;

io::imported::ImportedScene readOk(const std::string& text) {
  auto imported = io::bvh::readBvh(text, "walk", {});
  CHECK_OK(imported);
  CHECK_OK(io::imported::checkImported(*imported));
  io::imported::addClips(imported->clips, imported->scene);
  return std::move(*imported);
}

Error faultOf(const std::string& text, const io::Limits& limits = {}) {
  const auto imported = io::bvh::readBvh(text, "walk", limits);
  REQUIRE(!imported.ok());
  return imported.error();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::vector<Vec3> pointsAt(const Scene& scene, double time_s) {
  Pose pose = restPose(scene.skeleton);
  scene.clips.at(0).source->cursor()->sample(time_s, pose.view());
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, pose.locals, Affine{}, worlds);
  std::vector<Vec3> points;
  for (const Affine& world : worlds) points.push_back(world.translation);
  return points;
}

// A vertical column of bones of one length.
std::string column(double bone, const std::string& offset = "0 L 0") {
  std::string text = "HIERARCHY\nROOT A\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n";
  const std::string length = std::to_string(bone);
  for (const char* name : {"B", "C"}) {
    text += std::string("JOINT ") + name + "\n{\nOFFSET " + replaced(offset, "L", length) +
            "\nCHANNELS 0\n";
  }
  return text + "}\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0\n";
}

}  // namespace

TEST_CASE("Joints, end sites and the clip have the names, ranges and rates of the file") {
  const Scene scene = readOk(tinyBvh()).scene;
  REQUIRE(scene.skeleton.size() == 4);
  CHECK(pathOf(scene.skeleton, 2) == "Hips/Arm/Arm_End");
  CHECK(scene.skeleton.nodes[3].name == "Sticks");
  REQUIRE(scene.clips.size() == 1);
  CHECK(scene.clips[0].name == "walk");
  CHECK(scene.clips[0].start_s == 0.0);
  CHECK(scene.clips[0].end_s == 0.5);
  CHECK(scene.clips[0].fps == 2.0);
}

TEST_CASE("Position channels replace offsets, and rotations use the channel order") {
  const Scene scene = readOk(tinyBvh()).scene;
  const std::vector<Vec3> first = pointsAt(scene, 0.0), last = pointsAt(scene, 0.5);
  CHECK(first[0] == Vec3(0, 1, 0));
  CHECK(first[1] == Vec3(1, 1.5, 0));
  CHECK(first[2] == Vec3(1, 3.5, 0));
  // The hips rotate 90 degrees about z, the arm then 90 degrees about its own x.
  CHECK(distance(last[0], Vec3(3, 1, 0)) < 1e-15);
  CHECK(distance(last[1], Vec3(2.5, 2, 0)) < 1e-15);
  CHECK(distance(last[2], Vec3(2.5, 2, 2)) < 1e-15);
}

TEST_CASE("The order of two channels is that of the matrices") {
  const char* order = "Yrotation Xrotation Zrotation";
  const std::string frames = "3 1 0 90 0 0 0 90 0";
  const auto yx = readOk(replaced(tinyBvh(), frames, "0 0 0 0 0 0 90 90 0"));
  // y first: the bone along y goes to z, which y then takes to x.
  CHECK(distance(pointsAt(yx.scene, 0.5)[2], Vec3(3, 0.5, 0)) < 1e-15);
  const auto xy = readOk(replaced(replaced(tinyBvh(), frames, "0 0 0 0 0 0 90 90 0"), order,
                                  "Xrotation Yrotation Zrotation"));
  CHECK(distance(pointsAt(xy.scene, 0.5)[2], Vec3(1, 0.5, 2)) < 1e-15);
}

TEST_CASE("A joint without a position channel of an axis keeps its offset along it") {
  const std::string text =
      replaced(tinyBvh(), "3 Yrotation Xrotation Zrotation", "3 Yposition Xrotation Zrotation");
  const Scene scene = readOk(replaced(text, "3 1 0 90 0 0 0 90 0", "0 0 0 0 0 0 7 0 0")).scene;
  CHECK(pointsAt(scene, 0.5)[1] == Vec3(1, 7, 0));
}

TEST_CASE("Full rotations change nothing, and keys stay in one hemisphere") {
  const Scene scene = readOk(replaced(tinyBvh(), "3 1 0 90 0 0", "3 1 0 36090 0 720")).scene;
  CHECK(distance(pointsAt(scene, 0.5)[2], Vec3(2.5, 2, 2)) < 1e-15);
  Pose pose = restPose(scene.skeleton);
  scene.clips[0].source->cursor()->sample(0.25, pose.view());
  CHECK(distance(pose.locals[0].rotation, rotationAbout(Vec3(0, 0, 1), kPi / 4)) < 1e-15);
}

TEST_CASE("The unit is derived from the size of the skeleton, with a warning") {
  const auto metresOf = [](double bone) {
    const Scene scene = readOk(column(bone)).scene;
    CHECK(scene.warnings.count("bvh_unit") == 1);
    CHECK(scene.warnings.count("bvh_up_axis") == 0);
    return scene.metric_from_file.linear[0].x;
  };
  CHECK(metresOf(0.65) == 1.0);
  CHECK(metresOf(26.0) == 0.0254);
  CHECK(metresOf(65.0) == 0.01);
}

TEST_CASE("Where rest pose and motion lie along z, z is up") {
  const Scene scene = readOk(column(65.0, "0 0 L")).scene;
  CHECK(scene.warnings.count("bvh_up_axis") == 1);
  CHECK(distance(transformPoint(scene.metric_from_file, Vec3(0, 0, 100)), Vec3(0, 1, 0)) < 1e-15);
  CHECK(distance(transformPoint(scene.metric_from_file, Vec3(0, 100, 0)), Vec3(0, 0, -1)) < 1e-15);
  // Upright at rest, and lying down in the clip: y stays up. And vice versa.
  const auto upOf = [](std::string text, const std::string& rotation) {
    return readOk(replaced(std::move(text), "0.1\n0\n", "0.1\n" + rotation + "\n"))
        .scene.warnings.count("bvh_up_axis");
  };
  CHECK(upOf(column(65.0), "90") == 0);
  CHECK(upOf(column(65.0, "0 0 L"), "-90") == 0);
}

TEST_CASE("Unusual spellings of common exporters are read") {
  const Scene scene = readOk(tinyBvh()).scene;
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"HIERARCHY\n", "\xEF\xBB\xBFHierarchy \r\n"},
           {"ROOT Hips\n{", "ROOT Hips {"},
           {"End Site", "END SITE Tip"},
           {"Frame Time:", "frame time:\t"},
           {"3 Yrotation Xrotation", "3 YROTATION xrotation"}}) {
    const std::string text = to;
    CAPTURE(text);
    CHECK(pointsAt(readOk(replaced(tinyBvh(), from, to)).scene, 0.3) == pointsAt(scene, 0.3));
  }
  CHECK(pathOf(readOk(replaced(tinyBvh(), "JOINT Arm", "JOINT Left arm ")).scene.skeleton, 1) ==
        "Hips/Left arm");
  CHECK(readOk(tinyBvh() + "1 2 3\n").scene.warnings.count("text_after_frames") == 1);
}

TEST_CASE("Several roots, and files of one frame or none, are read") {
  const std::string second = "ROOT Prop\n{\nOFFSET 0 0 5\nCHANNELS 1 Xrotation\n}\nMOTION";
  std::string text = replaced(tinyBvh(), "MOTION", second);
  text = replaced(replaced(text, "0 1 0 0 0 0 0 0 0", "0 1 0 0 0 0 0 0 0 10"),
                  "3 1 0 90 0 0 0 90 0", "3 1 0 90 0 0 0 90 0 20");
  CHECK(readOk(text).scene.skeleton.nodes[3].parent == -1);
  const std::string frames = "Frames: 2\nFrame Time: 0.5\n0 1 0 0 0 0 0 0 0\n3 1 0 90 0 0 0 90 0\n";
  CHECK(readOk(replaced(tinyBvh(), frames, "Frames: 0\nFrame Time: 0.5\n")).scene.clips.empty());
  const Scene one =
      readOk(replaced(tinyBvh(), frames, "Frames: 1\nFrame Time: 0\n3 1 0 90 0 0 0 90 0\n")).scene;
  CHECK(one.clips[0].end_s == 0.0);
  CHECK(distance(pointsAt(one, 0.0)[2], Vec3(2.5, 2, 2)) < 1e-15);
}

TEST_CASE("Errors are reported with their line") {
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"ROOT Hips", "JOINT Hips"},
      {"OFFSET 1 0.5 0", "OFFSET 1 0.5"},
      {"OFFSET 1 0.5 0", "OFFSET 1 nan 0"},
      {"OFFSET 1 0.5 0", "OFFSET 1 1e999 0"},
      {"CHANNELS 3", "CHANNELS 4"},
      {"CHANNELS 3", "CHANNELS -1"},
      {"CHANNELS 3", "CHANNELS 1e9"},
      {"Site\n    {\n      OFFSET 0 2 0", "Site\n    {\n JOINT X {"},
      {"}\n}\n", "}\n"},
      {"}\n}\n", "}\n}\n}\n"},
      {"Frames: 2", "Frames: 3"},
      {"Frames: 2", "Frames: 1e18"},
      {"Frames: 2", "Frames: 1.5"},
      {"Frames: 2", "Frames: -2"},
      {"Frame Time: 0.5", "Frame Time: 0"},
      {"Frame Time: 0.5", "Frame Time: 1e-310"},
      {"3 1 0 90", "3 1 0 x"}};
  for (const auto& [from, to] : faults) {
    const std::string text = to;
    CAPTURE(text);
    const Error error = faultOf(replaced(tinyBvh(), from, to));
    CHECK(error.code == (to == "CHANNELS 4" ? ErrorCode::kUnsupported : ErrorCode::kMalformed));
    CHECK(error.location.starts_with("line "));
  }
  CHECK(faultOf(replaced(tinyBvh(), "3 1 0 90", "3 1 0 x")).location == "line 20");
}

TEST_CASE("Every truncation is refused, except within the last digits") {
  const std::string whole = tinyBvh();
  for (std::size_t size = 0; size + 2 < whole.size(); ++size) {
    CAPTURE(size);
    CHECK(!io::bvh::readBvh(whole.substr(0, size), "walk", {}).ok());
  }
}

TEST_CASE("Limits of depth and of memory are kept") {
  std::string nested = "HIERARCHY\nROOT A\n{\nOFFSET 0 0 0\n";
  for (int i = 0; i < 400; ++i) nested += "JOINT B\n{\nOFFSET 0 1 0\n";
  CHECK(faultOf(nested).code == ErrorCode::kLimit);
  io::Limits limits;
  limits.max_decoded_bytes = 500;
  CHECK(faultOf(tinyBvh(), limits).code == ErrorCode::kLimit);
}

TEST_CASE("A BVH file is identified by its content") {
  CHECK(io::bvh::looksLikeBvh(asBytes(tinyBvh())));
  CHECK(io::bvh::looksLikeBvh(asBytes(" \r\n hierarchy")));
  CHECK(!io::bvh::looksLikeBvh(asBytes("HIERARCHYX")));
  CHECK(!io::bvh::looksLikeBvh({}));
}
