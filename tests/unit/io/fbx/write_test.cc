// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/write.h"

#include <limits>
#include <set>

#include "core/to_size.h"
#include "make_samples/samples.h"
#include "scene_back.h"

TEST_SUITE_BEGIN("fbx.write");

using namespace clipmill;
using namespace clipmill::io::fbx;
using namespace clipmill::test;

namespace {

KeyTimes times(std::vector<double> seconds) {
  return std::make_shared<const std::vector<double>>(std::move(seconds));
}

int addNode(Scene& scene, const std::string& name, int parent, const Transform& rest) {
  Node node;
  node.name = name;
  node.parent = parent;
  node.source_id = static_cast<int>(scene.skeleton.size());
  node.rest = rest;
  scene.skeleton.nodes.push_back(node);
  return node.source_id;
}

Transform at(double x, double y, double z, const Vec3& angles_deg = Vec3(0.0)) {
  return {Vec3(x, y, z), fromEuler(angles_deg, EulerOrder::kZyx), Vec3(1.0)};
}

// A strip of two triangles.
SkinnedMesh strip(int node) {
  SkinnedMesh mesh;
  mesh.name = "Strip";
  mesh.node = node;
  mesh.positions = {Vec3(0, 0, 0), Vec3(0.5, 0, 0), Vec3(0, 1, 0.25), Vec3(0.5, 1, 0)};
  mesh.triangles = {0, 1, 2, 2, 1, 3};
  return mesh;
}

Bytes bytesOf(std::string_view text) {
  const auto bytes = asBytes(text);
  return Bytes(bytes.begin(), bytes.end());
}

constexpr std::string_view kPng = "\x89PNG not really";
constexpr std::string_view kJpeg = "\xff\xd8\xff neither";

// Two bones with a skinned strip of two parts and two morphs, and a plain strip on a node.
Scene makeScene() {
  Scene scene;
  const int root = addNode(scene, "Root", -1, at(0.1, 0.2, 0.3, Vec3(10, 20, 30)));
  const int hip = addNode(scene, "Hip", root, at(0, 0.5, 0, Vec3(0, 40, 0)));
  const int between = addNode(scene, "Between", hip, at(0, 0.25, 0.125));
  const int tip = addNode(scene, "Tip", between, at(0, 0.25, 0, Vec3(-30, 0, 15)));
  const int body = addNode(scene, "Body", root, {});
  const int crate = addNode(scene, "Crate", -1, at(2, 0, 0, Vec3(0, 90, 0)));
  scene.skeleton.nodes[toSize(crate)].rest.scale = Vec3(1, 2, -0.5);
  scene.skeleton.nodes[toSize(body)].weights_count = 2;
  scene.skeleton.rest_weights = {0.25, 0.0};

  Skin skin;
  skin.name = "Skin";
  skin.joints = {hip, tip};
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, {}, worlds);
  for (const int joint : skin.joints) {
    skin.joint_from_bind.push_back(inverse(worlds[toSize(joint)]));
  }
  scene.skins.push_back(skin);

  for (int part = 0; part < 2; ++part) {
    SkinnedMesh mesh = strip(body);
    mesh.primitive = part;
    mesh.skin = 0;
    for (Vec3& position : mesh.positions) position.x += part;
    mesh.influence_start = {0, 1, 2, 4, 6};
    mesh.influences = {{0, 1.0}, {0, 1.0}, {0, 0.25}, {1, 0.75}, {1, 0.5}, {0, 0.5}};
    MorphTarget wide{"wide", {Vec3(0, 0, 0), Vec3(0.1, 0, 0), Vec3(0, 0, 0), Vec3(0.2, 0, 0)}, {}};
    MorphTarget none{"none", {}, {}};
    mesh.morphs = {wide, none};
    scene.meshes.push_back(mesh);
  }
  scene.meshes.push_back(strip(crate));
  return scene;
}

Track track(int node, TrackPath path, int width, Interpolation interpolation,
            std::vector<double> seconds, std::vector<double> values) {
  Track t;
  t.node = node;
  t.path = path;
  t.width = width;
  t.interpolation = interpolation;
  t.times_s = times(std::move(seconds));
  t.values = std::move(values);
  return t;
}

