// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "anim/clip.h"
#include "anim/pose.h"
#include "anim/track.h"

namespace clipmill {

/// Uniform frame times start, start + 1/fps, ..; the last frame is `end` itself, so a duration that
/// is no whole number of frames makes the last interval shorter.
struct TimeGrid {
  double start_s = 0.0;
  double end_s = 0.0;
  double fps = 30.0;
  std::size_t frame_count = 1;

  double timeOf(std::size_t frame) const {
    return frame + 1 >= frame_count ? end_s : start_s + static_cast<double>(frame) / fps;
  }
};

/// The grid that covers start..end. A clip of no length has one frame. Frames may be so many that
/// they exceed what fits in memory: callers check frame_count against their limit first.
TimeGrid makeGrid(double start_s, double end_s, double fps);

/// Two frames and how far between them a time lies.
struct FramePair {
  std::size_t first = 0;
  std::size_t second = 0;
  double fraction = 0.0;
};

/// The frames of `grid` around a time; an end frame twice at and beyond the ends.
FramePair framesAround(const TimeGrid& grid, double time_s);

/// The times of all frames.
std::vector<double> timesOf(const TimeGrid& grid);

/// A clip sampled on a grid. Stages read it and return a changed copy with the tracks they wrote
/// marked as modified; only those are written back to the file.
struct Motion {
  std::string clip_name;
  int clip_index = 0;
  TimeGrid grid;
  std::size_t node_count = 0;
  std::size_t weight_count = 0;
  std::vector<Transform> locals;  ///< Frames x nodes, in file space.
  std::vector<double> weights;    ///< Frames x weights.
  TrackMask modified;
  std::shared_ptr<const PoseSource> source;  ///< The clip as authored; may be null.

  PoseView frame(std::size_t i) {
    return {std::span(locals).subspan(i * node_count, node_count),
            std::span(weights).subspan(i * weight_count, weight_count)};
  }
  std::span<const Transform> localsOf(std::size_t i) const {
    return std::span(locals).subspan(i * node_count, node_count);
  }
  std::span<const double> weightsOf(std::size_t i) const {
    return std::span(weights).subspan(i * weight_count, weight_count);
  }
};

/// The clip at every frame of `grid`; nodes it does not animate keep their rest pose.
Motion sampleClip(const Skeleton& skeleton, const Clip& clip, int clip_index, const TimeGrid& grid);

/// The same motion as by `=`, but faster: copies of long clips mostly wait for memory.
Motion copyOf(const Motion& motion);

/// Whether a MotionCursor takes transforms of any of `nodes` from frames: code that overwrites
/// these then needs a copy to read from.
bool readsFrames(const Motion& motion, std::span<const std::size_t> nodes);

/// Bytes that sampleClip would allocate, as a double because hostile clips may ask for more than
/// any integer holds.
double motionBytes(const Skeleton& skeleton, const TimeGrid& grid);

/// Returns poses of a motion at any time: unmodified tracks from the clip as authored, exact at
/// every instant; modified ones interpolated between frames as players of the written file will do
/// it.
class MotionCursor {
 public:
  MotionCursor(const Skeleton& skeleton, const Motion& motion);
  /// For the transforms of `nodes` only; those of others mean nothing.
  MotionCursor(const Skeleton& skeleton, const Motion& motion, std::span<const std::size_t> nodes);
  /// The pose at `time_s`, held at the ends. Valid until the next call.
  const Pose& at(double time_s);

 private:
  const Motion& motion_;
  std::unique_ptr<PoseCursor> source_;
  std::vector<int> mixed_nodes_;  // nodes with a modified track, or all where there is no source
  const Skeleton& skeleton_;
  Pose pose_;
};

/// Every frame of every modified track as a key; linear. Quaternions keep to one hemisphere.
std::vector<Track> tracksOf(const Skeleton& skeleton, const Motion& motion);

}  // namespace clipmill
