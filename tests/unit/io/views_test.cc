// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Cameras and lights through conversions.
#include "anim/pose.h"
#include "checks.h"
#include "core/to_size.h"
#include "io/gltf/tiny_gltf.h"
#include "io/io.h"
#include "temporary_folder.h"

TEST_SUITE_BEGIN("io.views");

using namespace clipmill;
using namespace clipmill::io;
using namespace clipmill::test;

namespace {

// A camera without a child and one with a child, and three lights, below a rotated node.
const char* const kScene = R"({"asset":{"version":"2.0"},
  "extensionsUsed":["KHR_lights_punctual"],
  "extensions":{"KHR_lights_punctual":{"lights":[
    {"name":"Sun","type":"directional","color":[1,0.5,0.25],"intensity":3},
    {"name":"Bulb","type":"point","intensity":40,"range":7},
    {"name":"Torch","type":"spot","intensity":20,
     "spot":{"innerConeAngle":0.25,"outerConeAngle":0.5}}]}},
  "cameras":[
    {"name":"Wide","type":"perspective",
     "perspective":{"aspectRatio":1.5,"yfov":0.7,"znear":0.2,"zfar":90}},
    {"name":"Plan","type":"orthographic",
     "orthographic":{"xmag":3,"ymag":2,"znear":0.5,"zfar":20}}],
  "scene":0,"scenes":[{"nodes":[0]}],
  "nodes":[
    {"name":"Top","children":[1,2,4,5,6],"rotation":[0.1,0.2,0.3,0.9273618495495703]},
    {"name":"Eye","camera":0,"translation":[1,2,3],"rotation":[0.5,-0.5,0.5,0.5]},
    {"name":"Mount","camera":1,"children":[3],"rotation":[0.6,0,0,0.8]},
    {"name":"Leaf","translation":[0,1,0]},
    {"name":"Sky","extensions":{"KHR_lights_punctual":{"light":0}},"rotation":[0.28,0,0,0.96]},
    {"name":"Lamp","extensions":{"KHR_lights_punctual":{"light":1}},"translation":[0,3,0]},
    {"name":"Hand","extensions":{"KHR_lights_punctual":{"light":2}},"rotation":[0,0.6,0,0.8]}]})";

Asset loaded(const std::filesystem::path& path) {
  auto asset = load(path, {true, {}});
  CHECK_OK(asset);
  return std::move(*asset);
}

// Position and rotation of a camera or light, in metres, y up.
template <class View>
Affine worldFromView(const Scene& scene, const View& view) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file, worlds);
  return worlds[toSize(view.node)] * toAffine(Transform{Vec3(0), view.node_from_view, Vec3(1)});
}

template <class View>
const View& called(const std::vector<View>& views, const std::string& name) {
  for (const View& view : views) {
    if (view.name == name) return view;
  }
  FAIL("no " << name);
  return views.front();
}

template <class View>
void checkPositions(const Scene& scene, const std::vector<View>& views, const Scene& expected_scene,
                    const std::vector<View>& expected_views) {
  REQUIRE(views.size() == expected_views.size());
  for (const View& expected : expected_views) {
    const Affine a = worldFromView(scene, called(views, expected.name));
    const Affine b = worldFromView(expected_scene, expected);
    CHECK(distance(a.translation, b.translation) < 1e-6);
    CHECK(distance(rotationOf(a), rotationOf(b)) < 1e-6);
  }
}

struct Converted {
  TemporaryFolder folder;
  Asset gltf, fbx, back;
  Warnings losses;

  Converted() {
    folder.write("a.gltf", textBytes(kScene));
    gltf = loaded(folder / "a.gltf");
    fbx = convertedTo("b.fbx", gltf);
    back = convertedTo("c.glb", fbx);
  }

  Asset convertedTo(const std::string& name, const Asset& from) {
    auto warnings = save(from, {}, folder / name);
    CHECK_OK(warnings);
    losses.merge(*warnings);
    return loaded(folder / name);
  }
};

}  // namespace

