// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include "core/limits.h"
#include "io/fbx/document.h"
#include "scene/scene.h"

namespace clipmill::io::fbx {

/// Appends all materials of the file to `scene`, and the images that they use. Returns for each of
/// Document::objects its index in Scene::materials, or -1.
///
/// clipmill's own properties (shading_names.h) come first, then the physically based materials of
/// Maya (Stingray PBS) and 3ds Max, then Phong and Lambert. Colours are taken as linear, as Blender
/// and FBX2glTF take them; a texture replaces the colour that it is connected to, except in files
/// written by clipmill, where it is multiplied by it. Opacity is Opacity, or else 1 -
/// TransparentColor * TransparencyFactor. Roughness is 1 - sqrt(Shininess) / 10 as in Blender; a
/// Lambert surface has roughness 1.
///
/// An image that is not embedded is looked up in `folder` (empty: nowhere) by its relative path and
/// by its name; only files with an image signature are read. An image that is not found keeps its
/// path and adds a warning. Error: kLimit where the images need more than limits.max_decoded_bytes.
Result<std::vector<int>> readMaterials(const Document& document,
                                       const std::filesystem::path& folder,
                                       const io::Limits& limits, Scene& scene);

}  // namespace clipmill::io::fbx
