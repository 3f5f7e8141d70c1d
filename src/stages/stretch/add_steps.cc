// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/stretch/add_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/math.h"
#include "core/to_size.h"
#include "locomotion/ground.h"
#include "locomotion/ground_track.h"
#include "locomotion/root_joint.h"
#include "scene/partial_pose.h"
#include "scene/resample.h"

namespace clipmill::stages::stretch {
namespace {

constexpr std::size_t kMaxCycles = 1000;
constexpr double kLeastYaw_rad = 5.0 * kDegree;
constexpr double kSeamHalf_s = 0.1;
constexpr double kMaxSeamShare = 0.25;  // of the cycle, on each side

// Where an instant of the longer clip lies in the source.
struct CycleTime {
  double source_s = 0.0;
  std::size_t cycle = 0;  // repetitions before it
};

// The root motion of one cycle, repeated.
class CycleMove {
 public:
  CycleMove(const locomotion::GroundPosition& start, const locomotion::GroundPosition& end)
      : start_m_(start.at_m), end_m_(end.at_m), yaw_rad_(end.heading_rad - start.heading_rad) {
    if (std::abs(yaw_rad_) < kLeastYaw_rad) yaw_rad_ = 0.0;
    rotation_ = rotationAbout(Vec3(0, 1, 0), yaw_rad_);
  }

  // A position after so many more cycles; heights stay.
  Vec3 moved(Vec3 position_m, std::size_t cycles) const {
    const double height_m = position_m.y;
    for (std::size_t k = 0; k < cycles; ++k) {
      position_m = end_m_ + rotation_ * (position_m - start_m_);
    }
    position_m.y = height_m;
    return position_m;
  }
  double yaw(std::size_t cycles) const { return static_cast<double>(cycles) * yaw_rad_; }

 private:
  Vec3 start_m_, end_m_;
  double yaw_rad_;
  Quat rotation_{kIdentityRotation};
};

Result<std::size_t> cyclesFor(const CycleMove& move, const Vec3& start_m, const Vec3& end_m,
                              double distance_m) {
  double best = std::numeric_limits<double>::infinity();
  std::size_t cycles = 0;
  for (std::size_t k = 0; k <= kMaxCycles; ++k) {
    const double net_m = locomotion::horizontalLength(move.moved(end_m, k) - start_m);
    const double ratio = net_m > 0.0 ? std::max(net_m / distance_m, distance_m / net_m) : best;
    if (ratio < best) cycles = k;
    best = std::min(best, ratio);
    if (net_m > 2.0 * distance_m) break;
  }
  if (cycles < kMaxCycles) return cycles;
  return Error{ErrorCode::kLimit, "add_steps", "needs more than 1000 cycles of steps",
               "give a smaller distance, or split it over several clips"};
}

// Repeats a cycle of one clip.
class StepRepeater {
 public:
  StepRepeater(const Scene& scene, const Motion& motion, std::span<const int> moved,
               const GaitCycle& cycle, const CycleMove& move, std::size_t cycles)
      : scene_(scene), clip_(motion), moved_(moved), cycle_(cycle), move_(move), cycles_(cycles) {}

  TimeGrid grid() const {
    const double more_s = static_cast<double>(cycles_) * cycle_.length_s();
    return makeGrid(clip_.grid.start_s, clip_.grid.end_s + more_s, clip_.grid.fps);
  }

  Motion repeat(Warnings& warnings) const {
    const TimeGrid grid = this->grid();
    std::vector<CycleTime> times;
    for (const double time_s : timesOf(grid)) times.push_back(cycleTimeAt(time_s));
    Motion longer = sampled(grid, times, warnings);
    closeSeams(times, longer);
    return longer;
  }

 private:
  CycleTime cycleTimeAt(double time_s) const {
    if (time_s <= cycle_.end_s) return {time_s, 0};
    const double after_s = time_s - cycle_.end_s;
    const std::size_t passed = std::min(cycles_, toSize(after_s / cycle_.length_s()) + 1);
    return {time_s - static_cast<double>(passed) * cycle_.length_s(), passed};
  }

