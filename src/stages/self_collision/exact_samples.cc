// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact_samples.h"

#include <cmath>

#include "stages/self_collision/exact_limb.h"

namespace clipmill::collision {

ClipSamples::ClipSamples(const Scene& scene, const Motion& motion)
    : motion_(motion), cursor_(scene.skeleton, motion) {}

double ClipSamples::timeOf(std::size_t sample) const {
  const double time_s = motion_.grid.timeOf(sample / 2);
  return isFrame(sample) ? time_s : 0.5 * (time_s + motion_.grid.timeOf(sample / 2 + 1));
}

PoseSpans ClipSamples::at(std::size_t sample) {
  if (isFrame(sample)) return {motion_.localsOf(sample / 2), motion_.weightsOf(sample / 2)};
  const Pose& pose = cursor_.at(timeOf(sample));
  return {pose.locals, pose.weights};
}

double rmsJerk_radps3(std::span<const Quat> rotations, double fps) {
  if (rotations.size() < 4) return 0.0;
  std::vector<Vec3> speeds;  // radians a frame
  for (std::size_t i = 1; i < rotations.size(); ++i) {
    const Quat from = normalizedOrIdentity(rotations[i - 1]),
               to = normalizedOrIdentity(rotations[i]);
    speeds.push_back(vectorOfRotation(to * glm::conjugate(from)));
  }
  double sum = 0.0;
  for (std::size_t i = 2; i < speeds.size(); ++i) {
    const Vec3 jerk = speeds[i] - 2.0 * speeds[i - 1] + speeds[i - 2];
    sum += glm::dot(jerk, jerk);
  }
  return std::sqrt(sum / static_cast<double>(speeds.size() - 2)) * fps * fps * fps;
}

}  // namespace clipmill::collision
