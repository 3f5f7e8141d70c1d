// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/measures.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/math.h"
#include "core/portable_math.h"
#include "core/to_size.h"
#include "core/units.h"
#include "stages/dynamic_bones/rig/rig_pose.h"
#include "stages/dynamic_bones/springs/near_simd.h"
#include "stages/dynamic_bones/springs/posed_bones.h"
#include "stages/dynamic_bones/springs/spring_bones.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Four digits suffice for a plot and keep reports small.
double rounded(double value) { return std::floor(value * 1e4 + 0.5) / 1e4; }

bool isLimited(const SpringBone& bone) { return bone.limit.kind != AngleLimit::Kind::kNone; }

// Measures one motion, frame by frame.
class MotionMeter {
 public:
  MotionMeter(const Rig& rig, const DynamicBonesSettings& settings,
              const std::vector<SpringBone>& bones, const Skeleton& skeleton,
              const Affine& metric_from_file)
      : rig_(rig),
        settings_(settings),
        bones_(bones),
        tips_(tipsOf(rig)),
        posed_(rig, settings.chain.size(), bones, skeleton, metric_from_file),
        solids_(rig.colliders.size()),
        near_solids_(posed_.lanes().count),
        allowed_(allowedSolids(rig)),
        last_(posed_.lanes().segments.end),
        curves_(rig.colliders_of_chain.size()) {
    capsules_.resize(solids_.size());
    for (std::size_t i = 0; i < solids_.size(); ++i) solids_[i].solid = &rig.colliders[i].solid;
    for (std::size_t b = 0; b < bones.size(); ++b) {
      if (isLimited(bones[b])) limited_.push_back(b);
    }
    if (!limited_.empty()) animated_.resize(rig.joints.size());
  }

  // `dt_s` after the frame before; 0 for the first one. `target`: the rotations
  // of the joints that limits are relative to; empty for those of this motion.
  void frame(std::span<const Transform> locals, std::span<const Quat> target, double dt_s) {
    std::swap(last_, posed_.lanes().segments.end);
    posed_.pose(locals);
    readAnimated();
    for (std::size_t b : limited_) measureLimit(b, target.empty() ? animated_ : target);
    measureDepth();
    if (dt_s > 0.0) measureSpeed(dt_s);
    addToCurves(dt_s);
  }

  // In the order of lanes.
  const std::vector<double>& lengths() const { return posed_.lanes().length_m; }
  // Local rotations of the joints; none where no bone has a limit.
  const std::vector<Quat>& animated() const { return animated_; }
  const Measures& measures() const { return measures_; }

  // Call it once, after the last frame.
  std::vector<ChainCurves> takeCurves() {
    for (ChainCurves& curves : curves_) {
      std::vector<double>& speed = curves.tip_speed_mps;
      if (speed.size() > 1) speed[0] = speed[1];
    }
    return std::move(curves_);
  }

 private:
  Vec3 headOf(std::size_t b) const { return posed_.lanes().segments.head.at(posed_.laneOf(b)); }
  Vec3 endOf(std::size_t b) const { return posed_.lanes().segments.end.at(posed_.laneOf(b)); }

  void readAnimated() {
    for (std::size_t joint = 0; joint < animated_.size(); ++joint) {
      animated_[joint] = posed_.lanes().animated.at(posed_.laneOf(rig_.joints[joint].bones_start));
    }
  }

  // By how far the bone is beyond its limit about its target pose. `animated`: rotations of the
  // joints.
  void measureLimit(std::size_t b, std::span<const Quat> animated) {
    const Bone& bone = rig_.bones[b];
    const auto joint = toSize(bone.joint);
    const PoseLanes& lanes = posed_.lanes();
    const std::size_t i = posed_.laneOf(b);
    const int slot = rig_.joints[joint].slot;
    const Affine& metric_from_parent = posed_.worldOf(rig_.slots[toSize(slot)].parent);
    const ChainSettings& chain = settings_.chain[toSize(bone.chain)];
    const Quat target = baseOf(chain, animated[joint], lanes.rest.at(i)).drawn;
    const PosedLimit limit = poseLimit(bones_[b], rotationOf(metric_from_parent), target,
                                       target * (lanes.scale.at(i) * lanes.offset.at(i)));
    const Vec3 path = endOf(b) - headOf(b);
    const double length = lengthOf(path);
    if (!(length > 0.0)) return;
    measures_.limit_excess_rad =
        std::max(measures_.limit_excess_rad, limitExcess(limit, path / length));
  }

