// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stages/tet_bake/solve/dynamic_tissue.h"
#include "stages/tet_bake/solve/solve_dynamic.h"

/// Plays a clip of dynamic tissue once, or a cycle until it repeats.
namespace clipmill::stages::tet_bake {

class TissuePlayback {
 public:
  /// Keeps a reference to `clip`.
  TissuePlayback(const SoftTissueClip& clip, std::size_t corner_count,
                 const SoftTissueSettings& tissue);

  /// The clip for solveDynamic(); it refers to this object.
  DynamicClip clip();
  const SoftTissueRun& run() const { return run_; }

 private:
  using Offsets = std::vector<float>;  // of the corners from where the bones carry them, x, y, z

  /// Frames are 0..end; of an open cycle, `end` is frame 0 at the end of its missing step.
  std::size_t end() const {
    return clip_.cycle->is_open ? clip_.frame_count : clip_.frame_count - 1;
  }
  void read(std::size_t frame, std::span<Vec3> start, std::span<Vec3> target) const;
  bool keep(std::size_t frame, std::span<const Vec3> carried, std::span<const Vec3> solved,
            const FrameStats& stats);
  bool keepOfCycle(std::size_t frame, std::span<const Vec3> carried, std::span<const Vec3> solved);
  void startCycle();
  void write(std::size_t fade_end) const;

  const SoftTissueClip& clip_;
  std::size_t corner_count_;
  double tolerance_m_;
  int max_cycles_;
  SoftTissueRun run_;
  std::vector<Offsets> before_, now_;  // of the cycle before, and of this one; by frame
  std::vector<FrameStats> stats_;
  int close_frames_ = 0;  // in succession
};

}  // namespace clipmill::stages::tet_bake
