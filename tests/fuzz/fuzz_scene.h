// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "anim/clip.h"
#include "anim/pose.h"
#include "core/to_size.h"
#include "mesh/skinning.h"
#include "scene/scene.h"

/// A loaded scene put to use, so that what is wrong in it shows under the sanitizers.
namespace clipmill::fuzz {

inline void poseMeshes(const Scene& scene, const Pose& pose, const Affine& metric_from_file = {}) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, pose.locals, metric_from_file, worlds);
  PosedVertices posed;
  for (const SkinnedMesh& mesh : scene.meshes) {
    const Node& node = scene.skeleton.nodes[toSize(mesh.node)];
    const Skin* skin = mesh.skin < 0 ? nullptr : &scene.skins[toSize(mesh.skin)];
    poseMesh(
        mesh, skin, worlds,
        std::span(pose.weights).subspan(toSize(node.weights_start), toSize(node.weights_count)),
        posed);
  }
}

inline void sampleClips(const Scene& scene) {
  constexpr std::size_t kClips = 4;
  for (std::size_t i = 0; i < std::min(scene.clips.size(), kClips); ++i) {
    const Clip& clip = scene.clips[i];
    const auto cursor = clip.source->cursor();
    Pose pose = restPose(scene.skeleton);
    for (double fraction : {-0.5, 0.0, 0.3, 1.0, 0.7}) {
      cursor->sample(clip.start_s + (clip.end_s - clip.start_s) * fraction, pose.view());
      poseMeshes(scene, pose);
    }
  }
}

}  // namespace clipmill::fuzz