  void measureDepth() {
    depths_m_.assign(curves_.size(), 0.0);
    positionSolids();
    for (std::size_t first = 0; first < solids_.size(); first += kSolidBlock) {
      findOverlappingCapsules(posed_.lanes().segments, capsules_, first, near_solids_);
      for (std::size_t b = 0; b < rig_.bones.size(); ++b) {
        const std::uint64_t near =
            near_solids_[posed_.laneOf(b)] & allowed_[first / kSolidBlock * rig_.bones.size() + b];
        if (near != 0) measureDepth(b, first, near);
      }
    }
    for (double depth_m : depths_m_) {
      measures_.penetration_m = std::max(measures_.penetration_m, depth_m);
    }
  }

  std::size_t chainOf(std::size_t b) const { return toSize(rig_.bones[b].chain); }

  void positionSolids() {
    for (std::size_t i = 0; i < solids_.size(); ++i) {
      const RigCollider& collider = rig_.colliders[i];
      solids_[i].before = solids_[i].now =
          collider.isFixed() ? RigidPose() : rigidPoseOf(posed_.worldOf(collider.slot));
      encloseMotion(solids_[i]);
      capsules_.set(i, pathCapsuleOf(solids_[i]));
    }
  }

  // Depth of a bone in those solids from `first` on whose bits are set.
  void measureDepth(std::size_t b, std::size_t first, std::uint64_t near) {
    double& depth_m = depths_m_[chainOf(b)];
    const Vec3 head = headOf(b), end = endOf(b);
    for (std::size_t i = first; near != 0; ++i, near >>= 1) {
      if ((near & 1) == 0) continue;
      depth_m = std::max(depth_m, penetration(solids_[i].posed, head, end, bones_[b].head_radius_m,
                                              bones_[b].end_radius_m));
    }
  }

  void addToCurves(double dt_s) {
    std::vector<double> speeds_mps(curves_.size(), 0.0), cosines(curves_.size(), 1.0);
    for (std::size_t b : dt_s > 0.0 ? tips_ : std::vector<std::size_t>()) {
      double& speed_mps = speeds_mps[chainOf(b)];
      speed_mps = std::max(speed_mps, lengthOf(endOf(b) - last_.at(posed_.laneOf(b))) / dt_s);
    }
    for (std::size_t b = 0; b < rig_.bones.size(); ++b) {
      double& cosine = cosines[chainOf(b)];
      cosine = std::min(cosine, posed_.lanes().rest_cosine[posed_.laneOf(b)]);
    }
    for (std::size_t chain = 0; chain < curves_.size(); ++chain) {
      curves_[chain].tip_speed_mps.push_back(rounded(speeds_mps[chain]));
      const double angle = cosines[chain] < 1.0 ? portable::acos(cosines[chain]) : 0.0;
      curves_[chain].rest_angle_deg.push_back(rounded(angle / kDegree));
      if (rig_.colliders_of_chain[chain].empty()) continue;
      curves_[chain].penetration_mm.push_back(rounded(depths_m_[chain] * kMillimetresInMetre));
    }
  }

  void measureSpeed(double dt_s) {
    double farthest_m2 = 0.0;
    const Vec3Lanes& ends = posed_.lanes().segments.end;
    for (std::size_t i = 0; i < ends.x.size(); ++i) {
      const Vec3 path = ends.at(i) - last_.at(i);
      farthest_m2 = std::max(farthest_m2, glm::dot(path, path));
    }
    measures_.speed_mps = std::max(measures_.speed_mps, std::sqrt(farthest_m2) / dt_s);
  }

