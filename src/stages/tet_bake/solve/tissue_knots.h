// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stages/tet_bake/solve/dynamic_tissue.h"

/// Dynamic tissue of clips that have more frames than their keys.
namespace clipmill::stages::tet_bake {

/// The number of steps from knot to knot in a clip: its length over SoftTissueClip::knot_s,
/// rounded, and no more than it has frames. The length of a cycle is that of its period.
std::size_t knotSteps(const SoftTissueClip& clip);

/// Solves a clip at its knots alone, and interpolates its frames: bones move along cubic curves
/// between knots, so that the tissue is the same for every frame rate. Bones at a knot between two
/// frames are between theirs.
class TissueKnots {
 public:
  /// Keeps a reference to `clip`.
  TissueKnots(const SoftTissueClip& clip, std::size_t corner_count);

  /// The clip of the knots; it refers to this object.
  SoftTissueClip clip();
  /// Passes all frames to the clip, once its knots are solved: the offsets of the corners from
  /// where the bones carry them, along Hermite splines with central differences.
  void write() const;

 private:
  // Between a frame or knot and the next one.
  struct Between {
    std::size_t before = 0;
    double share = 0.0;
  };

  bool hasAll() const { return steps_ == frame_steps_; }
  Between frameOf(std::size_t knot) const;
  Between knotOf(std::size_t frame) const;
  void read(std::size_t knot, std::span<Vec3> start, std::span<Vec3> target) const;
  void keep(std::size_t knot, std::span<const Vec3> solved, const FrameStats& stats);
  Vec3 offsetAt(std::ptrdiff_t knot, std::size_t corner) const;
  Vec3 offsetBetween(const Between& knot, std::size_t corner) const;

  const SoftTissueClip& clip_;
  std::size_t corner_count_, frame_steps_, steps_;
  std::vector<std::vector<float>> offsets_;  // by knot; x, y, z of the corners
  std::vector<FrameStats> stats_;
};

}  // namespace clipmill::stages::tet_bake
