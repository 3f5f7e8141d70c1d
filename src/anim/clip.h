// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "anim/pose.h"
#include "anim/skeleton.h"
#include "anim/track.h"

namespace clipmill {

/// Returns the pose of a clip at one time after another. Cheapest when times ascend: it keeps the
/// current keys, so that it need not search. Not for use by two threads at once.
class PoseCursor {
 public:
  virtual ~PoseCursor() = default;
  /// Overwrites what the clip animates and leaves the rest of `pose` as it is. Before the first key
  /// a track holds its first value, after the last its last.
  virtual void sample(double time_s, PoseView pose) = 0;
  /// From now on sample() need not write the transforms of other nodes: only the
  /// positions of a few are needed. It may write them nevertheless.
  virtual void limitTo(std::span<const std::size_t> nodes) { static_cast<void>(nodes); }
};

/// The animation of one clip, however its format stores it.
class PoseSource {
 public:
  virtual ~PoseSource() = default;
  virtual std::unique_ptr<PoseCursor> cursor() const = 0;
};

/// A named stretch of animation.
struct Clip {
  std::string name;  ///< May be empty or repeat; clips are named by index then.
  double start_s = 0.0;
  double end_s = 0.0;
  double fps = 30.0;   ///< The rate at which the clip was authored, stated by the file or derived
                       ///< from its keys.
  TrackMask animated;  ///< What the clip has keys for.
  std::shared_ptr<const PoseSource> source;
};

/// How a value between two keys is interpolated (docs/methods.md, skeletal animation).
enum class KeySampling { kInterpolate, kNearest };

/// A source made of keyframe tracks; tracks whose node or width does not fit `skeleton` are a fault
/// of the caller.
std::shared_ptr<const PoseSource> keyframeSource(const Skeleton& skeleton,
                                                 std::vector<Track> tracks,
                                                 KeySampling sampling = KeySampling::kInterpolate);

/// The common frame rate on whose frames, counted from `start_s`, all key times fall within 0.1 ms:
/// 30 if it does, else the slowest of 24, 25, 48, 50, 60, 90, 100, 120, 144, 240. Where none does,
/// the first of them with more than two thirds of the keys on its frames (converters add keys
/// between the frames along arcs); else 30.
double inferFrameRate(double start_s, std::span<const KeyTimes> timelines);

}  // namespace clipmill
