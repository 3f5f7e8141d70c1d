// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>

#include "io/fbx/document.h"
#include "io/fbx/read_nodes.h"
#include "io/fbx/read_shapes.h"
#include "scene/scene.h"

namespace clipmill::io::fbx {

/// A file as a Scene, and how the two belong together.
struct ReadScene {
  Scene scene;
  Nodes nodes;  ///< Its skeleton is that of the scene; left empty here.
  Shapes shapes;
  std::vector<int> stack_of_clip;  ///< Index in Document::objects; -1 for takes.
};

/// The skeleton (all Models), clips (all stacks or takes), and the meshes, skins, materials and
/// images if `with_meshes`. Images that are not embedded are looked up in `folder`, see
/// readMaterials(). Errors: kMalformed, kUnsupported, kLimit.
Result<ReadScene> readScene(const Document& document, bool with_meshes, const io::Limits& limits,
                            const std::filesystem::path& folder = {});

}  // namespace clipmill::io::fbx
