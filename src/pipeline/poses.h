// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "scene/scene.h"

namespace clipmill::pipeline {

enum class PoseSpace { kFile, kMetric };

/// Which poses of a file to print. The first of times_s, fractions, fps that is given counts;
/// without any, nine fractions that avoid round frames.
struct PosesOptions {
  std::vector<int> clips;  ///< Indices in Scene::clips.
  std::vector<double> times_s;
  std::vector<double> fractions;  ///< Of each clip's own start..end.
  double fps = 0.0;
  bool vertices = false;
  std::size_t max_vertices = 1500;  ///< Meshes with more are left out.
  PoseSpace space = PoseSpace::kFile;
  std::uint64_t max_poses = 1'000'000;  ///< Of one clip.
  std::uint64_t max_points =
      50'000'000;  ///< Nodes and vertices over all poses, and bytes of paths.
};

/// World transforms of all nodes, and skinned and morphed vertices, as JSON:
/// {format, space, nodes: [path, ..] in document order, clips: [{name, start, end, times,
/// world: [time][node] = row-major 3x4, skinned: [{mesh, primitive, time, positions}]}]}.
/// A file without clips is printed as one clip of its rest pose. Error: kLimit.
Result<std::string> posesJson(const Scene& scene, const std::string& format,
                              const PosesOptions& options);

}  // namespace clipmill::pipeline
