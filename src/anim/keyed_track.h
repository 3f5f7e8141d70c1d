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

/// Budgets are given for windows of so many frames: how much may be off differs along a clip.
inline constexpr std::size_t kFramesPerWindow = 8;

inline std::size_t windowCount(std::size_t frame_count) {
  return (frame_count + kFramesPerWindow - 1) / kFramesPerWindow;
}

/// A linear track with a value at every frame of a motion, of which any frames can be chosen as
/// keys.
class KeyedTrack {
 public:
  /// `every_frame` is a track as tracksOf() makes it: linear, one key a frame. `euler` states how
  /// the file keeps a rotation as angles, if it does; a rotation that it does not keep so is
  /// rounded with `to_short` by roundedToShort().
  explicit KeyedTrack(Track every_frame, const std::optional<EulerRotation>& euler = std::nullopt,
                      bool to_short = false);

  int node() const { return exact_.node; }
  TrackPath path() const { return exact_.path; }
  bool isShort() const { return is_short_; }  ///< Rounded by roundedToShort().
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

  /// The track with these keys only, values rounded, quaternions in one hemisphere, and
  /// with the angles of rotations that are kept as angles.
  Track withKeys(const KeyFrames& keys) const;

 private:
  friend class KeySpan;
  const double* exactAt(std::size_t frame) const { return &exact_.values[frame * width()]; }
  const double* roundedAt(std::size_t frame) const { return &rounded_[frame * width()]; }
  std::size_t width() const { return toSize(exact_.width); }
  double rounded(double number) const;
  void roundAngles(std::span<const double> rotations);
  bool spanFits(std::size_t from, std::size_t to, std::span<const double> budgets) const;
  std::size_t farthestKey(std::size_t from, std::span<const double> budgets) const;

  Track exact_;
  bool is_short_ = false;
  std::vector<double> rounded_;  // the same values as the file keeps them
  std::optional<EulerRotation> euler_;
  std::vector<Vec3> angles_deg_;  // of every frame, unrolled, as floats keep them; empty without
};

/// How players find a rotation between two keys: by the arc, as glTF asks for (three.js, engines),
/// or component by component: four of a quaternion, then normalised, as those do that keep four
/// curves (Blender), or three angles where the file keeps angles (FBX).
enum class RotationMix { kArc, kComponents };

/// A track between two of its keys, as players interpolate it from the rounded values.
class KeySpan {
 public:
  KeySpan(const KeyedTrack& track, std::size_t from, std::size_t to);

  /// 0 at the first key, 1 at the second; 0 for a span of one frame.
  double fractionAt(double time_s) const;
  Quat rotationAt(double fraction, RotationMix mix) const;
  Vec3 vectorAt(double fraction) const;
  /// How far the span at `frame` is from the track's own value, in the measure of chooseKeys(); for
  /// rotations in the worse of both methods of interpolation.
  double errorAt(std::size_t frame) const;

 private:
  double weightErrorAt(std::size_t frame, double fraction) const;

  const KeyedTrack* track_;
  std::size_t from_, to_;
  double start_s_, length_s_;
  Arc arc_;
};

}  // namespace clipmill