std::vector<double> quaternions(const std::vector<Vec3>& angles_deg) {
  std::vector<double> values;
  for (const Vec3& angles : angles_deg) {
    const Quat q = fromEuler(angles, EulerOrder::kXyz);
    values.insert(values.end(), {q.x, q.y, q.z, q.w});
  }
  return values;
}

// Every path in every interpolation.
std::vector<KeyframeClip> makeClips() {
  using enum TrackPath;
  using enum Interpolation;
  const std::vector<double> three = {0.0, 0.4, 1.3};
  KeyframeClip linear{"Linear", {}}, step{"Step", {}}, cubic{"Cubic", {}};
  linear.tracks = {track(0, kTranslation, 3, kLinear, three, {0, 0, 0, 1, 2, 3, -1, 0, 1}),
                   track(1, kRotation, 4, kLinear, three,
                         quaternions({Vec3(0, 0, 0), Vec3(100, 50, -120), Vec3(-30, 85, 170)})),
                   track(3, kScale, 3, kLinear, three, {1, 1, 1, 2, 1, 0.5, 1, 3, 1}),
                   track(4, kWeights, 2, kLinear, three, {0, 1, 1, 0, -0.5, 1.5})};
  step.tracks = {track(0, kRotation, 4, kStep, three,
                       quaternions({Vec3(0, 0, 0), Vec3(10, 20, 30), Vec3(-30, 85, 170)})),
                 track(1, kTranslation, 3, kStep, three, {0, 0, 0, 1, 2, 3, -1, 0, 1}),
                 track(4, kWeights, 2, kStep, three, {0, 1, 1, 0, 0.5, 0.75})};
  cubic.tracks = {
      track(1, kTranslation, 3, kCubicSpline, {0.5, 1.0},
            {0, 0, 0, 0, 1, 0, 2, 0, 1, -1, 0, 1, 0, 2, 0, 0, 0, 0}),
      track(3, kRotation, 4, kCubicSpline, {0.5, 1.0},
            {0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0.5, 0, 0, 1, 0, 0, 0.6, 0, 0, 0.8, 0, 0, 0, 0}),
      track(4, kWeights, 2, kCubicSpline, {0.5, 1.0}, {0, 0, 0, 1, 3, 0, 0, 1, 1, 0, 0, 0})};
  return {linear, step, cubic};
}

std::shared_ptr<const PoseSource> sourceOf(const Scene& scene, const KeyframeClip& clip) {
  return keyframeSource(scene.skeleton, clip.tracks);
}

// Nodes, poses at and between keys, and vertices; the clips read start and end where keys do.
void checkSameMotion(const Scene& scene, const std::vector<KeyframeClip>& clips,
                     const SceneBack& back, double pose_tolerance_m) {
  REQUIRE(back.scene.skeleton.size() == scene.skeleton.size());
  for (std::size_t n = 0; n < scene.skeleton.size(); ++n) {
    CHECK(back.scene.skeleton.nodes[n].name == scene.skeleton.nodes[n].name);
    CHECK(back.scene.skeleton.nodes[n].parent == scene.skeleton.nodes[n].parent);
  }
  const Pose rest = restPose(scene.skeleton), rest_back = restPose(back.scene.skeleton);
  CHECK(poseDistance(scene, rest, back.scene, rest_back) < 1e-12);
  CHECK(vertexDistance(scene, rest, back.scene, rest_back) < 1e-6);
  REQUIRE(back.scene.clips.size() == clips.size());
  for (std::size_t c = 0; c < clips.size(); ++c) {
    const Clip& clip = back.scene.clips[c];
    CHECK(clip.name == clips[c].name);
    const auto source = sourceOf(scene, clips[c]);
    double worst_pose = 0.0, worst_vertex = 0.0;
    constexpr int kLooks = 37;
    for (int i = 0; i <= kLooks; ++i) {
      // Not at the instants of steps themselves, where a tick decides.
      const double time = clip.start_s + (clip.end_s - clip.start_s) * (i + 0.013) / (kLooks + 0.1);
      const Pose a = poseAt(scene.skeleton, source.get(), time);
      const Pose b = poseAt(back.scene.skeleton, clip.source.get(), time);
      worst_pose = std::max(worst_pose, poseDistance(scene, a, back.scene, b));
      worst_vertex = std::max(worst_vertex, vertexDistance(scene, a, back.scene, b));
    }
    CAPTURE(clip.name);
    CHECK(worst_pose < pose_tolerance_m);
    CHECK(worst_vertex < 1e-4);
  }
}

