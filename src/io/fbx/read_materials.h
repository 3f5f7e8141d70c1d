// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include "io/fbx/document.h"
#include "io/limits.h"
#include "scene/scene.h"

namespace clipmill::fbx {

/// Appends all materials of the file to `scene`, and the pictures that they show. The answer holds
/// for each of Document::objects its index in Scene::materials, or -1.
///
/// Properties of our own (surface_words.h) come first, then the physical surfaces of Maya (Stingray
/// PBS) and 3ds Max, then Phong and Lambert. Colours are taken as linear, as Blender and FBX2glTF
/// take them; a texture stands in place of the colour it is connected to, but for our own files,
/// in which it is multiplied by it. Opacity is Opacity, or else 1 - TransparentColor *
/// TransparencyFactor. Roughness is 1 - sqrt(Shininess) / 10 as in Blender; a Lambert surface has
/// roughness 1.
///
/// A picture that is not embedded is looked for in `folder` (empty: nowhere) by its relative path
/// and by its name; only what begins like a picture is taken. One that is not found
/// keeps its path and is warned of. Error: kLimit where the pictures take more than
/// limits.max_decoded_bytes.
Result<std::vector<int>> readMaterials(const Document& document,
                                       const std::filesystem::path& folder,
                                       const io::Limits& limits, Scene& scene);

}  // namespace clipmill::fbx