  const Rig& rig_;
  const DynamicBonesSettings& settings_;
  const std::vector<SpringBone>& bones_;
  const std::vector<std::size_t> tips_;
  std::vector<std::size_t> limited_;  // bones that have a limit
  PosedBones posed_;
  std::vector<MovingSolid> solids_;
  Capsules capsules_;
  std::vector<std::uint64_t> near_solids_;  // one per lane
  std::vector<std::uint64_t> allowed_;
  Vec3Lanes last_;                // far ends of the bones in the last frame
  std::vector<Quat> animated_;    // one per joint, or none
  std::vector<double> depths_m_;  // one per chain setting, in this frame
  std::vector<ChainCurves> curves_;
  Measures measures_;
};

double timeSinceLast_s(const TimeGrid& grid, std::size_t frame) {
  return frame > 0 ? grid.timeOf(frame) - grid.timeOf(frame - 1) : 0.0;
}

template <class T>
void appendAll(const std::vector<T>& values, std::vector<T>& all) {
  all.insert(all.end(), values.begin(), values.end());
}

// Whether lengths differ by more than rounding.
bool differ(const std::vector<double>& a_m, const std::vector<double>& b_m) {
  constexpr double kSame_m = 1e-12;
  double max_m = 0.0;
  for (std::size_t i = 0; i < a_m.size(); ++i) max_m = std::max(max_m, std::abs(a_m[i] - b_m[i]));
  return !(max_m <= kSame_m);
}

}  // namespace

std::vector<std::size_t> tipsOf(const Rig& rig) {
  std::vector<int> joint_nodes;
  for (const Joint& joint : rig.joints) {
    joint_nodes.push_back(rig.slots[toSize(joint.slot)].node);
  }
  std::sort(joint_nodes.begin(), joint_nodes.end());
  std::vector<std::size_t> tips;
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    const int tail = rig.bones[b].tail_node;
    if (!std::binary_search(joint_nodes.begin(), joint_nodes.end(), tail)) tips.push_back(b);
  }
  return tips;
}

ClipMeasures measureClip(const Rig& rig, const DynamicBonesSettings& settings,
                         const Skeleton& skeleton, const Affine& metric_from_file,
                         const Motion& clip) {
  const std::vector<SpringBone> bones = springBones(rig, settings);
  MotionMeter meter(rig, settings, bones, skeleton, metric_from_file);
  ClipMeasures measured;
  for (std::size_t frame = 0; frame < clip.grid.frame_count; ++frame) {
    meter.frame(clip.localsOf(frame), {}, timeSinceLast_s(clip.grid, frame));
    if (frame == 0 || differ(meter.lengths(), measured.lengths_m.back())) {
      measured.lengths_m.push_back(meter.lengths());
    }
    measured.lengths_of_frame.push_back(measured.lengths_m.size() - 1);
    appendAll(meter.animated(), measured.rotations);
  }
  measured.measures = meter.measures();
  measured.curves = meter.takeCurves();
  return measured;
}

Comparison compareWithClip(const Rig& rig, const DynamicBonesSettings& settings,
                           const Skeleton& skeleton, const Affine& metric_from_file,
                           ClipMeasures clip, const Motion& motion) {
  const std::vector<SpringBone> bones = springBones(rig, settings);
  MotionMeter meter(rig, settings, bones, skeleton, metric_from_file);
  Comparison comparison;
  for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
    const std::span<const Quat> target =
        clip.rotations.empty()
            ? std::span<const Quat>()
            : std::span(clip.rotations).subspan(frame * rig.joints.size(), rig.joints.size());
    meter.frame(motion.localsOf(frame), target, timeSinceLast_s(motion.grid, frame));
    const std::vector<double>& lengths_m = meter.lengths();
    const std::vector<double>& before_m = clip.lengths_m[clip.lengths_of_frame[frame]];
    for (std::size_t i = 0; i < lengths_m.size(); ++i) {
      const double error_m = std::abs(lengths_m[i] - before_m[i]);
      comparison.length_error_m = std::max(comparison.length_error_m, error_m);
    }
  }
  comparison.has_limits = std::any_of(bones.begin(), bones.end(), isLimited);
  for (const Bone& bone : rig.bones) comparison.has_stretches |= stretches(bone, settings);
  comparison.before = clip.measures;
  comparison.after = meter.measures();
  comparison.curves_before = std::move(clip.curves);
  comparison.curves_after = meter.takeCurves();
  return comparison;
}

}  // namespace clipmill::stages::dynamic_bones