template <class Change>
void checkRefused(Change change) {
  Scene scene = makeScene();
  std::vector<KeyframeClip> clips = makeClips();
  change(scene, clips);
  Warnings losses;
  const auto written = writeFbx(scene, clips, {}, losses);
  REQUIRE(!written.ok());
  CHECK(written.error().code == ErrorCode::kMalformed);
}

}  // namespace

TEST_CASE("sampled poses survive a round trip") {
  for (const samples::Sample& sample : samples::makeSamples()) {
    CAPTURE(sample.path);
    const SceneBack back = writeAndRead(sample.scene, sample.clips);
    checkSameMotion(sample.scene, sample.clips, back, 1e-5);
    CHECK(back.scene.warnings.empty());
    CHECK(back.scene.materials.size() == sample.scene.materials.size());
  }
}

TEST_CASE("keys of every kind survive a round trip") {
  const Scene scene = makeScene();
  const std::vector<KeyframeClip> clips = makeClips();
  checkSameMotion(scene, clips, writeAndRead(scene, clips), 5e-5);
}

TEST_CASE("a scene in other units with another up axis is upright in centimetres") {
  Scene scene = makeScene();
  const double inch = 0.0254;
  scene.metric_from_file.linear =
      glm::mat3_cast(rotationAbout(Vec3(1, 0, 0), -90 * kDegree)) * inch;
  scene.metric_from_file.translation = Vec3(0.5, -1, 2);
  const std::vector<KeyframeClip> clips = makeClips();
  const SceneBack back = writeAndRead(scene, clips);
  checkSameMotion(scene, clips, back, 5e-5);
  CHECK(distance(back.scene.metric_from_file.linear[1], Vec3(0, 0.01, 0)) == 0.0);
  // No node has got a scale.
  for (std::size_t n = 0; n < scene.skeleton.size(); ++n) {
    CHECK(back.scene.skeleton.nodes[n].rest.scale == scene.skeleton.nodes[n].rest.scale);
  }
}

TEST_CASE("joints and the nodes between them are limbs") {
  const SceneBack back = writeAndRead(makeScene(), {});
  std::vector<std::string> subtypes;
  for (const io::fbx::Object& object : back.document->objects) {
    if (object.type == "Model") subtypes.push_back(object.subtype);
  }
  CHECK(subtypes ==
        std::vector<std::string>{"Null", "LimbNode", "LimbNode", "LimbNode", "Mesh", "Mesh"});
  Scene bare = makeScene();
  bare.meshes.clear();
  bare.skins.clear();
  for (Node& node : bare.skeleton.nodes) node.weights_count = 0;
  bare.skeleton.rest_weights.clear();
  const SceneBack bare_back = writeAndRead(bare, {});
  for (const io::fbx::Object& object : bare_back.document->objects) {
    if (object.type == "Model") CHECK(object.subtype == "LimbNode");
  }
}

TEST_CASE("a skinned mesh whose node is elsewhere is moved to the joints") {
  Scene scene = makeScene();
  // The skin does not follow this node in glTF, but programs position the mesh by it.
  scene.skeleton.nodes[4].rest = {Vec3(5, 6, 7), fromEuler(Vec3(50, 60, 70), EulerOrder::kXyz),
                                  Vec3(2.0)};
  const SceneBack back = writeAndRead(scene, makeClips());
  checkSameMotion(scene, makeClips(), back, 5e-5);
  const std::vector<Affine> worlds = worldsOf(back.scene, restPose(back.scene.skeleton));
  for (const io::fbx::Object& object : back.document->objects) {
    if (object.subtype != "Cluster") continue;
    const auto link = object.element.child("TransformLink")->numbers();
    REQUIRE(link->size() == 16);
    const std::size_t joint = object.name == "Hip" ? 1 : 3;
    const Vec3 location = Vec3((*link)[12], (*link)[13], (*link)[14]) / 100.0;
    CHECK(distance(location, worlds[joint].translation) < 1e-9);
  }
}

