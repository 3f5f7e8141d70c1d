// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/patch.h"

#include <algorithm>

#include "checks.h"
#include "core/to_size.h"
#include "io/fbx/loaded_fbx.h"

TEST_SUITE_BEGIN("fbx.patch");

using namespace clipmill;
using namespace clipmill::io::fbx;
using test::distance;
using test::FbxText;
using test::kTakeFile;
using test::load;
using test::LoadedFbx;
using test::threeJoints;

namespace {

KeyTimes keyTimesOf(std::vector<double> times) {
  return std::make_shared<const std::vector<double>>(std::move(times));
}

Track rotating(int node, const Vec3& axis, std::vector<double> angles_deg) {
  std::vector<double> times;
  Track track{node, TrackPath::kRotation, Interpolation::kLinear, 4, nullptr, {}};
  for (std::size_t k = 0; k < angles_deg.size(); ++k) {
    times.push_back(static_cast<double>(k));
    const Quat q = rotationAbout(axis, angles_deg[k] * kDegree);
    track.values.insert(track.values.end(), {q.x, q.y, q.z, q.w});
  }
  track.times_s = keyTimesOf(std::move(times));
  return track;
}

Track moving(int node, std::vector<Vec3> locations, TrackPath path = TrackPath::kTranslation) {
  std::vector<double> times;
  Track track{node, path, Interpolation::kLinear, 3, nullptr, {}};
  for (std::size_t k = 0; k < locations.size(); ++k) {
    times.push_back(static_cast<double>(k));
    track.values.insert(track.values.end(), {locations[k].x, locations[k].y, locations[k].z});
  }
  track.times_s = keyTimesOf(std::move(times));
  return track;
}

LoadedFbx edited(const LoadedFbx& source, const std::vector<Track>& tracks, int clip = 0) {
  auto bytes = source.patched({{clip, tracks, std::nullopt}});
  CHECK_OK(bytes);
  return load(std::move(*bytes));
}

std::size_t countOf(const LoadedFbx& file, std::string_view type) {
  return toSize(std::count_if(file.document->objects.begin(), file.document->objects.end(),
                              [&](const Object& object) { return object.type == type; }));
}

void checkSamePoses(const LoadedFbx& a, const LoadedFbx& b, int clip) {
  for (const double time : {0.0, 0.3, 0.77, 1.0}) {
    const Pose p = a.pose(clip, time), q = b.pose(clip, time);
    CHECK(p.locals == q.locals);
    CHECK(p.weights == q.weights);
  }
}

// Two stacks of one second, a layer each: 100 -> 110, 200 -> 210.
FbxText twoStacks() {
  return threeJoints().stack(100, "One").stack(200, "Two").layer(110, 100).layer(210, 200);
}

const Vec3 kX(1, 0, 0), kZ(0, 0, 1);

}  // namespace

TEST_CASE("a key that a float does not hold is refused with the name of its joint") {
  const LoadedFbx file = load(twoStacks());
  const auto patched =
      file.patched({{0, {moving(2, {Vec3(0.0), Vec3(1e39, 0, 0)})}, std::nullopt}});
  REQUIRE(!patched);
  CHECK(patched.error().location == "Root/Mid/Tip");
}

TEST_CASE("without edits the output equals the input") {
  const LoadedFbx file = load(twoStacks());
  CHECK(file.patched({}).value() == file.document->tree->source);
  CHECK(file.patched({{0, {}, std::nullopt}}).value() == file.document->tree->source);
}

TEST_CASE("a rotation without curves is written to its own clip only") {
  const LoadedFbx file = load(twoStacks());
  const LoadedFbx result = edited(file, {rotating(1, kX, {0, 40})});
  CHECK(distance(result.local(0, 0.5, 1).rotation, rotationAbout(kX, 20 * kDegree)) < 1e-7);
  CHECK(distance(result.local(0, 1.0, 1).rotation, rotationAbout(kX, 40 * kDegree)) < 1e-7);
  CHECK(result.local(0, 0.5, 1).translation == Vec3(0, 10, 0));
  CHECK(result.local(0, 0.5, 2) == file.local(0, 0.5, 2));
  checkSamePoses(result, file, 1);
  CHECK(countOf(result, "AnimationCurveNode") == 1);
  CHECK(countOf(result, "AnimationCurve") == 3);
}

