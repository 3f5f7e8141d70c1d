// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>

#include "anim/keyed_track.h"
#include "core/math.h"

namespace clipmill {

/// How players find a rotation between two linear keys: by the arc, as glTF asks for (three.js,
/// engines), or component by component: four of a quaternion, then normalised, as those do that
/// keep four curves (Blender), or three angles where the file keeps angles (FBX).
enum class RotationMix { kArc, kComponents };

/// A track between two of its keys, as players interpolate it from the rounded values. Cubic ones
/// all players mix component by component.
class KeySpan {
 public:
  KeySpan(const KeyedTrack& track, std::size_t from, std::size_t to,
          Interpolation interpolation = Interpolation::kLinear);

  /// 0 at the first key, 1 at the second; 0 for a span of one frame.
  double fractionAt(double time_s) const;
  Quat rotationAt(double fraction, RotationMix mix) const;
  Vec3 vectorAt(double fraction) const;
  /// How far the span at `frame` is from the track's own value, in the measure of chooseKeys(); for
  /// rotations in the worse of both methods of interpolation.
  double errorAt(std::size_t frame) const;
  /// The same halfway to the next frame, of cubic spans.
  double errorAfter(std::size_t frame) const;

  /// A second, of a cubic span: of the three angles where the file keeps those, else of the value.
  const std::array<double, 4>& slopesOut() const { return out_; }
  const std::array<double, 4>& slopesIn() const { return in_; }

 private:
  bool isCubic() const { return interpolation_ == Interpolation::kCubicSpline; }
  void fitSlopes();
  std::array<double, 4> cubicAt(double fraction) const;
  double weightErrorAt(std::size_t frame, double fraction) const;

  const KeyedTrack* track_;
  std::size_t from_, to_;
  Interpolation interpolation_;
  double start_s_, length_s_;
  Arc arc_;
  std::array<double, 4> out_{}, in_{};
};

}  // namespace clipmill
