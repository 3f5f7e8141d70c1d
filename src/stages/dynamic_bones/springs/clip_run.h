// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/rig/attachment.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/settings.h"
#include "stages/dynamic_bones/springs/cycle_trace.h"
#include "stages/dynamic_bones/springs/frame_writer.h"
#include "stages/dynamic_bones/springs/grid_history.h"
#include "stages/dynamic_bones/springs/smooth_cursor.h"
#include "stages/dynamic_bones/springs/spring.h"
#include "stages/dynamic_bones/springs/spring_solver.h"
#include "stages/dynamic_bones/springs/step_grid.h"

namespace clipmill::stages::dynamic_bones {

/// Whether the rods of these settings meet the skin of the frame.
bool avoidsSkin(const DynamicBonesSettings& settings);

/// What several runs of one clip share.
struct ClipToRun {
  const DynamicBonesSettings& settings;
  const Scene& scene;
  const Motion& clip;      ///< As it was.
  const JumpTable& jumps;  ///< Of all chains.
  double step_s = 0.0;
  double loop_s = 0.0;  ///< Length of the cycle; 0: it is none.
};

/// Runs a clip through the solver, from start to end, once or several times. Runs of rigs without
/// common chains may write the same motion from different threads.
class ClipRun {
 public:
  /// Keeps references to all of its arguments.
  ClipRun(const Rig& rig, const ClipToRun& of, Motion& out);

  /// Lets the chains settle in the first pose; then they take over the clip's velocity, as if the
  /// character had moved at it all the time. Chains that avoid the skin come from the rest pose.
  void preroll();
  /// Starts in the first pose, with the clip's velocity.
  void start();
  /// After start().
  void continueFrom(const PriorEnds& prior);

  /// From start to end; writes all frames, the first one only where `with_first` is set.
  void run(bool with_first);
  /// A cycle whose ends of all bones are kept.
  void runTraced();
  /// A cycle that is led into that one, and ends as it does, where it started.
  void runPulled();

  SpringSolver& solver() { return solver_; }
  const SpringSolver& solver() const { return solver_; }

 private:
  template <class Prepare, class Take>
  void run(bool with_first, const Prepare& prepare, const Take& take);
  void addClipVelocity();
  Vec3 endOf(std::size_t bone, std::size_t at, double fraction) const;
  std::size_t stepsIn(double duration_s) const;
  void approach(double end_s, std::size_t steps);
  void markStates();
  void record(std::size_t at);

  const Rig& rig_;
  const ClipToRun& of_;
  const Motion& clip_;
  const StepGrid grid_;
  SmoothCursor cursor_;
  SpringSolver solver_;
  FrameWriter writer_;
  GridHistory history_;
  CycleTrace trace_;
  std::vector<bool> is_read_;
};

}  // namespace clipmill::stages::dynamic_bones
