// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/formats.h"

#include <vector>

#include "io/arrays/arrays_format.h"
#include "io/bvh/bvh_format.h"
#include "io/face_csv/face_csv_format.h"
#include "io/fbx/fbx_document.h"
#include "io/gltf/gltf_document.h"
#include "io/imported/imported_format.h"

namespace clipmill::io {

std::span<const FormatType> formatTypes() {
  static const std::vector<FormatType> types = {
      gltf::gltfFormat(),     fbx::fbxFormat(),          bvh::bvhFormat(),
      arrays::arraysFormat(), face_csv::faceCsvFormat(), imported::importedFormat(),
  };
  return types;
}

const FormatType* findFormat(std::span<const std::byte> bytes, const std::filesystem::path& path) {
  for (const FormatType& type : formatTypes()) {
    if (type.looksLike(bytes, path)) return &type;
  }
  return nullptr;
}

}  // namespace clipmill::io
