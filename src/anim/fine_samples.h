// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "anim/clip.h"
#include "anim/motion.h"

namespace clipmill {

/// Times between the frames of a clip, counted from its start, each a value that a 32-bit float
/// holds: that is how files keep the times of keys.
class FineGrid {
 public:
  FineGrid(const Clip& clip, double fps);

  std::size_t pointCount() const { return (frames_.frame_count - 1) * per_frame_ + 1; }
  std::size_t pointsPerFrame() const { return per_frame_; }
  double timeOf(std::size_t point) const;
  double startInClip() const { return frames_.start_s; }
  double fps() const { return frames_.fps; }

 private:
  TimeGrid frames_;
  std::size_t per_frame_;
};

/// One property of one node, of which values are taken from poses.
struct TrackValue {
  int node = 0;
  TrackPath path = TrackPath::kTranslation;
  std::size_t width = 3;
  std::size_t weights_start = 0;

  /// Writes `width` numbers; rotations as x, y, z, w of length 1.
  void read(const Pose& pose, double* to) const;
};

/// The values that a mask names, nodes ascending; weights of nodes that have none are left out.
std::vector<TrackValue> valuesOf(const Skeleton& skeleton, const TrackMask& mask);

/// Poses of a clip at any time, with a cache of recent ones: tracks that move together need the
/// same instants one after another.
class ExactPoses {
 public:
  ExactPoses(const Skeleton& skeleton, const Clip& clip);
  /// The pose so long after the clip's start. Valid until the next call.
  const Pose& at(double time_s);

 private:
  std::unique_ptr<PoseCursor> cursor_;
  double start_s_;
  std::size_t max_kept_;
  Pose rest_;
  std::vector<Pose> kept_;
  std::unordered_map<std::uint64_t, std::size_t> position_of_;  // by the bits of the time
};

/// The values of several tracks at every point of `grid`: one list a track, points x width. Between
/// one point and the next a quaternion keeps to the nearer sign.
std::vector<std::vector<double>> sampleFine(const Skeleton& skeleton, const Clip& clip,
                                            const FineGrid& grid,
                                            std::span<const TrackValue> values);

}  // namespace clipmill