TEST_CASE("replaced curves are removed with all their connections") {
  FbxText text = twoStacks();
  text.curveNode(300, 110, 2, "Lcl Rotation").curve(301, {0, 90}, 300);
  const LoadedFbx file = load(text);
  const LoadedFbx result = edited(file, {rotating(1, kZ, {0, 40})});
  CHECK(countOf(result, "AnimationCurveNode") == 1);
  CHECK(countOf(result, "AnimationCurve") == 3);
  CHECK(result.document->warnings.empty());
  CHECK(distance(result.local(0, 1.0, 1).rotation, rotationAbout(kZ, 40 * kDegree)) < 1e-7);
  for (const Object& object : result.document->objects) {
    CHECK(object.id != 300);
    CHECK(object.id != 301);
  }
}

TEST_CASE("a second edit of the same track does not change the file size") {
  const LoadedFbx once = edited(load(twoStacks()), {rotating(1, kX, {0, 40})});
  const LoadedFbx twice = edited(once, {rotating(1, kX, {0, 40})});
  CHECK(twice.document->tree->source.size() == once.document->tree->source.size());
  checkSamePoses(once, twice, 0);
}

TEST_CASE("a curve node that two stacks share stays with the other one") {
  FbxText text = twoStacks();
  text.curveNode(300, 110, 2, "Lcl Rotation").curve(301, {0, 90}, 300).connect(300, 210);
  const LoadedFbx file = load(text);
  REQUIRE(distance(file.local(1, 1.0, 1).rotation, rotationAbout(kX, 90 * kDegree)) < 1e-9);
  for (const int clip : {0, 1}) {
    const LoadedFbx result = edited(file, {rotating(1, kZ, {0, 40})}, clip);
    CHECK(distance(result.local(clip, 1.0, 1).rotation, rotationAbout(kZ, 40 * kDegree)) < 1e-7);
    checkSamePoses(result, file, 1 - clip);
  }
}

TEST_CASE("both users of a shared curve node can be edited at once") {
  FbxText text = twoStacks();
  text.curveNode(300, 110, 2, "Lcl Rotation").curve(301, {0, 90}, 300).connect(300, 210);
  const std::vector<Track> one = {rotating(1, kZ, {0, 40})}, two = {rotating(1, kX, {0, 20})};
  auto bytes = load(text).patched({{0, one, std::nullopt}, {1, two, std::nullopt}});
  CHECK_OK(bytes);
  const LoadedFbx result = load(std::move(*bytes));
  CHECK(distance(result.local(0, 1.0, 1).rotation, rotationAbout(kZ, 40 * kDegree)) < 1e-7);
  CHECK(distance(result.local(1, 1.0, 1).rotation, rotationAbout(kX, 20 * kDegree)) < 1e-7);
}

TEST_CASE("a curve node of two joints still animates the other one") {
  FbxText text = twoStacks();
  text.curveNode(300, 110, 2, "Lcl Rotation").connect(300, 3, "Lcl Rotation");
  text.curve(301, {0, 90}, 300);
  const LoadedFbx file = load(text);
  const LoadedFbx result = edited(file, {rotating(1, kZ, {0, 40})});
  CHECK(distance(result.local(0, 1.0, 1).rotation, rotationAbout(kZ, 40 * kDegree)) < 1e-7);
  CHECK(result.local(0, 1.0, 2) == file.local(0, 1.0, 2));
  const LoadedFbx both = edited(file, {rotating(1, kZ, {0, 40}), rotating(2, kZ, {0, 30})});
  CHECK(distance(both.local(0, 1.0, 2).rotation, rotationAbout(kZ, 30 * kDegree)) < 1e-7);
  CHECK(countOf(both, "AnimationCurveNode") == 2);
}

TEST_CASE("a curve that two properties share stays with the other one") {
  FbxText text = twoStacks();
  text.curveNode(300, 110, 2, "Lcl Rotation").curveNode(310, 110, 3, "Lcl Rotation");
  text.curve(301, {0, 90}, 300).connect(301, 310, "d|Y");
  const LoadedFbx file = load(text);
  const LoadedFbx result = edited(file, {rotating(1, kZ, {0, 40})});
  CHECK(result.local(0, 0.7, 2) == file.local(0, 0.7, 2));
  CHECK(countOf(result, "AnimationCurve") == 4);
}

