// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/sheet.h"

#include <limits>

#include "anim/clip.h"
#include "checks.h"
#include "core/to_size.h"
#include "render/character.h"
#include "render/walking_mast.h"

TEST_SUITE_BEGIN("render.sheet");

using namespace clipmill;
using namespace clipmill::render;

namespace {

// A mast that walks, with a triangle at its top or without a mesh.
Scene makeScene(double path_m, bool with_mesh, double rotation_deg = 0.0) {
  Scene scene = test::walkingMast(path_m, rotation_deg);
  if (!with_mesh) return scene;
  SkinnedMesh mesh;
  mesh.node = 2;
  mesh.positions = {{-0.3, -1.2, 0}, {0.3, -1.2, 0.1}, {0, 0.3, 0}};
  mesh.triangles = {0, 1, 2};
  scene.meshes = {mesh};
  return scene;
}

Sheet drawn(const std::vector<SheetRow>& rows, const SheetSettings& settings = {}) {
  auto sheet = drawSheet(rows, settings);
  CHECK_OK(sheet);
  return std::move(sheet).value();
}

std::size_t pixelsThatDiffer(const render::Image& a, const render::Image& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < std::min(a.rgba.size(), b.rgba.size()); i += 4) {
    bool same = true;
    for (std::size_t c = 0; c < 4; ++c) same = same && a.rgba[i + c] == b.rgba[i + c];
    if (!same) ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("a sheet has the same pixels for any number of threads") {
  const Scene scene = makeScene(2.0, true);
  const SheetRow row{&scene, 0, "", "walk.glb"};
  const std::string hash = hashHex(drawn({row}, {6, View::kAuto, 1}).image);
  for (int threads : {1, 2, 5, 0}) {
    CHECK(hashHex(drawn({row}, {6, View::kAuto, threads}).image) == hash);
  }
}

TEST_CASE("a sheet is at most 2400 pixels wide, opaque, and one row for each file") {
  const Scene scene = makeScene(0.0, true, 60.0);
  const SheetRow row{&scene, 0, "before", "a.glb"};
  int last_height = 0;
  for (int frames : {1, 2, 6, 7, kMostFrames}) {
    const render::Image one = drawn({row}, {frames, View::kFront, 1}).image;
    const render::Image two = drawn({row, row}, {frames, View::kFront, 1}).image;
    CHECK(one.width <= 2400);
    CHECK(two.width == one.width);
    CHECK(two.height > one.height + one.height / 2);
    CHECK(one.rgba.size() == 4 * toSize(one.width * one.height));
    bool opaque = true;
    for (std::size_t i = 3; i < one.rgba.size(); i += 4) opaque = opaque && one.rgba[i] == 255;
    CHECK(opaque);
    last_height = one.height;
  }
  CHECK(last_height > 60);
  CHECK(drawSheet({row}, {0, View::kAuto, 1}).error().code == ErrorCode::kUsage);
  CHECK(drawSheet({row}, {kMostFrames + 1, View::kAuto, 1}).error().code == ErrorCode::kUsage);
  CHECK(drawSheet({}, {}).error().code == ErrorCode::kUsage);
}

TEST_CASE("the same motion in centimetres or on its side gives the same image") {
  const Scene metres = makeScene(2.0, true, 40.0);
  Scene centimetres = makeScene(200.0, true, 40.0);
  for (Node& node : centimetres.skeleton.nodes) node.rest.translation *= 100.0;
  for (Vec3& p : centimetres.meshes[0].positions) p *= 100.0;
  centimetres.metric_from_file.linear = Mat3(0.01);
  const render::Image a = drawn({{&metres, 0, "", "f"}}).image;
  const render::Image b = drawn({{&centimetres, 0, "", "f"}}).image;
  REQUIRE(a.rgba.size() == b.rgba.size());
  // Rounding may tip a sample on an edge.
  CHECK(pixelsThatDiffer(a, b) * 1000 < a.rgba.size() / 4);
}

TEST_CASE("differences from the first row are drawn in another colour") {
  const Scene still = makeScene(0.0, false), moved = makeScene(0.0, false, 40.0);
  const auto reds = [](const render::Image& image) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
      if (image.rgba[i] > image.rgba[i + 2] + 90) ++count;
    }
    return count;
  };
  const SheetRow before{&still, 0, "", "a"}, after{&moved, 0, "", "b"};
  std::vector<bool> changed;
  Warnings warnings;
  const Character a(still, 0, warnings), b(moved, 0, warnings);
  markChanges(a.poseAt(1.0).pose, b.poseAt(1.0).pose, 1.0, changed);
  CHECK(changed == std::vector<bool>{false, false, true, false, false, false});
  CHECK(reds(drawn({before, before}).image) == 0);
  Scene bent = makeScene(0.0, false);
  bent.skeleton.nodes[1].rest.rotation = rotationAbout(Vec3(0, 0, 1), 0.3);
  CHECK(reds(drawn({before, {&bent, 0, "", "b"}}).image) > 20);
}

