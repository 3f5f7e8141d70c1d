// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/pose_cycle.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "core/math.h"
#include "core/to_size.h"
#include "locomotion/frame_windows.h"

namespace clipmill::locomotion {
namespace {

// The ends of a cycle differ by no more than this, translations as a share of the bone.
constexpr double kSamePose_rad = 1e-3;

// What the ends of one that nearly is a cycle may differ by.
constexpr double kNearPose_rad = 0.1;

// Time of an ordinary step at the ends of a motion.
constexpr double kStep_s = 1.0 / 30.0;

// Differences of two poses, the largest of all nodes.
struct PoseDifference {
  double rotation_rad = 0.0;
  double translation = 0.0;  // as a share of the length of the bone
};

// Compares poses at some nodes.
class PoseComparison {
 public:
  PoseComparison(const Skeleton& skeleton, int hips, std::vector<bool> is_compared)
      : skeleton_(skeleton), hips_(hips), is_compared_(std::move(is_compared)) {}

  PoseDifference operator()(std::span<const Transform> a, std::span<const Transform> b) const {
    PoseDifference difference;
    for (std::size_t n = 0; n < skeleton_.size(); ++n) {
      if (!is_compared_[n]) continue;
      const double rotation_rad =
          angleBetween(normalizedOrIdentity(a[n].rotation), normalizedOrIdentity(b[n].rotation));
      difference.rotation_rad = std::max(difference.rotation_rad, rotation_rad);
      const bool may_travel = hips_ >= 0 && isAtOrBelow(skeleton_, hips_, static_cast<int>(n));
      const double moved = lengthOf(b[n].translation - a[n].translation);
      if (may_travel || moved == 0.0) continue;
      difference.translation =
          std::max(difference.translation, moved / lengthOf(skeleton_.nodes[n].rest.translation));
    }
    return difference;
  }

 private:
  const Skeleton& skeleton_;
  int hips_;
  std::vector<bool> is_compared_;
};

bool isWithin(const PoseDifference& difference, const PoseDifference& limit) {
  return difference.rotation_rad <= limit.rotation_rad &&
         difference.translation <= limit.translation;
}

// The nodes of `ends` and all above them.
std::vector<bool> pathsTo(const Skeleton& skeleton, std::span<const int> ends) {
  std::vector<bool> is_on_path(skeleton.size(), false);
  for (const int end : ends) {
    for (int node = end; node >= 0; node = skeleton.nodes[toSize(node)].parent) {
      is_on_path[toSize(node)] = true;
    }
  }
  return is_on_path;
}

}  // namespace

bool isCycle(const Skeleton& skeleton, int hips, const Motion& motion) {
  const PoseComparison compare(skeleton, hips, std::vector<bool>(skeleton.size(), true));
  const std::size_t last = motion.grid.frame_count - 1;
  return isWithin(compare(motion.localsOf(last), motion.localsOf(0)),
                  {kSamePose_rad, kSamePose_rad});
}

bool isNearlyCycle(const Skeleton& skeleton, int hips, std::span<const int> ends,
                   const Motion& motion) {
  const PoseComparison compare(skeleton, hips, pathsTo(skeleton, ends));
  const auto between = [&](std::size_t a, std::size_t b) {
    return compare(motion.localsOf(a), motion.localsOf(b));
  };
  const std::size_t last = motion.grid.frame_count - 1;
  const std::size_t reach = std::min(last, framesIn(kStep_s, motion.grid.fps));
  const PoseDifference first_step = between(0, reach), last_step = between(last - reach, last);
  const auto limitOf = [](double first, double second) {
    return std::max(kSamePose_rad, std::min({first, second, kNearPose_rad}));
  };
  return isWithin(between(last, 0), {limitOf(first_step.rotation_rad, last_step.rotation_rad),
                                     limitOf(first_step.translation, last_step.translation)});
}

}  // namespace clipmill::locomotion
