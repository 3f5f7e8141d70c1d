// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/arrays/arrays_format.h"

#include <array>
#include <utility>

#include "io/arrays/motion_data.h"
#include "io/imported/imported_document.h"
#include "scene/stick_mesh.h"

namespace clipmill::io::arrays {
namespace {

constexpr std::array<std::string_view, 2> kExtensions = {".npz", ".npy"};

Result<imported::ImportedScene> readMotion(ArrayFile& file, const std::string& name,
                                           const ArraySettings& settings) {
  if (hasJointArrays(file)) return readJointArrays(file, name);
  if (hasBodyPoses(file)) return readBodyPoses(file, name, settings);
  return readJointPositions(file, name, settings);
}

Status loadArrays(Bytes bytes, const LoadOptions& options, Asset& asset) {
  CLIPMILL_TRY(imported::ImportedScene made,
               readArrays(bytes, asset.path.stem().string(), options.arrays, options.limits));
  CLIPMILL_CHECK(imported::checkImported(made));
  imported::fillAsset(std::move(made), options, asset);
  return {};
}

}  // namespace

Result<imported::ImportedScene> readArrays(std::span<const std::byte> bytes,
                                           const std::string& name, const ArraySettings& settings,
                                           const Limits& limits) {
  // Each number becomes a double, then a part of a key.
  Limits of_arrays = limits;
  of_arrays.max_decoded_bytes /= 8;
  CLIPMILL_TRY(ArrayFile file, ArrayFile::open(bytes, of_arrays));
  CLIPMILL_TRY(imported::ImportedScene made, readMotion(file, name, settings));
  Warnings located;
  for (const Warning& warning : made.scene.warnings.all())
    located.add(warning.code, warning.text, warning.first.empty() ? name : warning.first);
  made.scene.warnings = std::move(located);
  addStickMesh(made.scene);
  return made;
}

FormatType arraysFormat() {
  return {"NumPy arrays", kExtensions,
          [](std::span<const std::byte> bytes, const std::filesystem::path&) {
            return looksLikeArrays(bytes);
          },
          loadArrays};
}

}  // namespace clipmill::io::arrays