TEST_CASE("the root trajectory is drawn where the root moves") {
  const auto blues = [](const render::Image& image) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
      if (image.rgba[i + 2] > image.rgba[i] + 90) ++count;
    }
    return count;
  };
  const Scene stays = makeScene(0.0, true), walks = makeScene(3.0, true);
  CHECK(blues(drawn({{&stays, 0, "", "f"}}).image) == 0);
  CHECK(blues(drawn({{&walks, 0, "", "f"}}).image) > 100);
}

TEST_CASE("files without clips, meshes or bones are drawn") {
  Scene scene = makeScene(1.0, false);
  scene.clips.clear();
  const render::Image rest = drawn({{&scene, -1, "", "rest"}}).image;
  CHECK(rest.width < 400);
  Scene empty;
  CHECK(drawSheet({{&empty, -1, "", "empty"}}, {}).error().code == ErrorCode::kUnsupported);
  Scene point;
  point.skeleton.nodes = {test::jointAt("Only", -1, Vec3(3, 4, 5))};
  drawn({{&point, -1, "", "point"}});
}

TEST_CASE("hostile poses, clips and names end in an image or in an error") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Scene scene = makeScene(1.0, true);
  scene.meshes[0].positions.push_back(Vec3(nan));
  scene.meshes[0].triangles.insert(scene.meshes[0].triangles.end(), {0, 1, 3});
  scene.clips[0].name = "</script>\n\x1B[2J" + std::string(100000, '\xFF');
  const Sheet sheet = drawn({{&scene, 0, "before", std::string(5000, 'W')}});
  CHECK(sheet.warnings.count("triangle_not_shown") == 6);

  for (double bad : {1e300, std::numeric_limits<double>::infinity(), nan}) {
    Scene far = makeScene(1.0, true);
    far.skeleton.nodes[1].rest.translation = Vec3(0, bad, 0);
    const auto result = drawSheet({{&far, 0, "", "far"}}, {});
    if (!result) CHECK(result.error().code == ErrorCode::kUnsupported);
    Scene endless = makeScene(1.0, true);
    endless.clips[0].end_s = bad;
    CHECK(drawSheet({{&endless, 0, "", "endless"}}, {}).ok());
    Scene fast = makeScene(1.0, true);
    fast.clips[0].fps = bad;
    CHECK(drawSheet({{&fast, 0, "", "fast"}}, {}).ok());
  }
}

TEST_CASE("names of left and right show where a character faces") {
  const auto facing = [](const char* left, const char* right, const Vec3& at) {
    Skeleton skeleton;
    skeleton.nodes = {test::jointAt(left, -1, at), test::jointAt(right, -1, -at)};
    std::vector<Affine> worlds(2);
    worlds[0].translation = at;
    worlds[1].translation = -at;
    return facingFrom(leftOf(skeleton, worlds));
  };
  for (const auto& [left, right] :
       {std::pair{"LeftUpLeg", "RightUpLeg"}, std::pair{"thigh.L", "thigh.R"},
        std::pair{"J_Bip_L_Hand", "J_Bip_R_Hand"}, std::pair{"mixamorig:LeftArm", "x:RightArm"},
        std::pair{"b_LeftLeg01_015", "b_RightLeg01_019"}, std::pair{"hand_l", "hand_r"}}) {
    CHECK(test::distance(facing(left, right, Vec3(1, 0, 0)), Vec3(0, 0, 1)) < 1e-15);
    CHECK(test::distance(facing(left, right, Vec3(0, 0.1, -2)), Vec3(1, 0, 0)) < 1e-15);
  }
  // No sides, only one, or above each other: the front of glTF.
  CHECK(facing("Bowl", "Roll", Vec3(0, 0, 1)) == Vec3(0, 0, 1));
  CHECK(facing("LeftArm", "Head", Vec3(0, 0, 1)) == Vec3(0, 0, 1));
  CHECK(facing("LeftArm", "RightArm", Vec3(0, 1, 0)) == Vec3(0, 0, 1));
}