TEST_CASE("a curve node shared by stacks and properties at once is refused") {
  FbxText text = twoStacks();
  text.curveNode(300, 110, 2, "Lcl Rotation").connect(300, 3, "Lcl Rotation").connect(300, 210);
  text.curve(301, {0, 90}, 300);
  const std::vector<Track> tracks = {rotating(1, kZ, {0, 40})};
  const auto bytes = load(text).patched({{0, tracks, std::nullopt}});
  REQUIRE_FALSE(bytes.ok());
  CHECK(bytes.error().code == ErrorCode::kUnsupported);
}

TEST_CASE("an edited property is removed from all layers, others stay") {
  FbxText text = twoStacks();
  text.layer(120, 100).layer(130, 100, FbxText::property("BlendMode", "1"));
  int id = 300;
  for (const int layer : {110, 120, 130}) {
    text.curveNode(id, layer, 2, "Lcl Rotation").curve(id + 1, {10, 30}, id);
    text.curveNode(id + 2, layer, 2, "Lcl Translation").curve(id + 3, {1, 2}, id + 2);
    id += 10;
  }
  const LoadedFbx file = load(text);
  const LoadedFbx result = edited(file, {rotating(1, kZ, {0, 40})});
  CHECK(distance(result.local(0, 0.5, 1).rotation, rotationAbout(kZ, 20 * kDegree)) < 1e-7);
  CHECK(result.local(0, 0.5, 1).translation == file.local(0, 0.5, 1).translation);
  CHECK(countOf(result, "AnimationCurveNode") == 4);
  CHECK(countOf(result, "AnimationLayer") == 4);
}

TEST_CASE("new curves go to a layer that is not muted") {
  const std::string mute = FbxText::property("Mute", "1"), solo = FbxText::property("Solo", "1");
  const std::vector<Track> tracks = {rotating(1, kZ, {0, 40})};
  FbxText muted = threeJoints().stack(100, "One").layer(110, 100, mute).layer(120, 100);
  CHECK(distance(edited(load(muted), tracks).local(0, 1.0, 1).rotation,
                 rotationAbout(kZ, 40 * kDegree)) < 1e-7);
  FbxText alone = threeJoints().stack(100, "One").layer(110, 100).layer(120, 100, solo);
  CHECK(distance(edited(load(alone), tracks).local(0, 1.0, 1).rotation,
                 rotationAbout(kZ, 40 * kDegree)) < 1e-7);
  FbxText silent = threeJoints().stack(100, "One").layer(110, 100, mute);
  const auto refused = load(silent).patched({{0, tracks, std::nullopt}});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kUnsupported);
}

TEST_CASE("a stack without layers gets one, and a layer of two stacks is refused") {
  const std::vector<Track> tracks = {rotating(1, kZ, {0, 40})};
  const LoadedFbx result = edited(load(threeJoints().stack(100, "One")), tracks);
  CHECK(countOf(result, "AnimationLayer") == 1);
  CHECK(distance(result.local(0, 1.0, 1).rotation, rotationAbout(kZ, 40 * kDegree)) < 1e-7);
  FbxText shared = twoStacks();
  shared.connect(110, 200);
  CHECK_FALSE(load(shared).patched({{0, tracks, std::nullopt}}).ok());
}

TEST_CASE("Definitions keep the correct number of objects") {
  FbxText text = twoStacks();
  text.definitions =
      "Definitions: {\nCount: 9\nObjectType: \"Model\" {\nCount: 3\n}\n"
      "ObjectType: \"AnimationCurve\" {\nCount: 1\n}\n}\n";
  text.curveNode(300, 110, 2, "Lcl Rotation").curve(301, {0, 90}, 300);
  const LoadedFbx result = edited(load(text), {rotating(1, kZ, {0, 40}), rotating(2, kZ, {0, 40})});
  const Element definitions = *result.document->tree->root("Definitions");
  std::map<std::string, std::int64_t> counts;
  for (const Element type : definitions.children()) {
    if (const auto count = type.child("Count")) counts[*type.text(0)] = *count->integer(0);
  }
  CHECK(counts["Model"] == 3);
  CHECK(counts["AnimationCurve"] == 6);      // one went, six came
  CHECK(counts["AnimationCurveNode"] == 1);  // one went, two came; they were not counted before
  CHECK(definitions.child("Count")->integer(0) == 15);
}

