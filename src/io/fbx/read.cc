// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/read.h"

#include "io/fbx/read_clips.h"
#include "io/fbx/read_materials.h"
#include "io/fbx/read_meshes.h"
#include "io/fbx/read_views.h"

namespace clipmill::io::fbx {
namespace {

Status readClips(const Document& document, const GlobalSettings& settings, ReadScene& result) {
  const AnimationContext context{document, result.nodes, result.shapes.channels,
                                 result.scene.warnings};
  CLIPMILL_TRY(std::vector<StackAnimation> stacks,
               document.isModern() ? readStacks(context) : readTakes(context));
  for (const StackAnimation& stack : stacks) result.stack_of_clip.push_back(stack.object);
  result.scene.clips = makeClips(std::move(stacks), settings.fps, result.shapes.node_of_weight);
  return {};
}

}  // namespace

Result<ReadScene> readScene(const Document& document, bool with_meshes, const io::Limits& limits,
                            const std::filesystem::path& folder) {
  ReadScene result;
  Scene& scene = result.scene;
  scene.warnings = document.warnings;
  const GlobalSettings settings = globalSettings(document);
  scene.metric_from_file = settings.metric_from_file;
  CLIPMILL_TRY(result.nodes, readNodes(document, scene.warnings));
  CLIPMILL_TRY(result.shapes, readShapes(document, result.nodes));
  CLIPMILL_CHECK(readClips(document, settings, result));
  if (with_meshes) {
    CLIPMILL_TRY(const std::vector<int> material_of_object,
                 readMaterials(document, folder, limits, scene));
    CLIPMILL_CHECK(readMeshes(document, result.nodes, result.shapes, material_of_object,
                              limits.max_decoded_bytes, scene));
    readViews(document, result.nodes.node_of_object, scene);
  }
  scene.skeleton = std::move(result.nodes.skeleton);
  return result;
}

}  // namespace clipmill::io::fbx
