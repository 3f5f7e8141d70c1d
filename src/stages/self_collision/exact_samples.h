// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"

namespace clipmill::collision {

/// A pose that something else keeps.
struct PoseSpans {
  std::span<const Transform> locals;
  std::span<const double> weights;
};

/// The frames of a motion and the midpoints between them: sample 2 i is frame i.
class ClipSamples {
 public:
  /// Both must outlive it.
  ClipSamples(const Scene& scene, const Motion& motion);

  static std::size_t countOf(const TimeGrid& grid) { return 2 * grid.frame_count - 1; }
  static bool isFrame(std::size_t sample) { return sample % 2 == 0; }

  std::size_t count() const { return countOf(motion_.grid); }
  double timeOf(std::size_t sample) const;
  double step_s() const { return 0.5 / motion_.grid.fps; }
  /// Valid until the next call. Between frames, tracks that no stage touched are as authored.
  PoseSpans at(std::size_t sample);

 private:
  const Motion& motion_;
  MotionCursor cursor_;
};

/// Jerk of a limb that keeps still, but for rounding.
inline constexpr double kStillJerk_radps3 = 1e-6;

/// The root mean square, over the frames of a motion, of the third derivative of a rotation that is
/// given at its frames, rad/s^3; 0 for fewer than four.
double rmsJerk_radps3(std::span<const Quat> rotations, double fps);

}  // namespace clipmill::collision
