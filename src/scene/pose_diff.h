// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/result.h"
#include "scene/scene.h"

namespace clipmill {

/// Where and how densely two clips are compared.
struct PoseDiffSettings {
  double fps = 30.0;                  ///< Poses compared a second; positive.
  std::size_t max_frames = 10000000;  ///< More than that is refused.
};

/// How far one node of A is from the node of B that it was matched with.
struct NodeDiff {
  std::string path;                ///< pathOf() the node, the same in both.
  int node_a = 0;                  ///< Index in A's skeleton.
  int node_b = 0;                  ///< Index in B's skeleton.
  double max_distance_m = 0.0;     ///< Between the world-space origins, over all times.
  double mean_distance_m = 0.0;    ///< The mean over all times.
  double max_distance_file = 0.0;  ///< The same in A's file units.
  double mean_distance_file = 0.0;
  double worst_time_s = 0.0;   ///< When the distance is largest, from the start of the clips.
  double max_angle_rad = 0.0;  ///< Between the world-space rotations, 0..pi.
  double mean_angle_rad = 0.0;
};

/// What compareClips() found.
struct PoseDiff {
  std::vector<NodeDiff> nodes;         ///< Matched nodes in A's order.
  int worst = -1;                      ///< Index in `nodes` of the largest distance; -1 for none.
  std::vector<std::string> only_in_a;  ///< Paths of nodes that B lacks, in A's order.
  std::vector<std::string> only_in_b;
  double length_difference_s = 0.0;  ///< Length of B minus length of A.
  std::size_t frame_count = 0;       ///< Poses compared.
};

/// Compares the poses of two clips, in metres, y up (each through its scene's metric_from_file), at
/// uniform times from 0 to the length of the longer one. Times count from each clip's own start;
/// the shorter one holds its last pose. Nodes are matched by path; of several with one path the
/// first of A with the first of B, and so on. Errors: kUsage for a frame rate that is not positive,
/// kLimit for more than max_frames.
Result<PoseDiff> compareClips(const Scene& scene_a, const Clip& clip_a, const Scene& scene_b,
                              const Clip& clip_b, const PoseDiffSettings& settings);

}  // namespace clipmill
