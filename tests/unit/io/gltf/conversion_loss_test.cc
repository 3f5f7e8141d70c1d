// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/conversion_loss.h"

#include "checks.h"
#include "io/gltf/read.h"
#include "io/gltf/tiny_gltf.h"

TEST_SUITE_BEGIN("gltf.conversion_loss");

namespace {

using namespace clipmill;
using namespace clipmill::test;

// The losses of a document with those members, as "code=count@first" in their order.
std::string lossesOf(const std::string& members) {
  const auto document = documentOf(textBytes("{\"asset\":{\"version\":\"2.0\"}" + members + "}"));
  std::string text;
  const Warnings losses = io::gltf::conversionLossOf(*document);
  for (const Warning& warning : losses.all()) {
    text += (text.empty() ? "" : " ") + warning.code + "=" + std::to_string(warning.count) + "@" +
            warning.first;
  }
  return text;
}

std::string meshed(const std::string& primitive) {
  return R"(,"nodes":[{"mesh":0}],"meshes":[{"primitives":[)" + primitive + "]}]";
}

}  // namespace

TEST_CASE("A document that a Scene stores completely has no conversion loss") {
  CHECK(io::gltf::conversionLossOf(*documentOf(skinnedGltf().glb())).empty());
  CHECK(io::gltf::conversionLossOf(*documentOf(wavingGltf().glb())).empty());
  CHECK(lossesOf(R"(,"extensionsUsed":["KHR_materials_unlit"],"materials":[{"extensions":)"
                 R"({"KHR_materials_unlit":{},"KHR_materials_emissive_strength":{}}}])")
            .empty());
  CHECK(lossesOf(meshed(R"({"attributes":{"POSITION":0,"NORMAL":0,"TEXCOORD_0":0,"COLOR_0":0,)"
                        R"("JOINTS_0":0,"WEIGHTS_0":0,"JOINTS_1":0,"WEIGHTS_1":0},"mode":5})"))
            .empty());
}

TEST_CASE("Unused cameras and lights, scenes and the copyright notice are reported") {
  CHECK(lossesOf(R"(,"cameras":[{},{}])") == "camera=2@cameras[0]");
  CHECK(lossesOf(R"(,"cameras":[{},{}],"nodes":[{"camera":0}])") == "camera=1@cameras[1]");
  CHECK(lossesOf(R"(,"scenes":[{},{}])") == "scenes=1@scenes");
  CHECK(lossesOf(R"(,"extensions":{"KHR_lights_punctual":{"lights":[{},{},{}]}},)"
                 R"("nodes":[{"extensions":{"KHR_lights_punctual":{"light":0}}}])") ==
        "light=2@lights[1]");
  const auto document =
      documentOf(textBytes(R"({"asset":{"version":"2.0","copyright":"A. Body"}})"));
  CHECK(io::gltf::conversionLossOf(*document).count("copyright") == 1);
}

TEST_CASE("Extras are counted, except names of morph targets and plain ones of nodes") {
  CHECK(lossesOf(R"(,"nodes":[{},{"extras":{"hp":3,"a":[1,2,3],"b":"","c":true}}],"meshes":[])")
            .empty());
  CHECK(lossesOf(R"(,"nodes":[{"extras":{"a":[1,2],"b":null,"Show":1}},{"extras":7}])") ==
        "extras=4@nodes[0].extras.Show");
  CHECK(lossesOf(R"(,"nodes":[{"mesh":0,"extras":{}}],)"
                 R"("meshes":[{"extras":{"targetNames":["a"]}}])")
            .empty());
  CHECK(lossesOf(R"(,"nodes":[{"mesh":0}],"meshes":[{"extras":{"targetNames":["a"],"b":1}}])") ==
        "extras=1@meshes[0].extras");
}