TEST_CASE("vertex and corner attributes survive a round trip at the corners") {
  Scene scene = makeScene();
  scene.materials.resize(3);
  for (std::size_t m = 0; m < 3; ++m) scene.materials[m].name = "M" + std::to_string(m);
  SkinnedMesh& first = scene.meshes[0];
  first.normals = {Vec3(0, 0, 1), Vec3(0, 1, 0), Vec3(1, 0, 0), Vec3(0, -1, 0)};
  first.uvs = {Vec2(0, 0), Vec2(0.25, 0.5), Vec2(1, 2), Vec2(-3, 0.125)};
  first.colors = {Vec4(0, 0.5, 1, 1), Vec4(0.001, 0, 0, 0.5), Vec4(1), Vec4(0.2, 0.3, 0.4, 0)};
  first.material = 2;
  SkinnedMesh& second = scene.meshes[1];
  for (int corner = 0; corner < 6; ++corner) {
    second.corners.normals.push_back(corner % 2 ? Vec3(0, 0, 1) : Vec3(0, 0.6, 0.8));
    second.corners.uvs.push_back(Vec2(0.1 * (corner / 2), 0.7));
  }
  second.triangle_materials = {0, 2};
  const SceneBack back = writeAndRead(scene, {});
  const SkinnedMesh& mesh = back.scene.meshes[0];
  REQUIRE(mesh.triangles.size() == 12);
  REQUIRE(mesh.vertexCount() == 8);
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, {}, worlds);
  for (std::size_t corner = 0; corner < 12; ++corner) {
    const bool is_first = corner < 6;
    const std::size_t c = is_first ? corner : corner - 6;
    const std::uint32_t v = first.triangles[c];
    CHECK(mesh.triangles[corner] == v + (is_first ? 0 : 4));
    // The vertices are bound in world space, but stored in the space of the node.
    CHECK(distance(worlds[4].linear * mesh.corners.normals[corner],
                   is_first ? first.normals[v] : second.corners.normals[c]) < 1e-12);
    const Vec2 uv = is_first ? first.uvs[v] : second.corners.uvs[c];
    CHECK(std::fabs(mesh.corners.uvs[corner].x - uv.x) < 1e-15);
    CHECK(std::fabs(mesh.corners.uvs[corner].y - uv.y) < 1e-15);
    const Vec4 color = is_first ? first.colors[v] : Vec4(1.0);
    for (int i = 0; i < 4; ++i) {
      CHECK(std::fabs(mesh.corners.colors[corner][i] - color[i]) < 1e-12);
    }
  }
  CHECK(mesh.triangle_materials == std::vector<int>{2, 2, 0, 2});
}

TEST_CASE("tangents survive a round trip with their signs and with binormals") {
  Scene scene = makeScene();
  for (SkinnedMesh& mesh : scene.meshes) {
    mesh.normals = {Vec3(0, 0, 1), Vec3(0, 1, 0), Vec3(1, 0, 0), Vec3(0, -1, 0)};
    mesh.tangents = {Vec4(0.6, 0.8, 0, 1), Vec4(0, 0, 1, -1), Vec4(0, 1, 0, -1), Vec4(1, 0, 0, 1)};
  }
  scene.meshes[1].corners.tangents.assign(6, Vec4(0, 0, 0, 1));
  scene.meshes[1].corners.tangents[3] = Vec4(0, 1, 0, -1);
  const SceneBack back = writeAndRead(scene, {});
  CHECK(back.losses.count("tangents") == 0);
  REQUIRE(back.scene.meshes.size() == 2);
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, {}, worlds);
  for (std::size_t corner = 0; corner < 18; ++corner) {
    const std::size_t m = corner / 6, c = corner % 6;
    const SkinnedMesh& mesh = scene.meshes[m];
    const Vec4 wanted =
        m == 1 ? mesh.corners.tangents[c] : mesh.tangents[toSize(mesh.triangles[c])];
    const std::vector<Vec4>& tangents = back.scene.meshes[m / 2].corners.tangents;
    REQUIRE(tangents.size() == (m < 2 ? 12 : 6));
    const Vec4 found = tangents[m < 2 ? corner : c];
    CHECK(found.w == wanted.w);
    // Skinned vertices are bound in world space, but stored in the space of the node.
    const Vec3 along = m < 2 ? worlds[4].linear * Vec3(found) : Vec3(found);
    CHECK(distance(along, Vec3(wanted)) < 1e-12);
  }
}