  // The clip at other times, with its root moved on by whole cycles.
  Motion sampled(const TimeGrid& grid, const std::vector<CycleTime>& times,
                 Warnings& warnings) const {
    std::vector<double> source_s;
    for (const CycleTime& time : times) source_s.push_back(time.source_s);
    Motion motion = resampled(scene_, clip_, grid, source_s);
    PartialPose worlds(scene_, clip_, std::span(&moved_.front(), 1));
    std::vector<locomotion::RootMove> moves;
    for (const CycleTime& time : times) {
      worlds.seekTime(time.source_s);
      const Vec3 from_m = worlds.worldOf(0).translation;
      moves.push_back({from_m, move_.moved(from_m, time.cycle), move_.yaw(time.cycle)});
    }
    locomotion::writeMoves(scene_, moved_, moves, motion, warnings);
    return motion;
  }

  // Both sides of the seam: the end of the cycle, and its start where the root has moved on.
  Motion seamPoses() const {
    Warnings discarded;  // repeat() reports them
    const double frame_s = 1.0 / clip_.grid.fps;
    return sampled(makeGrid(0.0, frame_s, clip_.grid.fps), {{cycle_.end_s, 0}, {cycle_.start_s, 1}},
                   discarded);
  }

  // Share of the difference at the seam (end of the cycle less its start) that an instant receives:
  // -1/2 just before the seam, 1/2 just after it, 0 away from it.
  double shareAt(const CycleTime& time) const {
    const double half_s = std::min(kSeamHalf_s, kMaxSeamShare * cycle_.length_s());
    const double before_s = cycle_.end_s - time.source_s;
    const double after_s = time.source_s - cycle_.start_s;
    const auto fade = [&](double away_s) {
      const double u = std::clamp(1.0 - away_s / half_s, 0.0, 1.0);
      return 0.5 * u * u * (3.0 - 2.0 * u);
    };
    const double after = time.cycle > 0 ? fade(after_s) : 0.0;
    const double before = time.cycle < cycles_ ? fade(before_s) : 0.0;
    return after - before;
  }

  void closeSeams(const std::vector<CycleTime>& times, Motion& longer) const {
    const Motion seam = seamPoses();
    for (std::size_t frame = 0; frame < times.size(); ++frame) {
      const double share = shareAt(times[frame]);
      if (share == 0.0) continue;
      const PoseView pose = longer.frame(frame);
      for (std::size_t node = 0; node < longer.node_count; ++node) {
        addShare(seam.localsOf(1)[node], seam.localsOf(0)[node], share, pose.locals[node]);
      }
      for (std::size_t w = 0; w < longer.weight_count; ++w) {
        pose.weights[w] += share * (seam.weightsOf(0)[w] - seam.weightsOf(1)[w]);
      }
    }
  }

  static void addShare(const Transform& from, const Transform& to, double share, Transform& local) {
    local.translation += share * (to.translation - from.translation);
    local.scale += share * (to.scale - from.scale);
    const Quat start = normalizedOrIdentity(from.rotation);
    Quat gap = glm::conjugate(start) * normalizedOrIdentity(to.rotation);
    if (gap == kIdentityRotation) return;
    if (share < 0.0) gap = glm::conjugate(gap);
    local.rotation = local.rotation * slerp(kIdentityRotation, gap, std::abs(share));
  }

  const Scene& scene_;
  const Motion& clip_;
  std::span<const int> moved_;
  const GaitCycle& cycle_;
  const CycleMove& move_;
  std::size_t cycles_;
};

}  // namespace

Result<RepeatedSteps> repeatSteps(const Scene& scene, const Motion& motion,
                                  std::span<const int> moved, const GaitCycle& cycle,
                                  double distance_m, double max_bytes, Warnings& warnings) {
  const locomotion::GroundTrack ground(scene, motion, moved.front(),
                                       locomotion::GroundHeading::kOfCharacter);
  const CycleMove move(ground.at(cycle.start_s), ground.at(cycle.end_s));
  const Vec3 start_m = ground.at(motion.grid.start_s).at_m,
             end_m = ground.at(motion.grid.end_s).at_m;
  RepeatedSteps steps;
  CLIPMILL_TRY(steps.cycles_added, cyclesFor(move, start_m, end_m, distance_m));
  steps.net_m = locomotion::horizontalLength(move.moved(end_m, steps.cycles_added) - start_m);
  if (steps.cycles_added == 0) {
    steps.motion = motion;
    return steps;
  }
  const StepRepeater repeater(scene, motion, moved, cycle, move, steps.cycles_added);
  const PlannedMotion planned{motion.clip_name, repeater.grid()};
  CLIPMILL_CHECK(checkMotionSizes(scene.skeleton, std::span(&planned, 1), max_bytes));
  steps.motion = repeater.repeat(warnings);
  return steps;
}

}  // namespace clipmill::stages::stretch