TEST_CASE("Extensions that are not read are reported by family") {
  CHECK(lossesOf(R"(,"extensions":{"VRM":{"extras":{"a":1}}})") ==
        "vrm_extension=1@extensions.VRM");
  CHECK(lossesOf(R"(,"materials":[{"extensions":{"VRMC_materials_mtoon":{}}}])") ==
        "vrm_extension=1@materials[0].extensions.VRMC_materials_mtoon");
  CHECK(lossesOf(R"(,"materials":[{"extensions":{"KHR_materials_sheen":{}}}])") ==
        "material_extension=1@materials[0].extensions.KHR_materials_sheen");
  CHECK(lossesOf(R"(,"nodes":[{"extensions":{"EXT_mesh_gpu_instancing":{}}}])") ==
        "other_extension=1@nodes[0].extensions.EXT_mesh_gpu_instancing");
}

TEST_CASE("Conversion loss of meshes") {
  CHECK(lossesOf(meshed(R"({"attributes":{"TEXCOORD_1":0,"COLOR_1":0}})")).empty());
  CHECK(lossesOf(meshed(R"({"attributes":{"TANGENT":0,"NORMAL":0}})")).empty());
  CHECK(lossesOf(meshed(R"({"attributes":{"TANGENT":0}})")) ==
        "tangents=1@meshes[0].primitives[0].attributes.TANGENT");
  CHECK(lossesOf(meshed(R"({"attributes":{"_HEAT":0}})")) ==
        "custom_attribute=1@meshes[0].primitives[0].attributes._HEAT");
  CHECK(lossesOf(meshed(R"({"attributes":{},"targets":[{"POSITION":0,"TANGENT":0}]})")) ==
        "morph_attribute=1@meshes[0].primitives[0].targets[0].TANGENT");
  CHECK(lossesOf(meshed(R"({"attributes":{},"mode":1})")) ==
        "lines_and_points=1@meshes[0].primitives[0]");
  CHECK(lossesOf(R"(,"meshes":[{},{}],"nodes":[{"mesh":1}])") == "mesh_without_node=1@meshes[0]");
}

TEST_CASE("Conversion loss of textures") {
  const auto textured = [](const std::string& more) {
    return R"(,"materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0)" + more +
           "}}}]";
  };
  CHECK(lossesOf(textured(R"(,"texCoord":0)")).empty());
  CHECK(lossesOf(textured(R"(,"texCoord":1)")) ==
        "texture_uv_set=1@materials[0].pbrMetallicRoughness.baseColorTexture.texCoord");
  CHECK(lossesOf(textured(R"(,"extensions":{"KHR_texture_transform":{"scale":[1,1]}})")).empty());
  CHECK(lossesOf(textured(R"(,"extensions":{"KHR_texture_transform":{"offset":[0,1]}})")) ==
        "texture_transform=1@materials[0].pbrMetallicRoughness.baseColorTexture.extensions."
        "KHR_texture_transform");
  CHECK(lossesOf(R"(,"materials":[{"occlusionTexture":{"index":0,"strength":0.5}}])") ==
        "occlusion_strength=1@materials[0].occlusionTexture.strength");
  const std::string textures = R"(,"textures":[{"sampler":0},{"sampler":1},{}],"samplers":)";
  CHECK(lossesOf(textures + R"([{"magFilter":9729,"minFilter":9987,"wrapS":10497},{}])").empty());
  CHECK(lossesOf(textures + R"([{"wrapT":33071},{"magFilter":9728}])") ==
        "texture_sampler=2@textures[0]");
  CHECK(lossesOf(R"(,"textures":[{"source":0,"extensions":{"EXT_texture_webp":{"source":1}}}])") ==
        "texture_alternative=1@textures[0].extensions.EXT_texture_webp");
}

TEST_CASE("Members of a wrong type are ignored") {
  CHECK(lossesOf(R"(,"cameras":7,"scenes":{},"materials":{"a":1},"textures":[3,[]],"samplers":"x",)"
                 R"("meshes":[{"primitives":[4,{"attributes":[],"targets":[1]}]}],)"
                 R"("nodes":[{"mesh":0,"extensions":3}],"extensions":[])")
            .empty());
}

TEST_CASE("Reading alone does not warn of what a Scene cannot store") {
  const auto document = documentOf(
      textBytes(R"({"asset":{"version":"2.0"},"cameras":[{}],"nodes":[{"extras":{"a":1}}]})"));
  CHECK(io::gltf::readScene(*document, true, {})->warnings.empty());
}
