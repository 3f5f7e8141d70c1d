// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/read.h"

#include <algorithm>
#include <iterator>

#include <nlohmann/json.hpp>

#include "io/gltf/json_fields.h"
#include "io/gltf/read_parts.h"
#include "io/gltf/vrm.h"

namespace clipmill::io::gltf {
namespace {

// Extensions that change what we read, and that we know how to read or to leave alone.
constexpr const char* kKnownExtensions[] = {"EXT_meshopt_compression", "KHR_meshopt_compression",
                                            "KHR_mesh_quantization", "KHR_draco_mesh_compression"};

// Extensions of these families concern images and materials, not poses.
constexpr const char* kHarmlessPrefixes[] = {"KHR_materials_", "KHR_texture_", "EXT_texture_",
                                             "KHR_lights_",    "VRM",          "VRMC_"};

bool isKnown(const std::string& extension) {
  return std::find(std::begin(kKnownExtensions), std::end(kKnownExtensions), extension) !=
             std::end(kKnownExtensions) ||
         std::any_of(std::begin(kHarmlessPrefixes), std::end(kHarmlessPrefixes),
                     [&](const char* prefix) { return extension.starts_with(prefix); });
}

void warnOfUnknownExtensions(const Document& document, Warnings& warnings) {
  for (const Json& name : Fields(*document.json, "").array("extensionsRequired")) {
    if (name.is_string() && !isKnown(name.get<std::string>())) {
      warnings.add("unknown_required_extension",
                   "the file requires an extension that is kept but not interpreted",
                   name.get<std::string>());
    }
  }
}

// Nodes, skins, clips and settings. `node_of_source` as of readNodes().
Status readMotion(const Document& document, bool keeps_keys, AccessorReader& accessors,
                  std::vector<int>& node_of_source, Scene& scene) {
  scene.warnings = document.warnings;
  warnOfUnknownExtensions(document, scene.warnings);
  CLIPMILL_CHECK(readNodes(document, accessors, scene, node_of_source));
  CLIPMILL_CHECK(readSkins(document, node_of_source, accessors, scene));
  CLIPMILL_CHECK(readClips(document, node_of_source, keeps_keys, accessors, scene));
  CLIPMILL_CHECK(readVrm(document, node_of_source, accessors, scene));
  return readNodeSettings(document, node_of_source, accessors, scene);
}

}  // namespace

Status checkScene(const Document& document, const io::Limits& limits) {
  Scene scene;
  AccessorReader accessors(document, limits);
  std::vector<int> node_of_source;
  return readMotion(document, false, accessors, node_of_source, scene);
}

Result<Scene> readScene(const Document& document, bool with_meshes, const io::Limits& limits) {
  Scene scene;
  AccessorReader accessors(document, limits);
  std::vector<int> node_of_source;
  CLIPMILL_CHECK(readMotion(document, true, accessors, node_of_source, scene));
  if (with_meshes) {
    CLIPMILL_CHECK(readImages(document, limits.max_file_bytes, accessors, scene));
    CLIPMILL_CHECK(readMaterials(document, accessors, scene));
    CLIPMILL_CHECK(readMeshes(document, node_of_source, accessors, scene));
    CLIPMILL_CHECK(readViews(document, node_of_source, accessors, scene));
  }
  return scene;
}

}  // namespace clipmill::io::gltf
