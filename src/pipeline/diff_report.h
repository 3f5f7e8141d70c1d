// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "scene/pose_diff.h"

/// The poses of two files, clip by clip: what `diff` prints.
namespace clipmill::pipeline {

/// A clip that both files have.
struct ClipDiff {
  std::string name;  ///< In the first file.
  PoseDiff diff;

  /// The largest distance of a node [m]; 0 where none is compared.
  double worst_m() const;
};

struct FileDiff {
  std::vector<ClipDiff> clips;
  std::vector<std::string> without_partner;  ///< "A: walk", "B: run"

  /// Whether all clips and nodes have partners, none farther off than that.
  bool isWithin(double tolerance_mm) const;
};

/// Compares the clips that have the same name, where it is unique in both files, else the same
/// position. Errors: those of compareClips().
Result<FileDiff> diffFiles(const Scene& a, const Scene& b, double fps);

/// One paragraph a clip.
std::string diffText(const FileDiff& diff);

/// {clips: [{clip, max_mm, frames, length_difference_s, only_in_a, only_in_b, nodes: [{path,
/// max_mm, mean_mm, max_file_units, worst_time_s, max_angle_deg}]}], clips_without_partner}.
std::string diffJson(const FileDiff& diff);

}  // namespace clipmill::pipeline
