// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"

/// The update of VRMC_springBone 1.0, its extended colliders and the draft of its limits, written
/// down joint by joint as the specification gives it, with quaternions and whole poses: slow and
/// plain, to compare with. Node scales must be uniform.
namespace clipmill::test {

class SpringSpecification {
 public:
  /// Joints are updated chain by chain in the order of the file: it must suit their dependencies.
  SpringSpecification(const SpringSetup& springs, const Scene& scene);

  /// Joints at rest in a pose; their rotations in `locals` are overwritten.
  void start(std::vector<Transform>& locals);
  /// One frame later.
  void update(std::vector<Transform>& locals, double delta_time_s);

 private:
  struct Joint {
    SpringJoint settings;
    int node = 0, parent = -1;
    const SpringChain* chain = nullptr;
    Vec3 bone_axis{0.0};
    double bone_length = 0.0;
    Transform initial;
    Vec3 current_tail{0.0}, previous_tail{0.0};  // center space
  };

  void addJoint(const SpringChain& chain, std::size_t index, const std::vector<Affine>& worlds);
  Affine parentWorld(const Joint& joint) const;
  Affine centerWorld(const Joint& joint) const;
  Vec3 afterLimit(const Joint& joint, const Vec3& head, const Vec3& tail) const;
  Vec3 afterColliders(const Joint& joint, const Vec3& head, Vec3 tail) const;
  void pose(const std::vector<Transform>& locals);

  const SpringSetup& springs_;
  const Scene& scene_;
  std::vector<Joint> joints_;
  std::vector<Affine> worlds_;
};

}  // namespace clipmill::test
