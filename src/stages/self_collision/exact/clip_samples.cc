// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/clip_samples.h"

#include <cmath>

#include "stages/self_collision/exact/limb_pose.h"

namespace clipmill::stages::self_collision {
namespace {

double gapBetween(const Window& before, const Window& after, double step_s) {
  return static_cast<double>(after.first - before.last) * step_s;
}

}  // namespace

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

double rmsQuaternionJerk_radps3(std::span<const Quat> rotations, double fps) {
  if (rotations.size() < 4) return 0.0;
  std::vector<Quat> chain;  // each on the side of the one before
  for (const Quat& rotation : rotations) {
    const Quat unit = normalizedOrIdentity(rotation);
    chain.push_back(!chain.empty() && glm::dot(chain.back(), unit) < 0.0 ? -unit : unit);
  }
  double sum = 0.0;
  for (std::size_t i = 3; i < chain.size(); ++i) {
    const Quat third = chain[i] - chain[i - 3] + 3.0 * (chain[i - 2] - chain[i - 1]);
    sum += glm::dot(third, third);
  }
  // Of a small rotation the chord is half the angle.
  return 2.0 * std::sqrt(sum / static_cast<double>(chain.size() - 3)) * fps * fps * fps;
}

std::vector<Window> findWindows(const std::vector<bool>& is_penetrating, double step_s,
                                double merge_gap_s, bool is_cycle) {
  std::vector<Window> windows;
  const bool is_round = is_cycle && is_penetrating.size() > 1;
  const std::size_t count = is_round ? is_penetrating.size() - 1 : is_penetrating.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_penetrating[i] && !(is_round && i == 0 && is_penetrating[count])) continue;
    const Window one{i, i};
    const bool joins = !windows.empty() && (windows.back().last + 1 == i ||
                                            gapBetween(windows.back(), one, step_s) < merge_gap_s);
    if (joins) {
      windows.back().last = i;
    } else {
      windows.push_back(one);
    }
  }
  if (!is_round || windows.size() < 2) return windows;
  const Window next{windows.front().first + count, windows.front().last + count};
  if (windows.back().last + 1 == next.first ||
      gapBetween(windows.back(), next, step_s) < merge_gap_s) {
    windows.back().last = next.last;
    windows.erase(windows.begin());
  }
  return windows;
}

std::vector<std::size_t> samplesOf(const Window& window, std::size_t sample_count) {
  std::vector<std::size_t> samples;
  for (std::size_t i = window.first; i <= window.last; ++i) {
    samples.push_back(i < sample_count ? i : i - (sample_count - 1));
  }
  return samples;
}

std::vector<std::size_t> markedSamplesOf(const Window& window, const std::vector<bool>& is_marked) {
  const std::size_t last = is_marked.size() - 1;
  std::vector<std::size_t> samples;
  for (const std::size_t sample : samplesOf(window, is_marked.size())) {
    if (is_marked[sample]) {
      samples.push_back(sample);
    } else if (sample == 0 && is_marked[last]) {
      samples.push_back(last);
    } else if (sample == last && is_marked[0]) {
      samples.push_back(0);
    }
  }
  return samples;
}

}  // namespace clipmill::stages::self_collision
