// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "make_samples/samples.h"

#include <utility>

#include "io/fbx/write.h"
#include "io/gltf/write.h"
#include "make_samples/accessories.h"
#include "make_samples/body_mesh.h"
#include "make_samples/gait.h"
#include "make_samples/gestures.h"
#include "make_samples/leap.h"

namespace clipmill::samples {
namespace {

Material materialOf(Cloth cloth) {
  struct Color {
    const char* name;
    Vec3 linear;
    double roughness;
  };
  constexpr double kCloth = 0.85;
  static const Color kColors[kClothCount] = {
      {"Skin", Vec3(0.70, 0.42, 0.29), 0.6},        {"Shirt", Vec3(0.10, 0.30, 0.62), kCloth},
      {"Trousers", Vec3(0.12, 0.13, 0.17), kCloth}, {"Shoes", Vec3(0.22, 0.10, 0.05), 0.5},
      {"Hair", Vec3(0.30, 0.12, 0.03), 0.5},        {"Eyes", Vec3(0.02, 0.02, 0.03), 0.2},
      {"Skirt", Vec3(0.62, 0.10, 0.14), kCloth},    {"Tail", Vec3(0.80, 0.40, 0.08), kCloth},
      {"Whip", Vec3(0.10, 0.45, 0.18), 0.5}};
  const Color& color = kColors[static_cast<int>(cloth)];
  Material material;
  material.name = color.name;
  material.base_color = Vec4(color.linear, 1.0);
  material.metallic = 0.0;
  material.roughness = color.roughness;
  return material;
}

// All joints, each with the inverse of where it is at rest.
Skin skinOf(const Rig& rig) {
  Skin skin;
  skin.name = "Body";
  const int joint_count = static_cast<int>(rig.skeleton().size()) - 1;  // the last node is the mesh
  for (int joint = 0; joint < joint_count; ++joint) {
    skin.joints.push_back(joint);
    skin.joint_from_bind.push_back(inverse(rig.worldAtRest(joint)));
  }
  return skin;
}

// Keeps only the materials that a mesh has.
void assignMaterials(Scene& scene) {
  for (SkinnedMesh& mesh : scene.meshes) {
    scene.materials.push_back(materialOf(static_cast<Cloth>(mesh.material)));
    mesh.material = static_cast<int>(scene.materials.size()) - 1;
  }
}

Sample dynamicBonesSample() {
  const Rig rig = makeRig(Accessories::kAll);
  return {"dynamic-bones/humanoid.glb",
          makeHumanoid(rig, {}, Accessories::kAll),
          {gaitClip(rig, "Walk", walkGait(), Travel::kInPlace),
           gaitClip(rig, "WalkForward", walkGait(), Travel::kRoot),
           gaitClip(rig, "Run", runGait(), Travel::kInPlace), idleClip(rig)}};
}

Sample bareSample(std::string path, const BodyShape& shape, const Rig& rig,
                  std::vector<KeyframeClip> clips) {
  return {std::move(path), makeHumanoid(rig, shape, Accessories::kNone), std::move(clips)};
}

bool isFbx(const Sample& sample) { return sample.path.ends_with(".fbx"); }

// The same character and clips in the format that modelling programs exchange.
Sample asFbx(Sample sample) {
  sample.path.replace(sample.path.rfind('.'), std::string::npos, ".fbx");
  return sample;
}

// FBX has no property for metalness and roughness; it holds all else of a sample.
Result<Bytes> fbxOf(const Sample& sample) {
  Warnings dropped;
  CLIPMILL_TRY(Bytes bytes, io::fbx::writeFbx(sample.scene, sample.clips, {}, dropped));
  for (const Warning& warning : dropped.all()) {
    if (warning.code == "surface_as_phong") continue;
    return Error{ErrorCode::kInternal, sample.path, warning.text, ""};
  }
  return bytes;
}

}  // namespace

Rig makeRig(Accessories accessories) {
  Rig rig = makeBodyRig();
  if (accessories == Accessories::kAll) addAccessoryJoints(rig);
  rig.addMeshNode("Body");
  return rig;
}

Scene makeHumanoid(const Rig& rig, const BodyShape& shape, Accessories accessories) {
  Scene scene;
  scene.skeleton = rig.skeleton();
  scene.skins = {skinOf(rig)};
  SurfaceSet surfaces;
  addBody(rig, shape, surfaces);
  if (accessories == Accessories::kAll) addAccessorySurfaces(rig, surfaces);
  scene.meshes = surfaces.meshes(rig.at("Body"));
  assignMaterials(scene);
  return scene;
}

BodyShape fatShape() { return {1.0, 1.35}; }

std::vector<Sample> makeSamples() {
  const Rig rig = makeRig(Accessories::kNone);
  const BodyShape lean;
  std::vector<Sample> samples;
  samples.push_back(dynamicBonesSample());
  samples.push_back(asFbx(samples.back()));
  samples.push_back(bareSample("stretch/humanoid.glb", lean, rig, {leapClip(rig), lungeClip(rig)}));
  samples.push_back(asFbx(samples.back()));
  samples.push_back(
      bareSample("self-collision/humanoid_fat.glb", fatShape(), rig,
                 {armsThroughBellyClip(rig), handsOnHipsClip(rig), legsCrossingClip(rig)}));
  samples.push_back(
      bareSample("tet-bake/humanoid.glb", lean, rig, {elbowBendClip(rig), forearmTwistClip(rig)}));
  return samples;
}

Result<Bytes> fileOf(const Sample& sample) {
  return isFbx(sample) ? fbxOf(sample) : io::gltf::writeGlb(sample.scene, sample.clips);
}

}  // namespace clipmill::samples
