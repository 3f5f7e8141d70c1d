// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/glb_copy.h"

#include <algorithm>

#include "anim/motion.h"
#include "io/gltf/write.h"

namespace clipmill::io {
namespace {

// All frames of what the clip animates, as keys.
KeyframeClip keyframesOf(const Scene& scene, std::size_t index) {
  const Clip& clip = scene.clips[index];
  Motion motion = sampleClip(scene.skeleton, clip, static_cast<int>(index),
                             makeGrid(clip.begin_s, clip.end_s, clip.fps));
  motion.touched = clip.animated;
  return {clip.name, tracksOf(scene.skeleton, motion)};
}

Status checkMemory(const Scene& scene, const Limits& limits) {
  double bytes = 0.0;
  for (const Clip& clip : scene.clips) {
    bytes += motionBytes(scene.skeleton, makeGrid(clip.begin_s, clip.end_s, clip.fps));
  }
  if (bytes <= static_cast<double>(limits.max_decoded_bytes)) return {};
  return Error{ErrorCode::kLimit, "", "has clips that need more memory than the limit allows",
               "raise --max-decoded-mb"};
}

void warnOfLosses(const Scene& scene, bool was_packed, Warnings& warnings) {
  if (was_packed) {
    warnings.add("packed_meshes", "geometry or pictures packed by Draco or Basis are not shown",
                 "");
  }
  for (const Node& node : scene.skeleton.nodes) {
    if (node.inherit == InheritScale::kAll) continue;
    warnings.add("inherited_scale", "a node that does not inherit all scales is shown as if it did",
                 node.name);
  }
}

}  // namespace

Result<GlbCopy> glbCopyOf(const Asset& asset, const Limits& limits) {
  const Scene& scene = asset.scene;
  GlbCopy copy;
  CLIPMILL_TRY(std::optional<Bytes> own, asset.document->asGlb());
  if (own) {
    copy.bytes = std::move(*own);
    for (std::size_t i = 0; i < scene.clips.size(); ++i) {
      copy.clip_of_animation.push_back(static_cast<int>(i));
    }
    for (std::size_t i = 0; i < scene.skeleton.size(); ++i) {
      copy.source_of_node.push_back(static_cast<int>(i));
    }
    return copy;
  }
  CLIPMILL_CHECK(checkMemory(scene, limits));
  std::vector<KeyframeClip> clips;
  for (std::size_t i = 0; i < scene.clips.size(); ++i) {
    KeyframeClip keys = keyframesOf(scene, i);
    if (keys.tracks.empty()) continue;  // glTF knows no animation without channels
    clips.push_back(std::move(keys));
    copy.clip_of_animation.push_back(static_cast<int>(i));
  }
  for (const Node& node : scene.skeleton.nodes) copy.source_of_node.push_back(node.source_id);
  const std::string format = asset.document->formatName();
  warnOfLosses(scene, format == "GLB" || format == "glTF", copy.warnings);
  CLIPMILL_TRY(copy.bytes, writeGlb(scene, clips));
  return copy;
}

}  // namespace clipmill::io
