// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "anim/fine_samples.h"
#include "anim/track_jumps.h"

namespace clipmill {

/// A key of a fitted track. Numbers are rounded to float.
struct FitKey {
  double time_s = 0.0;
  std::vector<double> value;
  std::vector<double> in, out;  ///< Tangents a second of cubic keys; empty for linear ones.
};

/// Fits keys to one track of a clip, piece by piece.
class SpanFitter {
 public:
  /// All references must outlive the fitter.
  SpanFitter(const TrackValue& value, const FineGrid& grid, const ValueMeasure& measure,
             ExactPoses& poses, const std::vector<double>& samples, const TrackPiece& piece)
      : value_(value),
        grid_(grid),
        measure_(measure),
        poses_(poses),
        samples_(samples),
        piece_(piece) {}

  /// True where the piece keeps to its first value.
  bool isConstant() const;

  /// The fewest keys that reach from one end of the piece to the other, or more than `most` (and
  /// then not to the end).
  std::vector<FitKey> fit(Interpolation interpolation, std::size_t most);

 private:
  struct Probe {
    double fraction;
    const double* value;
    bool is_frame;
  };

  const double* sampleAt(std::size_t point) const { return &samples_[point * value_.width]; }
  std::size_t firstPointAfter(double time_s) const;
  FitKey keyAtPoint(std::size_t point) const;
  FitKey keyAtTime(double time_s, const FitKey& from);
  bool fits(FitKey& from, FitKey& to);
  void gatherProbes(const FitKey& from, const FitKey& to);
  bool linearFits(const FitKey& from, const FitKey& to) const;
  bool cubicFits(FitKey& from, FitKey& to);
  FitKey farthestOnFrames(FitKey& from, bool& found);
  FitKey farthestBetween(FitKey& from);
  FitKey farthestInside(FitKey& from, double end_s);

  const TrackValue& value_;
  const FineGrid& grid_;
  const ValueMeasure& measure_;
  ExactPoses& poses_;
  const std::vector<double>& samples_;
  const TrackPiece& piece_;
  Interpolation interpolation_ = Interpolation::kLinear;
  bool was_inside_ = false;  // the last key was found between two points
  std::vector<Probe> probes_;
  std::vector<double> exact_;  // what probes between points look at
};

}  // namespace clipmill
