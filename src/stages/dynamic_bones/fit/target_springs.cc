// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/fit/target_springs.h"

#include <algorithm>
#include <cmath>

namespace clipmill::stages::dynamic_bones {
namespace {

using enum ParameterScale;

constexpr double kProbeStep_s = 1.0 / kProbeRate_hz;
const Vec3 kDown(0.0, -1.0, 0.0);

// VRM and Godot: the stiffness is a speed [m/s] that is added in every step, gravity likewise; four
// times the gravity of the earth is 4 g h = 0.65.
constexpr TargetParameter kVrmParameters[] = {
    {"stiffness", 1e-3, 20.0, kLogarithmic},
    {kTipRatio, 0.05, 20.0, kLogarithmic},
    {"dragForce", 0.0, 1.0, kLinear},
    {"gravityPower", 0.0, 2.0, kSquare},
};
constexpr TargetParameter kGodotParameters[] = {
    {"stiffness", 1e-3, 20.0, kLogarithmic},
    {kTipRatio, 0.05, 20.0, kLogarithmic},
    {"drag", 0.0, 1.0, kLinear},
    {"gravity", 0.0, 2.0, kSquare},
};
constexpr TargetParameter kKawaiiParameters[] = {
    {"Stiffness", 1e-4, 1.0, kLogarithmic},
    {kTipRatio, 0.05, 20.0, kLogarithmic},
    {"Damping", 0.0, 1.0, kLinear},
    {"Gravity", 0.0, 40.0, kSquare},
};
constexpr TargetParameter kUnityParameters[] = {
    {"m_Elasticity", 1e-4, 1.0, kLogarithmic},
    {kTipRatio, 0.05, 20.0, kLogarithmic},
    {"m_Damping", 0.0, 1.0, kLinear},
    {"m_Gravity", 0.0, 40.0 * kProbeStep_s* kProbeStep_s, kSquare},
    {"m_Inert", 0.0, 1.0, kLinear},
    {"m_Stiffness", 0.0, 1.0, kLinear},
};

// The point on the ray from `head` through `point` at that distance.
Vec3 atLength(const Vec3& head, const Vec3& point, double length) {
  const Vec3 path = point - head;
  const double distance = lengthOf(path);
  return distance > 0.0 ? head + path * (length / distance) : head;
}

// Bones that move by steps, and what they have in common.
class SteppedRow {
 public:
  SteppedRow(SpringTarget target, std::span<const double> values, const RowProbe& probe,
             bool uses_center)
      : probe_(probe),
        count_(probe.boneCount()),
        values_(values),
        is_at_rest_(target == SpringTarget::kVrm1),
        has_center_(uses_center && !probe.centers.empty()),
        keeps_space_(has_center_ && target != SpringTarget::kUnity) {
    const std::vector<double> depths = depthsOfBones(probe);
    for (std::size_t i = 0; i < count_; ++i) {
      lengths_m_.push_back(lengthOf(probe.vectors_m[i]));
      stiffnesses_.push_back(stiffnessAt(target, values[0], values[1], depths[i]));
    }
  }

  std::vector<Vec3> run(void (SteppedRow::*step)(std::size_t)) {
    std::vector<Vec3> all;
    all.reserve(probe_.stepCount() * count_);
    start();
    all.insert(all.end(), ends_m_.begin(), ends_m_.end());
    for (std::size_t s = 1; s < probe_.stepCount(); ++s) {
      if (keeps_space_) carry(s);
      (this->*step)(s);
      all.insert(all.end(), ends_m_.begin(), ends_m_.end());
    }
    return all;
  }

  // VRMC_springBone 1.0, and SpringBoneSimulator3D, which differs in the pose that it returns to.
  void stepVrm(std::size_t step) {
    const double drag = values_[2];
    const Vec3 push_m = kDown * (values_[3] * kProbeStep_s);
    const bool ends_stiff = is_at_rest_ && probe_.has_virtual_tip;
    Quat rotation = probe_.attachments[step];
    Vec3 head_m = probe_.heads_m[step];
    for (std::size_t i = 0; i < count_; ++i) {
      rotation = rotation * localRotation(step, i);
      const Vec3 rest_m = rotation * probe_.vectors_m[i];
      Vec3 end_m = head_m + rest_m;
      // VRM 1.0 has no virtual tips: the last joint keeps its rest rotation.
      if (!(ends_stiff && i + 1 == count_)) {
        const Vec3 next_m = ends_m_[i] + (ends_m_[i] - before_m_[i]) * (1.0 - drag) +
                            rest_m * (stiffnesses_[i] * kProbeStep_s / lengths_m_[i]) + push_m;
        end_m = atLength(head_m, next_m, lengths_m_[i]);
      }
      before_m_[i] = ends_m_[i];
      ends_m_[i] = end_m;
      rotation = rotationBetween(rest_m, end_m - head_m) * rotation;
      head_m = end_m;
    }
  }

  // KawaiiPhysics: all bones move, then all lengths are restored.
  void stepKawaii(std::size_t step) {
    poseVectors(step);
    const double kept = 1.0 - values_[2];
    const Vec3 push_m = kDown * (values_[3] * kProbeStep_s * kProbeStep_s);
    Vec3 parent_m = probe_.heads_m[step];
    for (std::size_t i = 0; i < count_; ++i) {
      const Vec3 free_m = ends_m_[i] + (ends_m_[i] - before_m_[i]) * kept + push_m;
      before_m_[i] = ends_m_[i];
      ends_m_[i] = free_m + (parent_m + posed_m_[i] - free_m) * stiffnesses_[i];
      parent_m = ends_m_[i];
    }
    parent_m = probe_.heads_m[step];
    for (std::size_t i = 0; i < count_; ++i) {
      ends_m_[i] = parent_m = atLength(parent_m, ends_m_[i], lengths_m_[i]);
    }
  }