TEST_CASE("a new span is written wherever the file stores the old one") {
  FbxText text = twoStacks();
  text.other =
      "Takes: {\nTake: \"One\" {\nLocalTime: 0,1\nReferenceTime: 0,1\n}\n"
      "Take: \"Two\" {\nLocalTime: 0,1\n}\n}\nGlobalSettings: {\nProperties70: {\n" +
      FbxText::property("TimeSpanStart", "0") + FbxText::property("TimeSpanStop", "5") + "}\n}\n";
  const LoadedFbx file = load(text);
  auto bytes = file.patched({{0, {}, std::pair(-0.5, 3.0)}});
  CHECK_OK(bytes);
  const LoadedFbx result = load(std::move(*bytes));
  CHECK(result.scene.clips[0].start_s == doctest::Approx(-0.5));
  CHECK(result.scene.clips[0].end_s == doctest::Approx(3.0));
  CHECK(result.scene.clips[1].end_s == doctest::Approx(1.0));
  const Properties stack = result.document->properties(result.read.stack_of_clip[0]);
  CHECK(stack.integer("ReferenceStop") == 3 * kTicksPerSecond);
  const Properties settings(*result.document->tree->root("GlobalSettings"));
  CHECK(settings.integer("TimeSpanStart") == -kTicksPerSecond / 2);
  CHECK(settings.integer("TimeSpanStop") == 3 * kTicksPerSecond);
  const Element takes = *result.document->tree->root("Takes");
  auto take = takes.children().begin();
  CHECK((*take).child("LocalTime")->integer(1) == 3 * kTicksPerSecond);
  ++take;
  CHECK((*take).child("LocalTime")->integer(1) == 1);
}

TEST_CASE("step keys stay step keys, and cubic translations keep their curve between the keys") {
  Track steps = moving(1, {Vec3(1, 2, 3), Vec3(4, 5, 6)});
  steps.interpolation = Interpolation::kStep;
  Track cubic = moving(2, {});
  cubic.interpolation = Interpolation::kCubicSpline;
  cubic.times_s = keyTimesOf({0.0, 1.0});
  cubic.values = {0, 0, 0, 0, 10, 0, 8, -4, 2, 1, 3, -6, 5, 20, 1, 0, 0, 0};
  const LoadedFbx file = load(twoStacks());
  const LoadedFbx result = edited(file, {steps, cubic});
  CHECK(result.local(0, 0.99, 1).translation == Vec3(1, 2, 3));
  CHECK(result.local(0, 1.0, 1).translation == Vec3(4, 5, 6));
  const auto expected = keyframeSource(file.scene.skeleton, {cubic})->cursor();
  Pose pose = restPose(file.scene.skeleton);
  for (const double time : {0.0, 0.2, 0.5, 0.9, 1.0}) {
    expected->sample(time, pose.view());
    CHECK(distance(result.local(0, time, 2).translation, pose.locals[2].translation) < 1e-5);
  }
}

TEST_CASE("curves on pivots and pre-rotations are baked into those of the joint") {
  FbxText text = twoStacks();
  text.curveNode(300, 110, 2, "PreRotation").curve(301, {0, 90}, 300);
  text.curveNode(310, 110, 2, "RotationPivot").curve(311, {0, 5}, 310, "d|Y");
  const LoadedFbx file = load(text);
  const LoadedFbx result = edited(file, {rotating(1, kZ, {0, 40})});
  CHECK(countOf(result, "AnimationCurveNode") == 3);
  for (const double time : {0.0, 0.5, 1.0}) {
    const Transform local = result.local(0, time, 1);
    CHECK(distance(local.rotation, rotationAbout(kZ, 40 * time * kDegree)) < 1e-6);
    CHECK(distance(local.translation, file.local(0, time, 1).translation) < 1e-5);
  }
  checkSamePoses(result, file, 1);
}

TEST_CASE("a rotation about an offset pivot moves only the edited node") {
  FbxText text;
  text.model(1, "Root", 0)
      .model(2, "Mid", 1,
             FbxText::property("RotationPivot", "1,2,3") +
                 FbxText::property("Lcl Translation", "0,10,0") +
                 FbxText::property("PreRotation", "20,30,40"));
  text.stack(100, "One").layer(110, 100);
  const LoadedFbx file = load(text);
  const LoadedFbx result = edited(file, {rotating(1, kZ, {0, 40})});
  for (const double time : {0.0, 0.5, 1.0}) {
    const Transform local = result.local(0, time, 1);
    CHECK(distance(local.translation, file.local(0, time, 1).translation) < 1e-5);
    CHECK(distance(local.rotation, rotationAbout(kZ, 40 * time * kDegree)) < 1e-6);
  }
}

