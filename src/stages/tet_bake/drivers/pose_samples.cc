// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/drivers/pose_samples.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "core/to_size.h"
#include "humanoid/humanoid.h"
#include "retarget/counterparts.h"
#include "retarget/mirror_frame.h"

namespace clipmill::stages::tet_bake {
namespace {

// Far below the rate at which corrections of neighbouring frames are averaged.
constexpr double kSamplesPerSecond = 0.01;

// Numbers without pattern, the same everywhere (splitmix64, Steele, Lea and Flood 2014).
class Scrambler {
 public:
  explicit Scrambler(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  // In [0, 1).
  double share() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

// A direction, all of them equally likely: of a point in the unit ball.
Vec3 anyDirection(Scrambler& numbers) {
  for (;;) {
    Vec3 point(0.0);
    for (int axis = 0; axis < 3; ++axis) point[axis] = 2.0 * numbers.share() - 1.0;
    const double length = lengthOf(point);
    if (length > 1e-3 && length <= 1.0) return point / length;
  }
}

// A frame of the clips, as it is or mirrored.
struct SourceFrame {
  std::size_t clip = 0, frame = 0;
  bool is_mirrored = false;
};

class PoseSampler {
 public:
  PoseSampler(const Scene& scene, const BindRotations& bind, std::span<const Motion> motions,
              std::span<const int> joints, const SampleOptions& options)
      : scene_(scene), bind_(bind), motions_(motions), joints_(joints), options_(options) {
    // Without pairs the character has one side.
    const auto counterparts = retarget::findCounterparts(scene, humanoid::findHumanoid(scene), {});
    if (!counterparts) return;
    counterparts_ = *counterparts;
    reflection_ = retarget::mirrorFrameOf(scene, counterparts_).reflection;
  }

  void fill(std::size_t sample, std::span<Transform> pose) {
    Scrambler numbers(sample);
    std::map<int, SourceFrame> frames;  // by joint
    for (const int joint : joints_) {
      const auto above = frames.find(jointAbove(joint));
      const bool follows = (numbers.next() & 1u) != 0 && above != frames.end();
      const SourceFrame frame = follows ? above->second : anyFrame(sample, numbers);
      frames[joint] = frame;
      const double angle = options_.variation_rad * numbers.share();
      const Quat variation = rotationAbout(anyDirection(numbers), angle);
      pose[toSize(joint)].rotation = bind_.local(joint, rotationAt(joint, frame) * variation);
    }
  }

 private:
  int jointAbove(int joint) const {
    int node = scene_.skeleton.nodes[toSize(joint)].parent;
    while (node >= 0 && !std::binary_search(joints_.begin(), joints_.end(), node)) {
      node = scene_.skeleton.nodes[toSize(node)].parent;
    }
    return node;
  }

  SourceFrame anyFrame(std::size_t sample, Scrambler& numbers) const {
    const std::size_t step = motions_.size() > 1 ? kClipHalves : 1;
    std::size_t count = 0;
    for (std::size_t m = sample % step; m < motions_.size(); m += step) {
      count += motions_[m].grid.frame_count;
    }
    SourceFrame result;
    std::size_t left = std::min(count - 1, toSize(numbers.share() * static_cast<double>(count)));
    result.clip = sample % step;
    while (left >= motions_[result.clip].grid.frame_count) {
      left -= motions_[result.clip].grid.frame_count;
      result.clip += step;
    }
    result.frame = left;
    result.is_mirrored = (numbers.next() & 1u) != 0;
    return result;
  }

  // Relative to the bind pose.
  Quat rotationAt(int joint, const SourceFrame& frame) const {
    const auto pose = motions_[frame.clip].localsOf(frame.frame);
    const int other = counterparts_.empty() ? -1 : counterparts_[toSize(joint)];
    if (!frame.is_mirrored || other < 0) return bind_.relative(joint, pose);
    // In the axes of the world at bind, reflected, and back in those of the joint.
    const Mat3 to_world = bind_.axes[toSize(other)];
    const Mat3 to_own = glm::transpose(bind_.axes[toSize(joint)]) * reflection_ * to_world;
    const Mat3 rotation = glm::mat3_cast(bind_.relative(other, pose));
    return rotationOf({to_own * rotation * glm::transpose(to_own), Vec3(0.0)});
  }

  const Scene& scene_;
  const BindRotations& bind_;
  std::span<const Motion> motions_;
  std::span<const int> joints_;
  SampleOptions options_;
  std::vector<int> counterparts_;
  Mat3 reflection_{1.0};
};

}  // namespace

Motion samplePoses(const Scene& scene, const BindRotations& bind, std::span<const Motion> motions,
                   std::span<const int> joints, const SampleOptions& options) {
  Motion samples;
  samples.clip_name = "samples";
  samples.clip_index = -1;
  const auto steps = static_cast<double>(std::max<std::size_t>(options.count, 1) - 1);
  samples.grid = makeGrid(0.0, steps / kSamplesPerSecond, kSamplesPerSecond);
  samples.grid.frame_count = options.count;
  samples.node_count = scene.skeleton.size();
  samples.weight_count = scene.skeleton.rest_weights.size();
  samples.modified = TrackMask(samples.node_count);
  PoseSampler sampler(scene, bind, motions, joints, options);
  for (std::size_t s = 0; s < options.count; ++s) {
    samples.locals.insert(samples.locals.end(), bind.locals.begin(), bind.locals.end());
    const auto& rest_weights = scene.skeleton.rest_weights;
    samples.weights.insert(samples.weights.end(), rest_weights.begin(), rest_weights.end());
    sampler.fill(s, samples.frame(s).locals);
  }
  return samples;
}

}  // namespace clipmill::stages::tet_bake
