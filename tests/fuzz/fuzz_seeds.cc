// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Writes the small files that fuzzing starts from: fuzz_seeds TARGET FOLDER
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>

#include "io/arrays/array_file.h"
#include "io/bvh/read.h"
#include "io/bvh/tiny_bvh.h"
#include "io/fbx/fbx_text.h"
#include "io/fbx/tiny_fbx.h"
#include "io/gltf/tiny_gltf.h"
#include "io/imported/full_scene.h"
#include "io/imported/import_message.h"
#include "mesh/tet_motion.h"
#include "pipeline/recipe.h"
#include "stages/registry.h"
#include "stages/tet_bake/tiny_tets.h"

namespace {

using namespace clipmill;
using namespace clipmill::io::imported;
using namespace clipmill::pipeline;
using namespace clipmill::stages;
using namespace clipmill::test;

bool write(const std::filesystem::path& path, const Bytes& bytes) {
  const Status written = writeFileAtomically(path, bytes);
  if (!written) std::fprintf(stderr, "%s\n", describe(written.error()).c_str());
  return written.ok();
}

// A sparse accessor over nothing, and a matrix node.
TinyGltf oddGltf() {
  TinyGltf gltf;
  const int indices = gltf.addView(rawBytes<std::uint16_t>({1}));
  const int values = gltf.addView(rawBytes<float>({0, 0, 1, 0}));
  const int times = gltf.addFloats({0.0f, 0.25f, 1.0f}, "SCALAR");
  const int rotations = gltf.addAccessor(
      -1, 3, 5126, "VEC4",
      ",\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":" + std::to_string(indices) +
          ",\"componentType\":5123},\"values\":{\"bufferView\":" + std::to_string(values) + "}}");
  gltf.members =
      ",\"nodes\":[{\"matrix\":[2,0,0,0,0,2,0,0,0,0,2,0,1,2,3,1]}],\"animations\":[{"
      "\"samplers\":[{\"input\":" +
      std::to_string(times) + ",\"output\":" + std::to_string(rotations) +
      "}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,"
      "\"path\":\"rotation\"}}]}]";
  return gltf;
}

// Springs and roles of both generations of VRM, and settings in extras.
TinyGltf springGltf(const std::string& extensions) {
  TinyGltf gltf;
  gltf.members =
      R"(,"nodes":[{"name":"A","children":[1,4]},{"name":"B","translation":[0,1,0],)"
      R"("children":[2]},{"name":"C","translation":[0,1,0],"children":[3]},)"
      R"({"name":"D","translation":[0,1,0]},{"name":"E","translation":[1,0,0],)"
      R"("extras":{"dynbone":{"frequency_hz":3,"stop":["A","B"],"mass":[[0,1],[1,2]]}}}],)"
      R"("extensions":{)" +
      extensions + "}";
  return gltf;
}

constexpr const char* kVrm1 =
    R"("VRMC_vrm":{"humanoid":{"humanBones":{"hips":{"node":0}}}},"VRMC_springBone":{)"
    R"("colliders":[{"node":0,"shape":{"sphere":{"offset":[0,1,0],"radius":0.5}},"extensions":{)"
    R"("VRMC_springBone_extended_collider":{"shape":{"plane":{"offset":[0,0,0],)"
    R"("normal":[0,1,0]}}}}},)"
    R"({"node":4,"shape":{"capsule":{"offset":[0,1,0],"tail":[0,2,0],"radius":0.5}}}],)"
    R"("colliderGroups":[{"colliders":[0,1]}],"springs":[{"joints":[{"node":1,"hitRadius":0.1,)"
    R"("stiffness":2,"gravityPower":1,"gravityDir":[0,-1,0],"dragForce":0.4,"extensions":{)"
    R"("VRMC_springBone_limit":{"limit":{"cone":{"angle":1,"rotation":[0,0,0,1]}}}}},{"node":2},)"
    R"({"node":3}],"colliderGroups":[0],"center":0}]})";

constexpr const char* kVrm0 =
    R"("VRM":{"humanoid":{"humanBones":[{"bone":"hips","node":0}]},"secondaryAnimation":{)"
    R"("boneGroups":[{"bones":[1],"center":-1,"colliderGroups":[0],"dragForce":0.4,"gravityDir":)"
    R"({"x":0,"y":-1,"z":0},"gravityPower":1,"hitRadius":0.02,"stiffiness":2.5}],)"
    R"("colliderGroups":[{"node":0,"colliders":[{"radius":0.1,"offset":{"x":0,"y":1,"z":2}}]}]}})";

// Two cameras, three lights, two materials and two images, of which one is not there.
TinyGltf viewedGltf() {
  TinyGltf gltf;
  gltf.members =
      R"(,"nodes":[{"camera":0,"children":[1,2]},{"camera":1,"extensions":{)"
      R"("KHR_lights_punctual":{"light":0}}},{"extensions":{"KHR_lights_punctual":{"light":2}}}],)"
      R"("cameras":[{"type":"perspective","perspective":{"yfov":0.8,"znear":0.1,"zfar":50,)"
      R"("aspectRatio":1.5},"name":"Near"},{"type":"orthographic","orthographic":{"xmag":2,)"
      R"("ymag":1,"znear":0,"zfar":9}}],"extensions":{"KHR_lights_punctual":{"lights":[)"
      R"({"type":"spot","spot":{"innerConeAngle":0.1,"outerConeAngle":0.5},"range":9},)"
      R"({"type":"point","intensity":2,"color":[1,0,0.5]},{"type":"directional"}]}},)"
      R"("materials":[{"name":"Cloth","doubleSided":true,"alphaMode":"MASK","alphaCutoff":0.3,)"
      R"("emissiveFactor":[1,0,0],"pbrMetallicRoughness":{"baseColorFactor":[1,1,1,0.5],)"
      R"("metallicFactor":0.1,"baseColorTexture":{"index":0,"texCoord":1}},"normalTexture":{)"
      R"("index":0,"scale":0.5},"occlusionTexture":{"index":0,"strength":0.5}},{"extensions":{)"
      R"("KHR_materials_unlit":{}}}],"textures":[{"source":0,"sampler":0}],"samplers":[{)"
      R"("wrapS":33071,"magFilter":9728}],"images":[{)"
      R"("uri":"data:image/png;base64,iVBORw0KGgo="},{"uri":"none.png"}])";
  return gltf;
}

bool writeGltfSeeds(const std::filesystem::path& folder) {
  bool ok = write(folder / "vrm1.gltf", springGltf(kVrm1).text()) &&
            write(folder / "vrm0.gltf", springGltf(kVrm0).text());
  int number = 0;
  for (const TinyGltf& gltf : {wavingGltf(), skinnedGltf(), oddGltf(), viewedGltf()}) {
    const std::string name = "tiny" + std::to_string(number++);
    ok = write(folder / (name + ".glb"), gltf.glb()) && ok;
    ok = write(folder / (name + ".gltf"), gltf.text()) && ok;
  }
  return ok;
}

bool writeRecipeSeeds(const std::filesystem::path& folder) {
  Recipe recipe;
  for (const StageType& type : stageTypes()) {
    RecipeStage stage{&type, type.make_settings()};
    for (const SettingList& list : type.settings->lists) list.append(stage.settings.get());
    recipe.stages.push_back(std::move(stage));
  }
  return write(folder / "all.toml", textBytes(recipeToml(recipe, true))) &&
         write(folder / "empty.json", textBytes("{\"output\":{\"keys\":\"all\"},\"stage\":[]}"));
}

bool writeFbxTreeSeeds(const std::filesystem::path& folder) {
  bool ok = true;
  for (const int version : {5800, 6100, 7400, 7500}) {
    const std::string name = "tiny" + std::to_string(version);
    ok = write(folder / (name + ".fbx"), tinyScene(version).bytes) && ok;
    ok = write(folder / (name + "_big.fbx"), tinyScene(version, true).bytes) && ok;
    ok = write(folder / (name + "_text.fbx"), textBytes(tinyText(version))) && ok;
  }
  return write(folder / "lines.fbx", textBytes(tinyText(7400, "\r\n"))) && ok;
}

// A skinned, morphed and animated arm in both encodings of each generation.
bool writeFbxSeeds(const std::filesystem::path& folder) {
  FbxText arm = threeJoints().stack(100, "One").layer(110, 100).layer(120, 100);
  arm.stack(200, "Two").layer(210, 200, FbxText::property("Weight", "50"));
  arm.curveNode(300, 110, 2, "Lcl Rotation").curve(301, {0, 90, 30}, 300).connect(300, 210);
  arm.curveNode(310, 120, 2, "Lcl Translation").curve(311, {1, 2}, 310, "d|Y");
  arm.curveNode(320, 110, 420, "DeformPercent").curve(321, {0, 100}, 320, "d|DeformPercent");
  arm.object(
      "Geometry", 400, "Geometry::G", "Mesh", "",
      "Vertices: *12 { a: 0,0,0,1,0,0,1,1,0,0,1,0 }\nPolygonVertexIndex: *4 { a: 0,1,2,-4 }\n");
  arm.object("Deformer", 410, "Deformer::B", "BlendShape", "");
  arm.object("Deformer", 420, "SubDeformer::C", "BlendShapeChannel",
             FbxText::property("DeformPercent", "0"), "FullWeights: *1 { a: 100 }\n");
  arm.object("Geometry", 430, "Geometry::S", "Shape", "",
             "Indexes: *1 { a: 0 }\nVertices: *3 { a: 0,0,1 }\n");
  arm.object("Deformer", 500, "Deformer::K", "Skin", "");
  arm.object("Deformer", 510, "SubDeformer::L", "Cluster", "",
             "Indexes: *2 { a: 0,1 }\nWeights: *2 { a: 1,0.5 }\n"
             "TransformLink: *16 { a: 1,0,0,0,0,1,0,0,0,0,1,0,0,10,0,1 }\n");
  arm.connect(400, 2).connect(410, 400).connect(420, 410).connect(430, 420);
  arm.connect(500, 400).connect(510, 500).connect(2, 510);
  arm.definitions = "Definitions: {\nCount: 1\nObjectType: \"Model\" {\nCount: 3\n}\n}\n";
  return write(folder / "arm.fbx", textBytes(arm.text())) &&
         write(folder / "takes.fbx", textBytes(kTakeFile)) && writeFbxTreeSeeds(folder);
}

bool writeBvhSeeds(const std::filesystem::path& folder) {
  return write(folder / "tiny.bvh", textBytes(tinyBvh()));
}

bool writeArraySeeds(const std::filesystem::path& folder) {
  using namespace clipmill::io::arrays;
  const std::vector<double> poses(2 * 66, 0.1), points(2 * 22 * 3, 0.2), trans(6, 0.3);
  const std::vector<std::pair<std::string, Array>> body = {{"poses", floatArray({2, 66}, poses)},
                                                           {"trans", doubleArray({2, 3}, trans)}};
  const auto npz = writeNpz(body);
  return npz.ok() && write(folder / "body.npz", *npz) &&
         write(folder / "points.npy", writeNpy(floatArray({2, 22, 3}, points)));
}

// With a clock and with seconds; eleven shapes each.
bool writeFaceCsvSeeds(const std::filesystem::path& folder) {
  const std::string shapes =
      "EyeBlinkLeft,JawOpen,MouthSmileLeft,MouthSmileRight,CheekPuff,BrowInnerUp,BrowDownLeft,"
      "BrowDownRight,TongueOut,MouthPucker,JawForward";
  const std::string weights = "0.1,0.2,0.3,0,0,0,0,0,0,0,1";
  const std::string clock = "Timecode,BlendShapeCount," + shapes + ",HeadYaw\r\n" +
                            "01:00:59:59.500,61," + weights + ",0.1\r\n" + "01:01:00:00.500,61," +
                            weights + ",0\r\n";
  const std::string seconds = "time_s," + shapes + "\n0.0," + weights + "\n0.5," + weights + "\n";
  return write(folder / "clock.csv", textBytes(clock)) &&
         write(folder / "seconds.csv", textBytes(seconds));
}

bool writeImportMessageSeeds(const std::filesystem::path& folder) {
  return write(folder / "full.bin", io::imported::writeImportMessage(fullScene())) &&
         write(folder / "bvh.bin",
               io::imported::writeImportMessage(io::bvh::readBvh(tinyBvh(), "clip", {}).value())) &&
         write(folder / "error.bin",
               io::imported::writeImportMessage(Error{ErrorCode::kLimit, "a", "b", "c"}));
}

bool writeTetSeeds(const std::filesystem::path& folder) {
  return write(folder / "tetgen.txt", textBytes(tinyTetGen())) &&
         write(folder / "gmsh2.msh", textBytes(kTinyGmsh2)) &&
         write(folder / "gmsh4.msh", textBytes(kTinyGmsh4));
}

bool writeTetMotionSeeds(const std::filesystem::path& folder) {
  TetMotion motion{"Run", 0.0, 1.0, 1.0, {}, {{0, 1, 2, 3}}, {0}};
  motion.rest = {Vec3(0.0), Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)};
  const std::vector<std::vector<float>> frames(2, std::vector<float>(12, 0.5f));
  const auto file = tetMotionFile(motion, frames);
  return file.ok() && write(folder / "one.tets", *file);
}

