// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/assimp/read.h"

#include <algorithm>
#include <array>
#include <utility>

#include <assimp/Importer.hpp>
#include <assimp/config.h>
#include <assimp/importerdesc.h>
#include <assimp/postprocess.h>

#include "core/text.h"
#include "core/to_size.h"
#include "io/assimp/files.h"
#include "io/assimp/read_parts.h"
#include "io/imported/plain_cause.h"
#include "scene/stick_mesh.h"

namespace clipmill::io::assimp {
namespace {

constexpr double kInch = 0.0254;

// What a format does not store.
struct Format {
  std::string_view library_name;  // the start of what the library calls its importer
  std::string_view name;
  double metres_per_unit;  // 0 for unknown
  bool is_z_up;            // where the library leaves it so
  double ticks_per_second;
};

// 25 is the library's own advice, 4800 that of Direct3D.
constexpr std::array<Format, 4> kFormats = {{{"Collada", "COLLADA", 1.0, false, 25.0},
                                             {"Direct3D XFile", "DirectX .x", 0.0, false, 4800.0},
                                             {"Doom 3 / MD5", "MD5", kInch, false, 24.0},
                                             {"Valve SMD", "SMD", kInch, true, 25.0}}};

// Formats with readers of our own, or that the library reads wrong.
constexpr std::array<std::string_view, 4> kNotForIt = {"Autodesk FBX", "glTF", "BVH", "Blender"};

Format formatOf(const Assimp::Importer& importer, std::string& name) {
  const int index = importer.GetPropertyInteger("importerIndex", -1);
  const aiImporterDesc* description = index < 0 ? nullptr : importer.GetImporterInfo(toSize(index));
  name = description && description->mName ? description->mName : "unknown";
  for (const Format& format : kFormats) {
    if (name.starts_with(format.library_name)) {
      name = format.name;
      return format;
    }
  }
  constexpr std::string_view kSuffix = " Importer";
  if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
  return {"", "", 0.0, false, 25.0};
}

Error readError(const Assimp::Importer& importer) {
  const std::string text = importer.GetErrorString();
  if (text.find("No suitable reader") != std::string::npos) {
    return {ErrorCode::kUnsupported, "", "has an unknown format", ""};
  }
  const std::string cause = imported::plainCause(text);
  return {ErrorCode::kMalformed, "",
          cause.empty() ? "is damaged, or uses a part of its format that cannot be read"
                        : "cannot be read: " + cause,
          "open it in the program that made it and save it as glTF"};
}

Affine metricFromFile(const Format& format) {
  Affine metric;
  if (format.is_z_up) metric.linear = Mat3(1, 0, 0, 0, 0, -1, 0, 1, 0);
  if (format.metres_per_unit > 0.0) metric.linear *= format.metres_per_unit;
  return metric;
}

void warnOfLosses(const aiScene& source, const std::string& location, Warnings& warnings) {
  if (const std::size_t count = source.mNumCameras + source.mNumLights; count > 0) {
    warnings.add("cameras_and_lights", "cameras and lights are dropped", location, count);
  }
}

}  // namespace

Result<imported::ImportedScene> readWithAssimp(const std::filesystem::path& path,
                                               const Limits& limits) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  FilesRead files{path, folder, limits.max_file_bytes, {}};
  Assimp::Importer importer;
  importer.SetIOHandler(new FolderFiles(files));  // taken over by the importer
  importer.SetPropertyBool(AI_CONFIG_IMPORT_NO_SKELETON_MESHES, true);
  // Vertices are not joined here: it would weld what lies together and parts when it moves.
  const aiScene* source =
      importer.ReadFile(path.string(), aiProcess_Triangulate | aiProcess_GenSmoothNormals |
                                           aiProcess_ValidateDataStructure);
  if (!source || !source->mRootNode) return readError(importer);

  imported::ImportedScene imported;
  Scene& scene = imported.scene;
  const Format format = formatOf(importer, imported.format);
  for (const std::string_view other : kNotForIt) {
    if (imported.format.starts_with(other)) {
      return Error{ErrorCode::kUnsupported, "", "has an unknown format", ""};
    }
  }
  const std::string location = path.filename().string();
  if (format.metres_per_unit == 0.0) {
    scene.warnings.add("unit_unknown",
                       imported.format + " does not store its unit of length; metres are assumed",
                       location);
  }
  scene.metric_from_file = metricFromFile(format);
  warnOfLosses(*source, location, scene.warnings);
  CLIPMILL_TRY(const NodeTable nodes, readNodes(*source, limits, scene));
  readMaterials(*source, files, scene);
  CLIPMILL_CHECK(readMeshes(*source, nodes, limits, scene));
  readClips(*source, nodes, path.stem().string(), format.ticks_per_second, imported);
  addStickMesh(scene);
  imported.files = files.others;
  CLIPMILL_CHECK(imported::checkImported(imported));
  return imported;
}

}  // namespace clipmill::io::assimp