TEST_CASE("tangents of a mesh with parts that have none are a loss") {
  Scene scene = makeScene();
  for (std::size_t m = 0; m < 2; ++m) scene.meshes[m].normals.assign(4, Vec3(0, 0, 1));
  scene.meshes[0].tangents.assign(4, Vec4(1, 0, 0, 1));
  const SceneBack back = writeAndRead(scene, {});
  CHECK(back.losses.count("tangents") == 1);
  CHECK(back.scene.meshes[0].corners.tangents.empty());
  CHECK(back.scene.meshes[0].corners.normals.size() == 12);
}

TEST_CASE("materials and images survive a round trip") {
  Scene scene = makeScene();
  scene.images = {{"skin.png", "image/png", bytesOf(kPng)},
                  {"skin.png", "image/jpeg", bytesOf(kJpeg)},
                  {"", "image/png", bytesOf(std::string(kPng) + "!")},
                  {"elsewhere", "image/png", {}, "textures/a b.png"}};
  for (const AlphaMode mode : {AlphaMode::kOpaque, AlphaMode::kMask, AlphaMode::kBlend}) {
    Material material;
    material.name = "M" + std::to_string(scene.materials.size());
    material.base_color = Vec4(0.25, 0.5, 0.125,
                               mode == AlphaMode::kOpaque ? 1.0
                               : mode == AlphaMode::kMask ? 0
                                                          : 0.3);
    material.metallic = 0.75;
    material.roughness = 0.35;
    material.emissive = Vec3(0.1, 2.5, 0);
    material.normal_scale = 0.5;
    material.alpha_mode = mode;
    material.alpha_cutoff = 0.4;
    material.double_sided = mode == AlphaMode::kMask;
    material.unlit = mode == AlphaMode::kBlend;
    material.base_color_image = 0;
    material.metallic_roughness_image = 1;
    material.normal_image = 2;
    material.occlusion_image = 1;
    material.emissive_image = 3;
    scene.materials.push_back(material);
  }
  scene.meshes[0].material = 0;
  const SceneBack back = writeAndRead(scene, {});
  REQUIRE(back.scene.materials.size() == 4);  // and one for the triangles that have none
  for (std::size_t m = 0; m < 3; ++m) {
    const Material &a = scene.materials[m], &b = back.scene.materials[m];
    CHECK(b.name == a.name);
    CHECK(b.base_color == a.base_color);
    CHECK(b.metallic == a.metallic);
    CHECK(b.roughness == a.roughness);
    CHECK(b.emissive == a.emissive);
    CHECK(b.normal_scale == a.normal_scale);
    CHECK(b.alpha_mode == a.alpha_mode);
    CHECK(b.alpha_cutoff == a.alpha_cutoff);
    CHECK(b.double_sided == a.double_sided);
    CHECK(b.unlit == a.unlit);
    const auto image = [&](int i) { return back.scene.images.at(toSize(i)); };
    CHECK(image(b.base_color_image).bytes == scene.images[0].bytes);
    CHECK(image(b.metallic_roughness_image).bytes == scene.images[1].bytes);
    CHECK(image(b.normal_image).bytes == scene.images[2].bytes);
    CHECK(b.occlusion_image == b.metallic_roughness_image);
    CHECK(image(b.emissive_image).path == "textures/a b.png");
    CHECK(image(b.metallic_roughness_image).mime_type == "image/jpeg");
  }
  // Readers identify images by file name.
  std::set<std::string> names;
  for (const io::fbx::Object& object : back.document->objects) {
    if (object.type != "Video") continue;
    CHECK(names.insert(object.element.child("RelativeFilename")->text(0).value()).second);
  }
  CHECK(names.size() == 4);
  CHECK(back.losses.count("own_texture_slot") == 3);
  CHECK(back.scene.warnings.count("image_not_found") == 1);
}

