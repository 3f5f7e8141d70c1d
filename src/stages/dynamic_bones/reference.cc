// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/reference.h"

#include <cmath>

#include "core/math.h"
#include "core/portable_math.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/colliders/collider.h"
#include "stages/dynamic_bones/springs/wind.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Settings of one bone.
struct BoneConstants {
  double drag = 0.0;
  double gravity_mps2 = 0.0;
  double radius_m = 0.0;
  std::vector<int> colliders;
};

class ReferenceSimulation {
 public:
  ReferenceSimulation(const Rig& rig, const DynamicBonesSettings& settings,
                      const Affine& metric_from_file)
      : rig_(rig),
        wind_(windOf(settings)),
        smoothing_(settings.smoothing),
        drag_fps_(settings.drag_fps.value_or(0.0)),
        pose_(rig, metric_from_file),
        colliders_(rig.colliders.size()),
        positions_(rig.bones.size()),
        before_(rig.bones.size()),
        heads_(rig.joints.size()),
        rotations_(rig.joints.size()) {
    for (const Bone& bone : rig.bones) {
      const ChainSettings& chain = settings.chain[toSize(bone.chain)];
      BoneConstants constants{bone.own.drag.value_or(chain.drag.at(bone.depth)),
                              bone.own.gravity_mps2.value_or(chain.gravity_mps2.at(bone.depth)),
                              bone.own.radius_m.value_or(chain.radius_m.at(bone.depth)),
                              {}};
      for (int i : rig.colliders_of_chain[toSize(bone.chain)]) {
        if (isListed(bone, rig.colliders[toSize(i)])) constants.colliders.push_back(i);
      }
      constants_.push_back(std::move(constants));
    }
  }

  void start(std::span<const Transform> locals) {
    pose_.follow(locals);
    pose_.swing(locals, [this](std::size_t joint, const JointFrame& frame) {
      for (std::size_t b = begin(joint); b < end(joint); ++b) {
        const Vec3 bone = frame.boneInParent(rig_.bones[b]);
        positions_[b] = before_[b] = frame.head_m + frame.toMetric(bone);
      }
      heads_[joint] = frame.head_m;
      return rotations_[joint] = frame.animated;
    });
  }

  // From the current frame, at `time_s`, to the next, `dt_s` later, whose pose is `locals`.
  void step(std::span<const Transform> locals, double time_s, double dt_s) {
    pose_.follow(locals);
    poseColliders();
    pose_.swing(locals, [&](std::size_t joint, const JointFrame& frame) {
      MeanRotation rotation;
      for (std::size_t b = begin(joint); b < end(joint); ++b) {
        addBoneRotation(b, joint, frame, time_s, dt_s, rotation);
      }
      rotations_[joint] = rotated(joint, frame, rotation.value());
      for (std::size_t b = begin(joint); b < end(joint); ++b) feedBack(b, joint, frame);
      heads_[joint] = frame.head_m;
      return rotations_[joint];
    });
    counts_.joint_steps += rig_.bones.size();
  }

  const std::vector<Quat>& rotations() const { return rotations_; }
  const SimulationCounts& counts() const { return counts_; }

 private:
  std::size_t begin(std::size_t joint) const { return rig_.joints[joint].bones_start; }
  std::size_t end(std::size_t joint) const { return rig_.joints[joint].bones_end; }

  void poseColliders() {
    const std::vector<RigidPose>& poses = pose_.poseSolids();
    for (std::size_t i = 0; i < poses.size(); ++i) {
      const Solid& solid = rig_.colliders[i].solid;
      colliders_[i] =
          makeCollider(poses[i].position + poses[i].rotation * solid.head,
                       poses[i].position + poses[i].rotation * solid.tail, solid.head_radius_m);
    }
  }

  // Adds the rotation by which the joint aims one of its bones.
  void addBoneRotation(std::size_t b, std::size_t joint, const JointFrame& frame, double time_s,
                       double dt_s, MeanRotation& rotation) {
    const Vec3 carried = frame.boneInParent(rig_.bones[b], rotations_[joint]);
    const Vec3 carried_m = frame.toMetric(carried);
    const double length_m = lengthOf(carried_m);
    Vec3 target = freeStep(b, heads_[joint], time_s, dt_s);
    target = restoreLength(frame.head_m, target, length_m, carried_m);
    target = avoidColliders(colliders_, constants_[b].colliders, frame.head_m, target, length_m,
                            constants_[b].radius_m);
    if (!isFinite(target)) {
      target = positions_[b] = frame.head_m + frame.toMetric(frame.boneInParent(rig_.bones[b]));
      ++counts_.resets;
    }
    if (length_m > 0.0) {
      rotation.add(rotationBetween(carried, frame.toParent(target - frame.head_m)));
    }
  }

