// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/grip_motion.h"

#include <utility>

#include "anim/pose.h"
#include "core/to_size.h"

namespace clipmill::stages::self_collision {
namespace {

using Numbers = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Index = Eigen::Index;

constexpr double kGripKnot_s = 0.15;

}  // namespace

GripMotion::GripMotion(ClipContext& clip)
    : clip_(clip),
      arms_(*clip.poser.hands()),
      spline_(clip.base.step_s() * static_cast<double>(clip.base.count() - 1), kGripKnot_s,
              clip.is_cycle),
      frames_(clip.source_motion.grid.frame_count) {
  for (std::size_t frame = 0; frame < frameCount(); ++frame) {
    const auto locals = clip.base.at(2 * frame).locals;
    locals_.emplace_back(locals.begin(), locals.end());
    worlds_.emplace_back();
    computeWorlds(clip.scene.skeleton, locals, clip.scene.metric_from_file, worlds_.back());
  }
}

Numbers GripMotion::noChange() const {
  return Numbers::Zero(static_cast<Index>(spline_.valueCount()) * kNumbers);
}

std::array<int, GripMotion::kArmJointCount> GripMotion::jointsOf(std::size_t arm) const {
  const MovableLimb& limb = clip_.poser.limb(arms_[arm]);
  return {limb.upper, limb.lower, limb.end};
}

Quat GripMotion::baseRotation(std::size_t arm, std::size_t frame, std::size_t joint) const {
  return normalizedOrIdentity(locals_[frame][toSize(jointsOf(arm)[joint])].rotation);
}

GripMotion::Change GripMotion::changeOf(const OneNumbers& numbers) {
  LimbChange both;
  both.grip_shift = Vec3(numbers[0], numbers[1], numbers[2]);
  both.grip_rotation = Vec3(numbers[3], numbers[4], numbers[5]);
  both.pitch = numbers[6];
  Change change = {both, both};
  change[0].swivel = numbers[7];
  change[1].swivel = numbers[8];
  return change;
}

GripMotion::OneNumbers GripMotion::numbersAt(const Numbers& values, std::size_t sample) const {
  OneNumbers numbers = OneNumbers::Zero();
  for (const auto& [knot, weight] :
       spline_.weightsAt(clip_.base.step_s() * static_cast<double>(sample))) {
    numbers += weight * values.segment<kNumbers>(static_cast<Index>(knot) * kNumbers);
  }
  return numbers;
}

// Derivatives by the numbers at a sample become those by all control values.
Matrix GripMotion::spread(const Matrix& slopes, std::size_t sample) const {
  Matrix all = Matrix::Zero(slopes.rows(), static_cast<Index>(spline_.valueCount()) * kNumbers);
  for (const auto& [knot, weight] :
       spline_.weightsAt(clip_.base.step_s() * static_cast<double>(sample))) {
    all.middleCols<kNumbers>(static_cast<Index>(knot) * kNumbers) += weight * slopes;
  }
  return all;
}

std::array<Quat, GripMotion::kArmJointCount> GripMotion::rotationsOf(std::size_t arm,
                                                                     std::size_t frame,
                                                                     const LimbChange& change) {
  const std::array<int, kArmJointCount> joints = jointsOf(arm);
  std::vector<Transform>& locals = locals_[frame];
  std::array<Transform, kArmJointCount> kept;
  for (std::size_t j = 0; j < joints.size(); ++j) kept[j] = locals[toSize(joints[j])];
  clip_.poser.apply(arms_[arm], change, worlds_[frame], locals);
  std::array<Quat, kArmJointCount> rotations;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    rotations[j] = normalizedOrIdentity(locals[toSize(joints[j])].rotation);
    locals[toSize(joints[j])] = kept[j];
  }
  return rotations;
}

void GripMotion::rotateFrames(const Numbers& values) {
  for (std::size_t frame = 0; frame < frames_.size(); ++frame) {
    FrameRotations& now = frames_[frame];
    const auto numbers = numbersAt(values, 2 * frame);
    const Change change = changeOf(numbers);
    for (std::size_t arm : {0, 1}) now.rotation[arm] = rotationsOf(arm, frame, change[arm]);
    for (Index k = 0; k < kNumbers; ++k) {
      auto probe = numbers;
      probe[k] += kProbe;
      const Change probed = changeOf(probe);
      for (std::size_t arm : {0, 1}) {
        const auto rotations = rotationsOf(arm, frame, probed[arm]);
        for (std::size_t j = 0; j < kArmJointCount; ++j) {
          const Vec3 slope =
              vectorOfRotation(rotations[j] * glm::conjugate(now.rotation[arm][j])) / kProbe;
          now.slopes[arm][j].col(k) << slope.x, slope.y, slope.z;
        }
      }
    }
  }
}

GripMotion::JerkVectors GripMotion::jerkOf(std::size_t arm, std::size_t joint) const {
  JerkVectors speeds, jerk;
  for (std::size_t f = 1; f < frames_.size(); ++f) {
    speeds.push_back(vectorOfRotation(frames_[f].rotation[arm][joint] *
                                      glm::conjugate(frames_[f - 1].rotation[arm][joint])));
  }
  for (std::size_t f = 2; f < speeds.size(); ++f) {
    jerk.push_back(speeds[f] - 2.0 * speeds[f - 1] + speeds[f - 2]);
  }
  return jerk;
}

std::vector<CorrectionLayer> GripMotion::layersOf(const Numbers& values,
                                                  std::size_t group_index) const {
  std::vector<CorrectionLayer> layers;
  for (std::size_t knot = 0; knot < spline_.valueCount(); ++knot) {
    CorrectionLayer layer;
    layer.group = group_index;
    layer.mode.limbs = {arms_[0], arms_[1]};
    const Change change = changeOf(values.segment<kNumbers>(static_cast<Index>(knot) * kNumbers));
    layer.mode.units = {change[0], change[1]};
    layer.amounts.assign(clip_.base.count(), 0.0);
    for (std::size_t sample = 0; sample < layer.amounts.size(); ++sample) {
      for (const auto& [at, weight] :
           spline_.weightsAt(clip_.base.step_s() * static_cast<double>(sample))) {
        if (at == knot) layer.amounts[sample] += weight;
      }
    }
    layer.required = layer.amounts;
    layers.push_back(std::move(layer));
  }
  return layers;
}

}  // namespace clipmill::stages::self_collision