bool writeBatchPageSeeds(const std::filesystem::path& folder) {
  return write(
      folder / "two.json",
      textBytes(
          R"({"version":"1","done":1,"failed":1,"skipped":0,"run":{"from_record":0,"out_dir":"o",)"
          R"("peak_mb":1.5,"jobs":[{"name":"a","ms":5,"peak_mb":2.5}]},"jobs":[{"name":"a",)"
          R"("input":"i","status":"done","clips":1,"warnings":1,"outputs":["a"],"input_bytes":1,)"
          R"("output_bytes":2,"outcomes":{"warnings":[],"clips":[{"clip":"Run","output":"a",)"
          R"("fps":30.0,"frames":3,"keys":{"before":9,"after":4,"worst_error_mm":0.1},"warnings":)"
          R"([{"code":"c","text":"t","count":2,"first":"f"}],"stages":[{"type":"loop","metrics":)"
          R"({"before":{"s_mm":8.0},"after":{"s_mm":1.5}},"series":[{"name":"s_mm","low":0.0,)"
          R"("high":2.0,"levels":"0f0"}]}]}]}},{"name":"b","status":"failed","error":{"code":)"
          R"("limit","location":"p","message":"m","remedy":"r"}}]})"));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: fuzz_seeds TARGET FOLDER\n");
    return 2;
  }
  std::filesystem::create_directories(argv[2]);
  const std::string target = argv[1];
  using Writer = bool (*)(const std::filesystem::path&);
  const std::map<std::string, Writer> writers = {{"gltf", writeGltfSeeds},
                                                 {"fbx_tree", writeFbxTreeSeeds},
                                                 {"fbx", writeFbxSeeds},
                                                 {"bvh", writeBvhSeeds},
                                                 {"arrays", writeArraySeeds},
                                                 {"face_csv", writeFaceCsvSeeds},
                                                 {"import_message", writeImportMessageSeeds},
                                                 {"tets", writeTetSeeds},
                                                 {"recipe", writeRecipeSeeds},
                                                 {"tet_motion", writeTetMotionSeeds},
                                                 {"batch_page", writeBatchPageSeeds}};
  const auto writer = writers.find(target);
  const bool ok = writer != writers.end() && writer->second(argv[2]);
  return ok ? 0 : 1;
}
