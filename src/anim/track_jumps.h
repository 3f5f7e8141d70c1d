// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "anim/fine_samples.h"

namespace clipmill {

/// Distance of two values of a track, in units of the tolerance.
class ValueMeasure {
 public:
  /// `tolerance` is one number, or one a weight; `largest` is the largest number in the track:
  /// what floats cannot express is allowed.
  ValueMeasure(TrackPath path, std::span<const double> tolerance, double largest);
  /// Blind to the sign of quaternions.
  double operator()(const double* a, const double* b) const;
  std::size_t width() const { return width_; }

 private:
  TrackPath path_;
  std::size_t width_;
  std::vector<double> per_tolerance_;
};

/// A stretch of a track without jumps. Its first and last key are at start_s and end_s; around a
/// jump these are neighbouring floats, which need not be the very instants of the clip.
struct TrackPiece {
  double start_s = 0.0, end_s = 0.0;
  double source_start_s = 0.0, source_end_s = 0.0;  ///< Where the clip has this piece.
  std::vector<double> first, last;                  ///< Values of the two keys.
};

/// Cuts a track where its value jumps by more than it moves around there. Samples that lie between
/// a jump and its two keys are set to the value of their piece.
std::vector<TrackPiece> cutAtJumps(const TrackValue& value, const FineGrid& grid,
                                   const ValueMeasure& measure, ExactPoses& poses,
                                   std::vector<double>& samples);

}  // namespace clipmill