  Vec3 freeStep(std::size_t b, const Vec3& head_m, double time_s, double dt_s) const {
    const BoneConstants& constants = constants_[b];
    const Vec3 gravity(0.0, constants.gravity_mps2, 0.0);
    const Vec3 acceleration =
        gravityAcross(gravity, positions_[b] - head_m) + wind_.at(positions_[b], time_s);
    if (drag_fps_ <= 0.0) {
      return verletStep(positions_[b], before_[b], constants.drag, acceleration, dt_s);
    }
    return rateFreeStep(positions_[b], before_[b], constants.drag, acceleration, dt_s, drag_fps_);
  }

  // The joint's next local rotation, smoothed and without twist.
  Quat rotated(std::size_t joint, const JointFrame& frame, const Quat& rotation) const {
    const Quat applied = slerp(kIdentityRotation, rotation, smoothing_);
    Vec3 axis(0.0);
    for (std::size_t b = begin(joint); b < end(joint); ++b) {
      axis += frame.boneInParent(rig_.bones[b]);
    }
    const Quat next = normalizedOrIdentity(applied * rotations_[joint]);
    return withoutTwist(next, frame.animated, axis);
  }

  void feedBack(std::size_t b, std::size_t joint, const JointFrame& frame) {
    before_[b] = positions_[b];
    const Vec3 bone = frame.boneInParent(rig_.bones[b], rotations_[joint]);
    positions_[b] = frame.head_m + frame.toMetric(bone);
  }

  const Rig& rig_;
  const Wind wind_;
  const double smoothing_;
  const double drag_fps_;
  RigPose pose_;
  std::vector<WorldCollider> colliders_;
  std::vector<BoneConstants> constants_;
  std::vector<Vec3> positions_, before_;  // one per bone: current and previous frame
  std::vector<Vec3> heads_;               // one per joint: current frame
  std::vector<Quat> rotations_;           // one per joint: local, current frame
  SimulationCounts counts_;
};

}  // namespace

Vec3 gravityAcross(const Vec3& gravity, const Vec3& bone) {
  const double square = glm::dot(bone, bone);
  if (!(square > 0.0)) return gravity;
  return gravity - bone * (glm::dot(gravity, bone) / square);
}

Vec3 verletStep(const Vec3& position, const Vec3& before, double drag, const Vec3& acceleration,
                double dt_s) {
  return position + (position - before) * (1.0 - drag) + acceleration * (dt_s * dt_s);
}

Vec3 rateFreeStep(const Vec3& position, const Vec3& before, double drag, const Vec3& acceleration,
                  double dt_s, double drag_fps) {
  const double kept = portable::pow(1.0 - drag, drag_fps * dt_s);
  const double force_s2 = drag > 0.0 ? dt_s * (1.0 - kept) / (drag_fps * drag) : dt_s * dt_s;
  return position + (position - before) * kept + acceleration * force_s2;
}

Quat withoutTwist(const Quat& rotation, const Quat& animated, const Vec3& axis) {
  const double length = lengthOf(axis);
  if (!(length > 0.0)) return rotation;
  const Quat away = rotation * glm::conjugate(animated);
  return normalizedOrIdentity(swingTwist(away, axis / length).swing * animated);
}

SimulationCounts simulateReference(const Rig& rig, const DynamicBonesSettings& settings,
                                   const Affine& metric_from_file, const Motion& clip,
                                   Motion& out) {
  ReferenceSimulation simulation(rig, settings, metric_from_file);
  simulation.start(clip.localsOf(0));
  for (std::size_t frame = 1; frame < clip.grid.frame_count; ++frame) {
    const double time_s = clip.grid.timeOf(frame - 1);
    simulation.step(clip.localsOf(frame), time_s, clip.grid.timeOf(frame) - time_s);
    for (std::size_t joint = 0; joint < rig.joints.size(); ++joint) {
      const int slot = rig.joints[joint].slot;
      const int node = rig.slots[toSize(slot)].node;
      out.frame(frame).locals[toSize(node)].rotation = simulation.rotations()[joint];
    }
  }
  return simulation.counts();
}

}  // namespace clipmill::stages::dynamic_bones