TEST_CASE("IDs of new objects are unique") {
  FbxText text = twoStacks();
  text.objects +=
      "Video: 9223372036854775807, \"Video::v\", \"\" {\n}\n"
      "Video: 1000000, \"Video::w\", \"\" {\n}\n";
  const LoadedFbx result = edited(load(text), {rotating(1, kZ, {0, 40})});
  CHECK(countOf(result, "Video") == 2);  // two objects with one id would not be read
}

// -- Blend shapes

namespace {

// A mesh on Mid with one channel; its shapes are full at these percentages.
FbxText shapes(const std::vector<double>& full) {
  FbxText text = twoStacks();
  text.object("Geometry", 400, "Geometry::G", "Mesh", "",
              "Vertices: *9 { a: 0,0,0,1,0,0,0,1,0 }\nPolygonVertexIndex: *3 { a: 0,1,-3 }\n");
  text.object("Deformer", 410, "Deformer::B", "BlendShape", "");
  text.object("Deformer", 420, "SubDeformer::C", "BlendShapeChannel",
              FbxText::property("DeformPercent", "0"),
              "FullWeights: " + FbxText::list(full) + "\n");
  text.connect(400, 2).connect(410, 400).connect(420, 410);
  for (std::size_t s = 0; s < full.size(); ++s) {
    const int id = 430 + static_cast<int>(s);
    text.object("Geometry", id, "Geometry::S", "Shape", "",
                "Indexes: *1 { a: 0 }\nVertices: *3 { a: 0,0,1 }\n");
    text.connect(id, 420);
  }
  return text;
}

Track weights(std::vector<double> values, int width) {
  Track track{1, TrackPath::kWeights, Interpolation::kLinear, width, keyTimesOf({0.0, 1.0}), {}};
  track.values = std::move(values);
  return track;
}

}  // namespace

TEST_CASE("weights of single shapes are written as percentages of their full ones") {
  const LoadedFbx result = edited(load(shapes({50})), {weights({0.25, 2.0}, 1)});
  CHECK(result.pose(0, 0.0).weights[0] == doctest::Approx(0.25));
  CHECK(result.pose(0, 0.5).weights[0] == doctest::Approx(1.125));
  CHECK(result.pose(0, 1.0).weights[0] == doctest::Approx(2.0));
  CHECK(result.pose(1, 1.0).weights[0] == 0.0);
}

TEST_CASE("a weight that a float does not hold as a percentage is refused") {
  const LoadedFbx file = load(shapes({100}));
  const double high = 1e37;  // times 100 it is above the largest float
  const std::vector<Track> tracks = {weights({0.25, high}, 1)};
  const auto refused = file.patched({{0, tracks, std::nullopt}});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kMalformed);
}

TEST_CASE("in-betweens are written where a percentage gives their weights, else refused") {
  const LoadedFbx file = load(shapes({40, 100}));
  // 20 %: half of the first. 70 %: half of both.
  const LoadedFbx result = edited(file, {weights({0.5, 0.0, 0.5, 0.5}, 2)});
  CHECK(result.pose(0, 0.0).weights[0] == doctest::Approx(0.5));
  CHECK(result.pose(0, 0.0).weights[1] == doctest::Approx(0.0));
  CHECK(result.pose(0, 1.0).weights[0] == doctest::Approx(0.5));
  CHECK(result.pose(0, 1.0).weights[1] == doctest::Approx(0.5));
  const std::vector<Track> impossible = {weights({0.0, 0.0, 1.0, 1.0}, 2)};
  const auto refused = file.patched({{0, impossible, std::nullopt}});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kUnsupported);
}

// -- Takes

TEST_CASE("channels of a take are replaced in place, or added") {
  const LoadedFbx file = load(std::string(kTakeFile));
  REQUIRE(file.scene.clips.size() == 2);
  const LoadedFbx result = edited(file, {rotating(1, kZ, {0, 40}), moving(1, {kX, kZ})});
  CHECK(distance(result.local(0, 0.5, 1).rotation, rotationAbout(kZ, 20 * kDegree)) < 1e-9);
  CHECK(distance(result.local(0, 0.5, 1).translation, 0.5 * (kX + kZ)) < 1e-9);
  CHECK(result.local(0, 0.5, 0) == file.local(0, 0.5, 0));
  checkSamePoses(result, file, 1);
}

