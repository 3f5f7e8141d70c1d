// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <limits>
#include <span>
#include <vector>

#include "anim/pose.h"
#include "core/math.h"
#include "humanoid/humanoid.h"
#include "scene/scene.h"

namespace clipmill::io::bvh {

/// What a whole clip shows of the rest pose of its human, where no frame is one. Scene and map must
/// outlive it.
class RestShape {
 public:
  RestShape(const Scene& scene, const humanoid::HumanoidMap& map) : scene_(scene), map_(map) {}

  /// One more pose of the clip.
  void show(std::span<const Transform> locals);

  /// Makes a pose that faces along z more like a rest pose. The head gets its mean rotation
  /// relative to the heading of the character, hands theirs relative to the forearms. Upper arms
  /// rotate about themselves until elbows bend forwards, thighs until knees do; thighs of straight
  /// legs rotate until the foot points forwards. Feet get the rotation in which they are lowest:
  /// their soles are level.
  void applyTo(std::span<Transform> locals);

 private:
  // The sum of rotations in one hemisphere: its direction is their mean.
  class MeanRotation {
   public:
    void add(const Quat& rotation) {
      sum_ += glm::dot(sum_, rotation) < 0.0 ? -rotation : rotation;
    }
    Quat mean() const { return normalizedOrIdentity(sum_); }

   private:
    Quat sum_{0.0, 0.0, 0.0, 0.0};
  };
  struct LowestFoot {
    double height_m = std::numeric_limits<double>::infinity();
    Quat foot = kIdentityRotation;  // world, with toes along z
    Quat toes = kIdentityRotation;  // local
  };

  void showFoot(std::size_t side, std::span<const Transform> locals);
  void rotateArm(std::size_t side, std::span<Transform> locals);
  void rotateLeg(std::size_t side, std::span<Transform> locals);
  void pose(std::span<const Transform> locals);
  // Unit vector; zero where both joints have one position.
  Vec3 bone(humanoid::HumanoidRole from, humanoid::HumanoidRole to) const;
  Quat worldRotation(int node) const;
  void setWorldRotation(int node, const Quat& rotation, std::span<Transform> locals);

  const Scene& scene_;
  const humanoid::HumanoidMap& map_;
  std::vector<Affine> worlds_;  // of the pose at hand
  std::array<LowestFoot, 2> feet_;
  std::array<MeanRotation, 2> hands_;
  MeanRotation head_;
};

}  // namespace clipmill::io::bvh