TEST_CASE("names of every kind survive a round trip, except zero bytes") {
  Scene scene = makeScene();
  const std::vector<std::string> names = {"Hip", "Hip", "a::b", "", "Ä/\\\"'{}:,;", "Model::x"};
  for (std::size_t n = 0; n < names.size(); ++n) scene.skeleton.nodes[n].name = names[n];
  std::vector<KeyframeClip> clips = makeClips();
  clips[0].name = "";
  clips[1].name = "Take|001::x";
  SceneBack back = writeAndRead(scene, clips);
  for (std::size_t n = 0; n < names.size(); ++n) {
    CHECK(back.scene.skeleton.nodes[n].name == (names[n].empty() ? "#3" : names[n]));
  }
  CHECK(back.scene.clips[0].name == "");
  CHECK(back.scene.clips[1].name == "Take|001::x");
  CHECK(back.losses.empty());
  scene.skeleton.nodes[0].name = std::string("x\0\1Model", 8);
  back = writeAndRead(scene, clips);
  CHECK(back.scene.skeleton.nodes[0].name == "x_\1Model");
  CHECK(back.losses.count("name_with_zero_byte") == 1);
}

TEST_CASE("key times that float rounding moved off their frames are snapped back") {
  const Scene scene = makeScene();
  std::vector<double> seconds;
  std::vector<double> values;
  for (int frame = 0; frame < 300; ++frame) {
    seconds.push_back(static_cast<float>(frame / 30.0));
    values.insert(values.end(), {0.01 * frame, 0.0, 0.0});
  }
  const KeyframeClip clip{"Walk",
                          {track(0, TrackPath::kTranslation, 3, Interpolation::kLinear,
                                 std::move(seconds), std::move(values))}};
  const SceneBack back = writeAndRead(scene, {clip});
  CHECK(back.scene.clips[0].fps == 30.0);
  CHECK(back.scene.clips[0].end_s == 299.0 / 30.0);
}

TEST_CASE("frame rates survive a round trip") {
  const Scene scene = makeScene();
  for (const double fps : {24.0, 25.0, 30.0, 50.0, 60.0, 120.0, 23.976023976, 29.97002997, 12.5}) {
    const SceneBack back = writeAndRead(scene, makeClips(), {.generator = "test", .fps = fps});
    CHECK(std::fabs(back.scene.clips[0].fps - fps) < 1e-6);
  }
}

TEST_CASE("data that FBX cannot store is dropped with a warning") {
  Scene scene = makeScene();
  scene.meshes[0].triangles.clear();
  scene.meshes[1].triangles.clear();
  const SceneBack back = writeAndRead(scene, makeClips());
  CHECK(back.losses.count("mesh_without_triangles") == 2);
  CHECK(back.losses.count("weights_without_mesh") == 3);
  CHECK(back.scene.meshes.size() == 1);
}

TEST_CASE("an empty scene gives a valid file") {
  const SceneBack back = writeAndRead({}, {});
  CHECK(back.scene.skeleton.size() == 0);
  CHECK(back.scene.clips.empty());
}

TEST_CASE("the same input gives the same bytes") {
  CHECK(writeAndRead(makeScene(), makeClips()).bytes ==
        writeAndRead(makeScene(), makeClips()).bytes);
}

TEST_CASE("inconsistent scenes are refused") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  checkRefused([](Scene& s, auto&) { s.skeleton.nodes[1].parent = 3; });
  checkRefused([](Scene& s, auto&) { s.skins[0].joints[0] = 99; });
  checkRefused([](Scene& s, auto&) { s.meshes[0].triangles[0] = 4; });
  checkRefused([](Scene& s, auto&) { s.meshes[0].material = 0; });
  checkRefused([](Scene& s, auto&) { s.meshes[1].morphs.pop_back(); });
  checkRefused([&](Scene& s, auto&) { s.meshes[2].positions[0].x = nan; });
  checkRefused([&](Scene& s, auto&) { s.skeleton.nodes[5].rest.translation.y = 1e300; });
  checkRefused([&](Scene& s, auto&) { s.skins[0].joint_from_bind[0].linear[0][0] = nan; });
  checkRefused([](Scene&, auto& clips) { clips[0].tracks[0].values.pop_back(); });
  checkRefused([](Scene&, auto& clips) { clips[0].tracks[0].node = -1; });
  checkRefused([&](Scene&, auto& clips) { clips[2].tracks[1].values[5] = nan; });
  checkRefused([](Scene&, auto& clips) { clips[0].tracks[0].times_s = times({0, 1, 1e12}); });
}

TEST_SUITE_END();
