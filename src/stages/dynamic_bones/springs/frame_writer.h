// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/rig/rig_pose.h"
#include "stages/dynamic_bones/settings.h"
#include "stages/dynamic_bones/springs/grid_history.h"

namespace clipmill::stages::dynamic_bones {

/// Computes the frames of a motion from the states of a simulation. Every frame of the clip is read
/// before it is written: both may be the same motion.
class FrameWriter {
 public:
  FrameWriter(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene,
              const Motion& clip, Motion& out);

  bool hasStretches() const { return !stretching_.empty(); }

  /// Frame `frame`, at `fraction` of the time from grid time `at` of the history to the next.
  void write(std::size_t frame, const GridHistory& history, std::size_t at, double fraction);

 private:
  // Constants for writing a joint.
  struct WrittenJoint {
    std::size_t node = 0;
    std::size_t chain = 0;
    Quat rest = kIdentityRotation;
    double weight = 1.0;  // at its depth, to be multiplied by that over the clip
  };

  const ChainSettings& chainOf(const Bone& bone) const;
  Quat baseIn(std::size_t joint, const Quat& animated) const;
  void weighChains(std::size_t frame);
  void writeBetween(std::size_t frame, const GridHistory& history, std::size_t at, double fraction);
  Quat swingBetween(std::size_t joint, const JointFrame& state, const Quat& base,
                    const GridHistory& history, std::size_t at, double fraction) const;
  void writeRotation(std::size_t joint, std::size_t frame, const Quat& animated,
                     const Quat& rotated);
  void writeStretches(std::size_t frame, const GridHistory& history, std::size_t at,
                      double fraction);

  const Rig& rig_;
  const DynamicBonesSettings& settings_;
  const Motion& clip_;
  Motion& out_;
  RigPose pose_;
  std::vector<WrittenJoint> joints_;     // those of the rig
  std::vector<std::size_t> stretching_;  // bones
  std::vector<double> chain_weights_;    // one a chain setting, at the frame's time
};

}  // namespace clipmill::stages::dynamic_bones