TEST_CASE("a take without the Model gets all its channels") {
  const LoadedFbx file = load(std::string(kTakeFile));
  for (const int clip : {0, 1}) {
    const LoadedFbx result = edited(file, {rotating(0, kZ, {0, 40})}, clip);
    const Transform local = result.local(clip, 0.5, 0);
    CHECK(distance(local.rotation, rotationAbout(kZ, 20 * kDegree)) < 1e-9);
    CHECK(local.translation == Vec3(1, 2, 3));
    CHECK(local.scale == Vec3(1));
    checkSamePoses(result, file, 1 - clip);
  }
}

TEST_CASE("a take gets its new span") {
  auto bytes = load(std::string(kTakeFile)).patched({{0, {}, std::pair(0.0, 2.5)}});
  CHECK_OK(bytes);
  const LoadedFbx result = load(std::move(*bytes));
  CHECK(result.scene.clips[0].end_s == doctest::Approx(2.5));
  CHECK(result.scene.clips[1].end_s == doctest::Approx(1.0));
}

namespace {

// The same file with a clip of two seconds more, as the pipeline appends it.
LoadedFbx withNewClip(LoadedFbx file, const std::vector<Track>& tracks) {
  Clip clip;
  clip.name = "Walk";
  clip.end_s = 2.0;
  clip.source = keyframeSource(file.scene.skeleton, tracks);
  file.scene.clips.push_back(clip);
  const int index = static_cast<int>(file.scene.clips.size()) - 1;
  auto bytes = file.patched({{index, tracks, std::nullopt}});
  CHECK_OK(bytes);
  return load(std::move(*bytes));
}

}  // namespace

TEST_CASE("a new clip becomes a stack, and those of the file stay unchanged") {
  FbxText text = twoStacks();
  text.curveNode(300, 110, 2, "Lcl Rotation").curve(301, {0, 90}, 300);
  const LoadedFbx file = load(text);
  const LoadedFbx result =
      withNewClip(file, {rotating(1, kX, {0, 40, 80}), moving(0, {Vec3(0), Vec3(1), Vec3(2)})});
  REQUIRE(result.scene.clips.size() == 3);
  const Clip& clip = result.scene.clips[2];
  CHECK(clip.name == "Walk");
  CHECK(clip.start_s == 0.0);
  CHECK(clip.end_s == doctest::Approx(2.0));
  CHECK(distance(result.local(2, 1.5, 1).rotation, rotationAbout(kX, 60 * kDegree)) < 1e-6);
  CHECK(distance(result.local(2, 1.5, 0).translation, Vec3(1.5)) < 1e-6);
  CHECK(result.local(2, 1.5, 2) == file.scene.skeleton.nodes[2].rest);
  checkSamePoses(result, file, 0);
  checkSamePoses(result, file, 1);
  CHECK(result.document->warnings.empty());
  CHECK(countOf(result, "AnimationStack") == 3);
  CHECK(countOf(result, "AnimationLayer") == 3);
  CHECK(countOf(result, "AnimationCurveNode") == 3);
}

TEST_CASE("a file without stacks gets its first one") {
  const LoadedFbx result = withNewClip(load(threeJoints()), {rotating(1, kX, {0, 40, 80})});
  REQUIRE(result.scene.clips.size() == 1);
  CHECK(result.scene.clips[0].name == "Walk");
  CHECK(distance(result.local(0, 2.0, 1).rotation, rotationAbout(kX, 80 * kDegree)) < 1e-6);
}

TEST_CASE("a new clip of an old file becomes a take") {
  const LoadedFbx file = load(kTakeFile);
  const std::size_t before = file.scene.clips.size();
  const LoadedFbx result = withNewClip(file, {rotating(0, kX, {0, 40, 80})});
  REQUIRE(result.scene.clips.size() == before + 1);
  const int added = static_cast<int>(before);
  CHECK(result.scene.clips[before].name == "Walk");
  CHECK(result.scene.clips[before].end_s == doctest::Approx(2.0));
  CHECK(distance(result.local(added, 1.0, 0).rotation, rotationAbout(kX, 40 * kDegree)) < 1e-6);
  CHECK(distance(result.local(added, 1.0, 0).translation,
                 file.scene.skeleton.nodes[0].rest.translation) < 1e-6);
  for (int clip = 0; clip < added; ++clip) checkSamePoses(result, file, clip);
}