  // DynamicBone. The bones share the translation of its component, by m_Inert.
  void stepUnity(std::size_t step) {
    poseVectors(step);
    const double kept = 1.0 - values_[2];
    const Vec3 push_m = unityPush(step);
    const Vec3 shared_m = componentMove_m(step) * values_[4];
    const double reach = 2.0 * (1.0 - values_[5]);
    Vec3 parent_m = probe_.heads_m[step];
    for (std::size_t i = 0; i < count_; ++i) {
      const Vec3 velocity_m = ends_m_[i] - before_m_[i];
      before_m_[i] = ends_m_[i] + shared_m;
      Vec3 end_m = ends_m_[i] + velocity_m * kept + push_m + shared_m;
      const Vec3 rest_m = parent_m + posed_m_[i];
      end_m += (rest_m - end_m) * stiffnesses_[i];
      const double distance_m = lengthOf(rest_m - end_m), max_m = reach * lengths_m_[i];
      if (distance_m > max_m) end_m += (rest_m - end_m) * ((distance_m - max_m) / distance_m);
      ends_m_[i] = parent_m = atLength(parent_m, end_m, lengths_m_[i]);
    }
  }

 private:
  const Quat& localRotation(std::size_t step, std::size_t bone) const {
    return is_at_rest_ ? probe_.rest_rotations[bone] : probe_.rotations[step * count_ + bone];
  }

  void start() {
    std::vector<Vec3> next_m;
    posedEnds(probe_, 0, is_at_rest_, ends_m_);
    posedEnds(probe_, std::min<std::size_t>(1, probe_.stepCount() - 1), is_at_rest_, next_m);
    before_m_ = ends_m_;
    for (std::size_t i = 0; i < count_; ++i) {
      if (keeps_space_ && probe_.stepCount() > 1) next_m[i] = moved(next_m[i], 1, 0);
      before_m_[i] -= next_m[i] - ends_m_[i];
    }
  }

  // A point that moves with the center, in step `to`.
  Vec3 moved(const Vec3& point_m, std::size_t from, std::size_t to) const {
    const CenterPose &a = probe_.centers[from], &b = probe_.centers[to];
    return b.position_m + b.rotation * (glm::conjugate(a.rotation) * (point_m - a.position_m));
  }

  void carry(std::size_t step) {
    for (Vec3& end_m : ends_m_) end_m = moved(end_m, step - 1, step);
    for (Vec3& before_m : before_m_) before_m = moved(before_m, step - 1, step);
  }

  Vec3 componentMove_m(std::size_t step) const {
    if (!has_center_) return probe_.heads_m[step] - probe_.heads_m[step - 1];
    return probe_.centers[step].position_m - probe_.centers[step - 1].position_m;
  }

  // Both engines return to the animated direction of a bone, whatever its simulated parent does.
  void poseVectors(std::size_t step) {
    posed_m_.resize(count_);
    Quat rotation = probe_.attachments[step];
    for (std::size_t i = 0; i < count_; ++i) {
      rotation = rotation * localRotation(step, i);
      posed_m_[i] = rotation * probe_.vectors_m[i];
    }
  }

  // Gravity less the part of it that the first joint bears at rest, rotated with that joint.
  Vec3 unityPush(std::size_t step) const {
    const Quat first = probe_.attachments[step] * localRotation(step, 0);
    const Quat first_at_rest = probe_.rest_attachment * probe_.rest_rotations[0];
    const Vec3 rotated = first * (glm::conjugate(first_at_rest) * kDown);
    const double borne = std::max(glm::dot(rotated, kDown), 0.0);
    return kDown * (values_[3] * (1.0 - borne));
  }

  const RowProbe& probe_;
  const std::size_t count_;
  const std::span<const double> values_;
  const bool is_at_rest_, has_center_, keeps_space_;
  std::vector<double> lengths_m_, stiffnesses_;
  std::vector<Vec3> ends_m_, before_m_, posed_m_;
};

}  // namespace

std::span<const TargetParameter> parametersOf(SpringTarget target) {
  switch (target) {
    case SpringTarget::kKawaii:
      return kKawaiiParameters;
    case SpringTarget::kGodot:
      return kGodotParameters;
    case SpringTarget::kUnity:
      return kUnityParameters;
    case SpringTarget::kVrm1:
      break;
  }
  return kVrmParameters;
}

double stiffnessAt(SpringTarget target, double first, double tip_ratio, double depth) {
  const double value = first * (1.0 + (tip_ratio - 1.0) * depth);
  const bool is_share = target == SpringTarget::kKawaii || target == SpringTarget::kUnity;
  return is_share ? std::min(value, 1.0) : value;
}

std::vector<Vec3> simulateTarget(SpringTarget target, std::span<const double> values,
                                 const RowProbe& probe, bool uses_center) {
  if (probe.stepCount() == 0) return {};
  SteppedRow row(target, values, probe, uses_center);
  if (target == SpringTarget::kKawaii) return row.run(&SteppedRow::stepKawaii);
  if (target == SpringTarget::kUnity) return row.run(&SteppedRow::stepUnity);
  return row.run(&SteppedRow::stepVrm);
}

}  // namespace clipmill::stages::dynamic_bones
