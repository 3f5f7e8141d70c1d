// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// New joints, weights, morphs and keys at once, through all formats.
#include "anim/clip.h"
#include "checks.h"
#include "core/to_size.h"
#include "io/gltf/tiny_gltf.h"
#include "io/io.h"
#include "posed_vertices.h"
#include "temporary_folder.h"

TEST_SUITE_BEGIN("io.added_joints");

using namespace clipmill;
using namespace clipmill::io;
using namespace clipmill::test;

namespace {

// Nodes by their names: formats order them as they like.
int nodeCalled(const Scene& scene, const std::string& name) {
  const auto nodes = findNodes(scene.skeleton, name);
  REQUIRE(nodes.size() == 1);
  return nodes.front();
}

Asset loaded(const std::filesystem::path& path) {
  auto asset = load(path, {true, {}});
  CHECK_OK(asset);
  REQUIRE(asset->scene.meshes.size() == 1);
  return std::move(*asset);
}

// "Helper" on B and "Last" on it, a morph, and weights of both joints, in the units of the file.
Additions addedTo(const Scene& scene, double unit) {
  const int a = nodeCalled(scene, "A"), b = nodeCalled(scene, "B");
  const int body = nodeCalled(scene, "Body");
  const int helper = static_cast<int>(scene.skeleton.size()), last = helper + 1;
  const Quat rotation = rotationAbout(Vec3(0, 1, 0), 0.5);
  Additions additions;
  additions.joints = {{"Helper", b, {Vec3(0, unit, 0), kIdentityRotation, Vec3(1.0)}},
                      {"Last", helper, {Vec3(0, 0, unit), rotation, Vec3(1.0)}}};
  AddedWeights weights;
  weights.node = body;
  weights.influence_start = {0, 1, 3, 7};
  weights.influences = {{last, 1.0}, {b, 0.75},     {helper, 0.25}, {a, 0.125},
                        {b, 0.25},   {helper, 0.5}, {last, 0.125}};
  weights.joints = {helper, last};
  // Their rest positions; the skin may be bound elsewhere.
  const Skin& skin = scene.skins.at(toSize(scene.meshes[0].skin));
  std::vector<Affine> worlds;
  const Skeleton wide = withAdditions(scene.skeleton, additions);
  computeWorlds(wide, restPose(wide).locals, {}, worlds);
  const Affine world_from_bind = worlds[toSize(skin.joints[0])] * skin.joint_from_bind[0];
  for (const int joint : weights.joints) {
    weights.joint_from_bind.push_back(inverse(worlds[toSize(joint)]) * world_from_bind);
  }
  additions.weights = {weights};
  additions.morphs = {{body, "dent", {Vec3(0), Vec3(0, 0, unit), Vec3(unit, 0, 0)}}};
  return additions;
}

// Keys of the new joints and the new morph at 0, 1 and 2 seconds.
ClipEdit keysFor(const Scene& scene, double unit) {
  const auto times =
      std::make_shared<const std::vector<double>>(std::vector<double>{0.0, 1.0, 2.0});
  const int helper = static_cast<int>(scene.skeleton.size());
  const auto linear = [&](int node, TrackPath path, int width, std::vector<double> values) {
    return Track{node, path, Interpolation::kLinear, width, times, std::move(values)};
  };
  const Quat rotated = rotationAbout(Vec3(1, 0, 0), 0.75), more = rotationAbout(Vec3(0, 0, 1), 1.0);
  ClipEdit keys;
  keys.tracks = {
      linear(helper, TrackPath::kTranslation, 3, {0, unit, 0, 0, 2 * unit, 0, unit, unit, 0}),
      linear(
          helper + 1, TrackPath::kRotation, 4,
          {0, 0, 0, 1, rotated.x, rotated.y, rotated.z, rotated.w, more.x, more.y, more.z, more.w}),
      linear(nodeCalled(scene, "Body"), TrackPath::kWeights, 2, {0, 0, 0.5, 1, 0.25, 0.5})};
  return keys;
}

std::vector<Vec3> verticesAt(const Scene& scene, double time_s) {
  Pose pose = restPose(scene.skeleton);
  scene.clips.at(0).source->cursor()->sample(time_s, pose.view());
  return posedVertices(scene, scene.meshes.at(0), pose);
}

// The scene with what save() is to write.
Scene edited(const Scene& scene, const Additions& additions, const ClipEdit& keys) {
  Scene result = withAdditions(scene, additions);
  result.clips.at(0).source = keyframeSource(result.skeleton, keys.tracks);
  return result;
}

// Saves `from` with all that under `to`, and compares what is read back.
void checkSaved(const std::filesystem::path& from, const std::filesystem::path& to,
                double tolerance_m) {
  CAPTURE(to.string());
  const Asset before = loaded(from);
  const double unit = 1.0 / before.scene.metric_from_file.linear[0][0];
  const Additions additions = addedTo(before.scene, unit);
  CHECK_OK(checkAdditions(before.scene, additions));
  const ClipEdit keys = keysFor(before.scene, unit);
  const auto saved = save(before, std::span(&keys, 1), to, {}, additions);
  CHECK_OK(saved);
  const Asset after = loaded(to);
  CHECK(after.scene.skeleton.size() == before.scene.skeleton.size() + 2);
  const Scene wanted = edited(before.scene, additions, keys);
  for (const double time : {0.0, 1.0, 2.0}) {
    checkSamePositions(verticesAt(after.scene, time), verticesAt(wanted, time), tolerance_m);
  }
}

}  // namespace

TEST_CASE("Added joints and weights survive a round trip through every format") {
  const TemporaryFolder folder;
  const auto glb = folder.write("a.glb", skinnedGltf().glb());
  checkSaved(glb, folder / "b.glb", 1e-5);
  checkSaved(folder.write("a.gltf", skinnedGltf().text()), folder / "b.gltf", 1e-5);
  checkSaved(glb, folder / "c.gltf", 1e-5);
  checkSaved(glb, folder / "converted.fbx", 1e-4);
  CHECK_OK(save(loaded(glb), {}, folder / "plain.fbx"));
  checkSaved(folder / "plain.fbx", folder / "in_place.fbx", 1e-5);
  checkSaved(folder / "plain.fbx", folder / "back.glb", 1e-4);
}

TEST_CASE("Added joints and weights without keys do not change the clips") {
  const TemporaryFolder folder;
  const Asset before = loaded(folder.write("a.glb", skinnedGltf().glb()));
  Additions additions = addedTo(before.scene, 1.0);
  additions.morphs.clear();
  CHECK_OK(save(before, {}, folder / "b.glb", {}, additions));
  const Asset after = loaded(folder / "b.glb");
  const Scene wanted = withAdditions(before.scene, additions);
  for (const double time : {0.0, 0.25, 1.5}) {
    checkSamePositions(verticesAt(after.scene, time), verticesAt(wanted, time), 1e-6);
  }
}
