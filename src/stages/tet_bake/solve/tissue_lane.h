// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/math.h"
#include "core/result.h"
#include "stages/tet_bake/solve/solve_dynamic.h"
#include "stages/tet_bake/tets/tet_system.h"

/// The state of one clip of dynamic tissue, and its time steps.
namespace clipmill::stages::tet_bake {

/// What the steps of all clips share.
struct TissueSteps {
  double frame_s = 0.0;  ///< Time between frames.
  double rate_hz = 0.0;  ///< 3 / (2 h), h the time of a step: BDF2 takes dx/dt = rate (x - y).
  std::vector<double> damping_per_s;  ///< Of each corner.
  std::vector<double> inertia;  ///< Of each corner, against the energy; in units of mu times edge.

  double step_s() const { return 1.5 / rate_hz; }
};

/// Errors: kRecipe for a time or a setting out of range.
Result<TissueSteps> makeTissueSteps(const TetSystem& system, double frame_s,
                                    const DynamicSettings& dynamic);

/// Positions and velocities of the corners of a clip. A step of time h solves
///   M (dv/dt + d (v - c)) = -dE/dx,  dx/dt = v,
/// c the velocity of the bones and d the damping, by the second backward differentiation formula
/// (BDF2; Curtiss and Hirschfelder 1952): x minimizes E + 1/2 M r (r + d) |x - x^|^2, with
///   r = 3 / (2 h),  x^ = y + (w + d c) / (r (r + d)),  v = r (x - y),
///   y = (4 x_1 - x_2) / 3,  w = (4 v_1 - v_2) / (2 h)
/// of the two steps before. Bones move along cubic curves through their positions at frames
/// (Hermite splines with central differences, shorter beside jumps): corners in a straight path
/// would jolt the tissue at every frame.
class TissueLane {
 public:
  TissueLane(const DynamicClip& clip, std::size_t corner_count);

  const DynamicClip& clip() const { return *clip_; }
  std::size_t frame() const { return frame_; }
  std::span<const Vec3> positions() const { return position_; }
  std::span<const Vec3> targets() const { return now_.target; }

  /// Reads frame 0, which the corners have come to rest in. Errors: positions not finite.
  Status startAt(std::span<const float> equilibrium);
  /// Reads the next frame; where the clip has ended, it goes on from frame 0. Errors: as startAt().
  Status readNext(const TissueSteps& steps);
  /// The start of the step that ends at the share `share` of this frame, and the targets that
  /// inertia and `system`'s holds have in common. `start` is near the solution.
  void predict(const TissueSteps& steps, const TetSystem& system, double share,
               std::span<Vec3> start, std::span<Vec3> target);
  /// Takes the solved corners of that step.
  void take(const TissueSteps& steps, double share, std::span<const Vec3> solved,
            const FrameStats& stats);
  /// Passes the frame to the clip. Returns whether it has another.
  bool finishFrame(const FrameStats& measured);

 private:
  struct Bones {
    std::vector<Vec3> start, target;  // see FrameSource
    std::vector<Vec3> tangent;        // of start, by frame
  };

  // The bones between the last frame and this one, along a cubic curve.
  Vec3 bonesAt(std::size_t v, double share) const;
  Vec3 velocityOfBones(const TissueSteps& steps, std::size_t v, double share) const;
  bool hasNext(std::size_t frame) const;
  Status read(std::size_t frame, Bones& bones) const;
  void findTangents();
  void restart();
  void resetHistory(const TissueSteps& steps, double share);

  const DynamicClip* clip_;
  std::size_t frame_ = 0;
  Bones before_, now_, after_;  // of the last frame, this one, and the next
  std::vector<Vec3> position_, position_before_, velocity_, velocity_before_;
  std::vector<Vec3> free_;   // x^ of this step
  std::vector<Vec3> force_;  // x - x^ of the last step
  FrameStats stats_;
  bool is_first_ = true;
};

}  // namespace clipmill::stages::tet_bake
