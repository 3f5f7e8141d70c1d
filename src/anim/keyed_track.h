// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "anim/euler.h"
#include "anim/track.h"
#include "core/math.h"
#include "core/to_size.h"

namespace clipmill {

/// Frames of a track that are keys: ascending, the first and the last frame among them.
using KeyFrames = std::vector<std::size_t>;

/// The keys of a track, linear or cubic.
struct TrackKeys {
  KeyFrames frames;
  Interpolation interpolation = Interpolation::kLinear;
};

/// Budgets are given for windows of so many frames: how much may be off differs along a clip.
inline constexpr std::size_t kFramesPerWindow = 8;

inline std::size_t windowCount(std::size_t frame_count) {
  return (frame_count + kFramesPerWindow - 1) / kFramesPerWindow;
}

/// How keys of a track may be written.
struct KeyForms {
  bool is_short = false;  ///< Rotations that the file does not keep as angles: 16-bit integers.
  bool is_cubic = false;  ///< All but weights: cubic where that is asked for.
};

/// A track with a value at every frame of a motion, of which any frames can be chosen as keys.
class KeyedTrack {
 public:
  /// `every_frame` is a track as tracksOf() makes it: linear, one key a frame. `euler` states how
  /// the file keeps a rotation as angles, if it does.
  explicit KeyedTrack(Track every_frame, const std::optional<EulerRotation>& euler = std::nullopt,
                      const KeyForms& forms = {});

  int node() const { return exact_.node; }
  TrackPath path() const { return exact_.path; }
  bool isShort() const { return is_short_; }         ///< Linear keys are roundedToShort().
  bool mayBeCubic() const { return may_be_cubic_; }  ///< chooseCubicKeys() may be asked.
  std::size_t frameCount() const { return exact_.times_s->size(); }
  double timeOf(std::size_t frame) const { return (*exact_.times_s)[frame]; }
  std::span<const double> valueAt(std::size_t frame) const { return {exactAt(frame), width()}; }

  /// Holds the rounded track at `value` (rounded alike) if that is within the budget of its window
  /// at every frame, in the measure of chooseKeys(). True where it is.
  bool holdAt(std::span<const double> value, std::span<const double> budgets);

  /// The fewest keys that a walk from left to right finds such that between them no frame's value
  /// is off by more than the budget of its window; every key reaches as far as it can. Off by: for
  /// rotations 2 sin(a/2) of the angle a between them (how far a point at distance 1 moves), for
  /// translation and scale the Euclidean distance, for weights the largest difference. O(n log n)
  /// for n frames.
  KeyFrames chooseKeys(std::span<const double> budgets) const;

  /// The same with cubic keys, whose slopes come nearest to the frames between them; errors are
  /// looked at halfway between frames too. None where no cubic leads from one frame to the next
  /// within the budget, or where more than `most` keys are needed.
  std::optional<KeyFrames> chooseCubicKeys(std::span<const double> budgets, std::size_t most) const;

  /// The track with these keys only, values and slopes rounded to float, quaternions in one
  /// hemisphere, and with the angles of rotations that are kept as angles.
  Track withKeys(const TrackKeys& keys) const;

 private:
  friend class KeySpan;
  const double* exactAt(std::size_t frame) const { return &exact_.values[frame * width()]; }
  const double* roundedAt(std::size_t frame) const { return &rounded_[frame * width()]; }
  std::size_t width() const { return toSize(exact_.width); }
  // What cubic keys interpolate, as the file keeps it, without jumps: three angles where it keeps
  // those, else the value.
  const double* numbersAt(std::size_t frame) const;
  std::size_t numberCount() const { return euler_ ? 3 : width(); }
  double rounded(double number) const;
  void roundAngles(std::span<const double> rotations);
  void alignRotations();
  bool linearFits(std::size_t from, std::size_t to, std::span<const double> budgets) const;
  bool cubicFits(std::size_t from, std::size_t to, std::span<const double> budgets) const;
  Track withLinearKeys(const KeyFrames& keys) const;
  Track withCubicKeys(const KeyFrames& keys) const;

  Track exact_;
  bool is_short_ = false, may_be_cubic_ = false;
  std::vector<double> rounded_;  // the same values as the file keeps them
  std::optional<EulerRotation> euler_;
  std::vector<Vec3> angles_deg_;  // of every frame, unrolled, as floats keep them; empty without
  std::vector<double> aligned_;   // quaternions without change of sign, if they may be cubic
};

}  // namespace clipmill
