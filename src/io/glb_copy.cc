// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/glb_copy.h"

#include <cmath>
#include <optional>

#include "io/conversion.h"
#include "scene/plain_scene.h"

namespace clipmill::io {
namespace {

// Without the codes that do not matter for a preview.
Warnings relevantWarnings(const Warnings& warnings) {
  Warnings relevant;
  for (const Warning& warning : warnings.all()) {
    if (warning.code == "clip_moved_to_zero") continue;
    relevant.add(warning.code, warning.text, warning.first, warning.count);
  }
  return relevant;
}

double metresPerUnit(const Scene& scene) {
  const Vec3& x = scene.metric_from_file.linear[0];
  return std::sqrt(glm::dot(x, x));
}

// A copy of the Scene: in metres, its clips from second 0 on.
Result<GlbCopy> convertedCopy(const Asset& asset, const Limits& limits) {
  const Scene& scene = asset.scene;
  ConversionKeys keys;
  keys.every_frame = true;
  CLIPMILL_TRY(Output output, convertScene(scene, {}, keys, {}, "copy.glb", limits));
  GlbCopy copy;
  copy.bytes = std::move(output.main);
  copy.units_per_file_unit = metresPerUnit(scene);
  for (const Clip& clip : scene.clips) copy.start_s.push_back(clip.start_s);
  // The file has the nodes of the plain scene, which may be more.
  for (const Node& node : plainScene(scene).skeleton.nodes) {
    copy.source_of_node.push_back(node.source_id);
  }
  copy.warnings = relevantWarnings(output.warnings);
  if (asset.document->nativeFormat() == OutputFormat::kGltf && !asset.document->isReadOnly()) {
    copy.warnings.add("packed_meshes",
                      "meshes or images with Draco or Basis compression are not shown", "");
  }
  return copy;
}

}  // namespace

Result<GlbCopy> glbCopyOf(const Asset& asset, const Limits& limits) {
  CLIPMILL_TRY(std::optional<Bytes> own, asset.document->asGlb());
  if (!own) return convertedCopy(asset, limits);
  GlbCopy copy;
  copy.bytes = std::move(*own);
  copy.start_s.assign(asset.scene.clips.size(), 0.0);
  for (std::size_t i = 0; i < asset.scene.skeleton.size(); ++i) {
    copy.source_of_node.push_back(static_cast<int>(i));
  }
  return copy;
}

}  // namespace clipmill::io
