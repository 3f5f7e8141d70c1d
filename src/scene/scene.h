// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "anim/clip.h"
#include "anim/skeleton.h"
#include "core/math.h"
#include "core/warnings.h"
#include "mesh/skinned_mesh.h"

namespace clipmill {

/// An encoded picture, as it stands in a file.
struct Image {
  std::string name;
  std::string mime_type;  ///< "image/png", "image/jpeg"
  std::vector<std::byte> bytes;
};

/// A metallic-roughness surface (glTF 2.0, 3.9).
struct Material {
  std::string name;
  Vec4 base_color{1.0};  ///< Linear RGBA.
  double metallic = 1.0;
  double roughness = 1.0;
  int base_color_image = -1;  ///< Index in Scene::images, or -1.
  bool double_sided = false;
};

/// What a file holds, free of its format. Everything is in the file's own units and axes; stages
/// see metres, y up, right-handed through `metric_from_file`.
struct Scene {
  Skeleton skeleton;
  std::vector<Clip> clips;
  std::vector<Skin> skins;
  std::vector<SkinnedMesh> meshes;  ///< Empty unless they were asked for when loading.
  std::vector<Material> materials;
  std::vector<Image> images;
  Affine metric_from_file;  ///< A similarity; identity for glTF.
  Warnings warnings;        ///< What the reader noticed.
};

}  // namespace clipmill
