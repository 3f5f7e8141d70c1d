// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"

namespace clipmill::stages::self_collision {

/// A pose that another object owns.
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
  /// Valid until the next call. Between frames, tracks that no stage modified are as authored.
  PoseSpans at(std::size_t sample);

 private:
  const Motion& motion_;
  MotionCursor cursor_;
};

/// Samples first..last, both included. In a cycle `last` may be beyond the end of the clip and then
/// means the sample one period earlier.
struct Window {
  std::size_t first = 0;
  std::size_t last = 0;

  bool operator==(const Window&) const = default;
};

/// Runs of true in `is_marked`, ascending. Runs with a gap shorter than `merge_gap_s` between them
/// become one window. In a cycle, whose last sample is its first, a run that crosses the seam is
/// one window, and the last in the list.
std::vector<Window> findWindows(const std::vector<bool>& is_marked, double step_s,
                                double merge_gap_s, bool is_cycle);

/// The samples of a window in order, each less than `sample_count`.
std::vector<std::size_t> samplesOf(const Window& window, std::size_t sample_count);

/// The samples of a window of findWindows() at which `is_marked` holds, in order; never empty. The
/// two ends of a cycle are one moment: a mark at one of them counts where the window names the
/// other.
std::vector<std::size_t> markedSamplesOf(const Window& window, const std::vector<bool>& is_marked);

/// Jerk of a limb at rest, which is rounding error only, rad/s^3.
inline constexpr double kStillJerk_radps3 = 1e-6;

/// Root mean square, over the frames of a motion, of the third time derivative of a rotation that
/// is sampled at the frames, rad/s^3; 0 for fewer than four frames.
double rmsJerk_radps3(std::span<const Quat> rotations, double fps);

/// The same by third differences of the quaternions, as a chord and not as a rotation vector. It
/// also has the change of the direction in which a joint rotates, and of fast rotations it has
/// more than the derivative of the rotation vectors.
double rmsQuaternionJerk_radps3(std::span<const Quat> rotations, double fps);

}  // namespace clipmill::stages::self_collision
