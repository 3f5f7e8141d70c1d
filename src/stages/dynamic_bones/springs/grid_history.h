// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/math.h"

namespace clipmill::bones {

/// The simulated state at one time of the grid.
struct GridSample {
  double time_s = 0.0;
  std::vector<Vec3> positions;    ///< One a bone, metric world space.
  std::vector<Quat> swings;       ///< One a joint: its turn away from its base rotation.
  std::vector<double> stretches;  ///< One a bone: its length over that in the clip.
};

/// The last states of a simulation, from which times between them are read.
class GridHistory {
 public:
  static constexpr std::size_t kKept = 4;

  GridHistory(std::size_t bone_count, std::size_t joint_count);

  /// Makes room for the state of the next grid time, which the caller fills.
  GridSample& append(double time_s);
  /// Forgets all states.
  void clear() { count_ = 0; }
  /// How many states were appended so far.
  std::size_t count() const { return count_; }
  /// State `index`, counted from the first one appended; one of the last kKept.
  const GridSample& at(std::size_t index) const { return samples_[index % kKept]; }

  /// Position of a bone's end at `fraction` of the way from state `index` to the next: a cubic
  /// Hermite curve whose slope at a state is that of the parabola through it and its neighbours.
  Vec3 position(std::size_t bone, std::size_t index, double fraction) const;

 private:
  Vec3 slope(std::size_t bone, std::size_t index) const;

  std::array<GridSample, kKept> samples_;
  std::size_t count_ = 0;
};

}  // namespace clipmill::bones
