// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/math.h"

namespace clipmill::stages::dynamic_bones {

/// The simulated state at one time of the grid.
struct GridSample {
  double time_s = 0.0;
  std::vector<Vec3> positions;    ///< One a bone, metric world space.
  std::vector<Quat> swings;       ///< One a joint: its rotation relative to its base rotation.
  std::vector<double> stretches;  ///< One a bone: its length over that in the clip.
};

/// The last states of a simulation, for interpolation between grid times.
class GridHistory {
 public:
  static constexpr std::size_t kKept = 4;

  GridHistory(std::size_t bone_count, std::size_t joint_count);

  /// Adds the state of the next grid time; the caller fills it.
  GridSample& append(double time_s);
  /// Removes all states.
  void clear() { count_ = 0; }
  /// How many states were appended so far.
  std::size_t count() const { return count_; }
  /// State `index`, counted from the first one appended; one of the last kKept.
  const GridSample& at(std::size_t index) const { return samples_[index % kKept]; }

  /// Position of a bone's end at `fraction` of the time from state `index` to the next: a cubic
  /// Hermite curve whose slope at a state is that of the parabola through it and its neighbours.
  Vec3 position(std::size_t bone, std::size_t index, double fraction) const;

 private:
  Vec3 slope(std::size_t bone, std::size_t index) const;

  std::array<GridSample, kKept> samples_;
  std::size_t count_ = 0;
};

}  // namespace clipmill::stages::dynamic_bones