TEST_CASE("Cameras and lights look in the same direction from the same position in every format") {
  const Converted c;
  REQUIRE(c.gltf.scene.cameras.size() == 2);
  REQUIRE(c.gltf.scene.lights.size() == 3);
  for (const Asset* asset : {&c.fbx, &c.back}) {
    checkPositions(asset->scene, asset->scene.cameras, c.gltf.scene, c.gltf.scene.cameras);
    checkPositions(asset->scene, asset->scene.lights, c.gltf.scene, c.gltf.scene.lights);
  }
  CHECK(c.losses.count("camera") == 0);
  CHECK(c.losses.count("light") == 0);
}

TEST_CASE("Lenses keep their angles and distances") {
  const Converted c;
  const SceneCamera& wide = called(c.fbx.scene.cameras, "Wide");
  CHECK(wide.near_distance == nearTo(20.0, 1e-9));  // centimetres
  CHECK(*wide.far_distance == nearTo(9000.0, 1e-9));
  const SceneCamera& back = called(c.back.scene.cameras, "Wide");
  CHECK(back.perspective.vertical_fov_rad == nearTo(0.7, 1e-9));
  CHECK(*back.perspective.aspect_ratio == nearTo(1.5, 1e-9));
  CHECK(back.near_distance == nearTo(0.2, 1e-9));
  CHECK(*back.far_distance == nearTo(90.0, 1e-9));
  const SceneCamera& plan = called(c.back.scene.cameras, "Plan");
  REQUIRE(plan.orthographic);
  CHECK(plan.orthographic->half_width == nearTo(3.0, 1e-9));
  CHECK(plan.orthographic->half_height == nearTo(2.0, 1e-9));
}

TEST_CASE("Lights keep colour, intensity, range and cones") {
  const Converted c;
  const SceneLight& sun = called(c.back.scene.lights, "Sun");
  CHECK(sun.type == LightType::kDirectional);
  CHECK(distance(sun.color, Vec3(1, 0.5, 0.25)) < 1e-9);
  CHECK(sun.intensity == nearTo(3.0, 1e-9));
  const SceneLight& bulb = called(c.back.scene.lights, "Bulb");
  CHECK(bulb.type == LightType::kPoint);
  CHECK(*bulb.range == nearTo(7.0, 1e-9));
  const SceneLight& torch = called(c.back.scene.lights, "Torch");
  CHECK(torch.type == LightType::kSpot);
  CHECK(torch.inner_cone_rad == nearTo(0.25, 1e-9));
  CHECK(torch.outer_cone_rad == nearTo(0.5, 1e-9));
}

TEST_CASE("Nodes keep their rotations, and a camera of other axes gets a node below its own") {
  const Converted c;
  const auto mount = findNodes(c.fbx.scene.skeleton, "Mount");
  REQUIRE(mount.size() == 1);
  const Quat& rotation = c.fbx.scene.skeleton.nodes[toSize(mount[0])].rest.rotation;
  CHECK(distance(rotation, Quat(0.8, 0.6, 0, 0)) < 1e-6);
  CHECK(findNodes(c.fbx.scene.skeleton, "Mount_camera").size() == 1);
  CHECK(findNodes(c.fbx.scene.skeleton, "Eye_camera").size() == 1);
  // Converted again, nothing more is added.
  CHECK(c.back.scene.skeleton.size() == c.fbx.scene.skeleton.size());
}

TEST_CASE("An invalid camera or light is left out with a warning") {
  TemporaryFolder folder;
  folder.write("a.gltf", textBytes(R"({"asset":{"version":"2.0"},
    "extensions":{"KHR_lights_punctual":{"lights":[{"type":"area"}]}},
    "cameras":[{"type":"perspective","perspective":{"yfov":-1,"znear":1}}],
    "nodes":[{"camera":0},{"camera":5},{"extensions":{"KHR_lights_punctual":{"light":0}}}]})"));
  const Asset asset = loaded(folder.path() / "a.gltf");
  CHECK(asset.scene.cameras.empty());
  CHECK(asset.scene.lights.empty());
  CHECK(asset.scene.warnings.count("camera_left_out") == 2);
  CHECK(asset.scene.warnings.count("light_left_out") == 1);
}
