// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/math.h"
#include "core/to_size.h"

namespace clipmill {

/// What a track moves. The values are bits of a TrackMask.
enum class TrackPath : std::uint8_t { kTranslation = 1, kRotation = 2, kScale = 4, kWeights = 8 };

/// How values between two keys are found (glTF 2.0, appendix C). kCubicSpline keys hold in-tangent,
/// value, out-tangent; tangents are per second.
enum class Interpolation : std::uint8_t { kStep, kLinear, kCubicSpline };

/// Ascending key times in seconds. Tracks that have the same times share them.
using KeyTimes = std::shared_ptr<const std::vector<double>>;

/// The keyframes of one property of one node.
struct Track {
  int node = 0;  ///< Index in Skeleton::nodes.
  TrackPath path = TrackPath::kTranslation;
  Interpolation interpolation = Interpolation::kLinear;
  int width = 3;  ///< Numbers in a value: 3, 4 (rotation: x, y, z, w), or the number of weights.
  KeyTimes times_s;
  std::vector<double> values;  ///< Keys x (3 for cubic, else 1) x width.
  /// Rotations of nodes with Node::euler: angles that keep to the motion angle by angle (multiples
  /// of 360 degrees are kept), one a key; of cubic keys slopes a second, angles, slopes, where
  /// `values` only come near them. Empty: the nearest ones will do.
  std::vector<Vec3> angles_deg = {};
};

/// A named clip as keyframes, ready to be written.
struct KeyframeClip {
  std::string name;
  std::vector<Track> tracks;
};

/// Bits of TrackPath for every node.
class TrackMask {
 public:
  TrackMask() = default;
  explicit TrackMask(std::size_t node_count) : bits_(node_count, 0) {}

  void set(int node, TrackPath path) { bits_[toSize(node)] |= static_cast<std::uint8_t>(path); }
  bool has(int node, TrackPath path) const {
    return bits_[toSize(node)] & static_cast<std::uint8_t>(path);
  }
  bool any(int node) const { return bits_[toSize(node)] != 0; }
  bool none() const {
    for (std::uint8_t b : bits_) {
      if (b) return false;
    }
    return true;
  }
  std::size_t size() const { return bits_.size(); }

 private:
  std::vector<std::uint8_t> bits_;
};

inline constexpr TrackPath kTrackPaths[] = {TrackPath::kTranslation, TrackPath::kRotation,
                                            TrackPath::kScale, TrackPath::kWeights};

/// The rotation of four numbers in the order x, y, z, w.
inline Quat quatAt(const double* v) { return Quat(v[3], v[0], v[1], v[2]); }

}  // namespace clipmill
