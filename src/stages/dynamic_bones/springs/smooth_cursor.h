// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "anim/motion.h"
#include "anim/pose.h"

/// Poses between frames, for simulations.
namespace clipmill::stages::dynamic_bones {

/// A motion that is sampled frame by frame and played back linearly has a kink at every frame, and
/// loses a share (w h)^2 / 12 of a swing of angular frequency w at frames h apart: chains would
/// swing less at 24 frames a second than at 240. Where a node's motion is linear from frame to
/// frame, this cursor gives the cubic through the frames instead (frame_cubic.h); at frames,
/// both agree. Other motions (cubic keys, steps, keys off the frames) are left as they are.
class SmoothCursor {
 public:
  /// `frames_per_s`: the rate of the frames as authored. `nodes`: those whose transforms are read.
  /// `isJump`: whether a chain jumps between two times; frames beside a jump stay linear.
  SmoothCursor(const Skeleton& skeleton, const Motion& motion, std::vector<std::size_t> nodes,
               double frames_per_s, std::function<bool(double, double)> isJump);
  SmoothCursor(const SmoothCursor&) = delete;
  SmoothCursor& operator=(const SmoothCursor&) = delete;

  /// The pose at `time_s`, held at the ends. Valid until the next call. Fastest forwards.
  const Pose& at(double time_s);

 private:
  using Locals = std::vector<Transform>;  // of the nodes
  enum Path { kTranslation, kRotation, kScale };
  struct Smoothed {
    std::size_t node = 0;  // index in nodes_
    Path path = kTranslation;
  };

  double timeOf(std::ptrdiff_t frame) const;
  Locals sample(double time_s);
  void enter(std::size_t interval);
  void fillFrames(std::size_t interval);
  Locals frameAt(std::ptrdiff_t frame);
  bool jumpsNear(std::size_t interval) const;
  bool isStill(std::size_t node) const;
  void findSmoothed();

  const Motion& motion_;
  MotionCursor cursor_, ahead_;
  const std::vector<std::size_t> nodes_;
  const double frames_per_s_;
  const std::function<bool(double, double)> is_jump_;
  std::size_t interval_count_ = 0;
  std::size_t interval_;  // the one that frames_ is about, or interval_count_
  std::array<Locals, 4> frames_;
  std::array<Locals, 3> middles_;
  std::vector<Smoothed> smoothed_;
  Pose pose_;
};

}  // namespace clipmill::stages::dynamic_bones
