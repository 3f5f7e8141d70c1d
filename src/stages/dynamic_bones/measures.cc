// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/measures.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/portable_math.h"
#include "stages/dynamic_bones/near_simd.h"
#include "stages/dynamic_bones/rig_pose.h"
#include "stages/dynamic_bones/spring_bones.h"

namespace clipmill::bones {
namespace {

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

constexpr double kMillimetresInMetre = 1e3;

// Four digits are plenty for a plot, and keep reports small.
double rounded(double value) { return std::floor(value * 1e4 + 0.5) / 1e4; }

// Of the angle between two vectors; 1 where one of them is zero.
double cosineBetween(const Vec3& a, const Vec3& b) {
  const double squares = glm::dot(a, a) * glm::dot(b, b);
  return squares > 0.0 ? glm::dot(a, b) / std::sqrt(squares) : 1.0;
}

bool isLimited(const SpringBone& bone) { return bone.limit.kind != AngleLimit::Kind::kNone; }

// What is asked of every bone in every frame, next to each other in memory.
struct BriefBone {
  std::size_t chain = 0;
  int tail = -1;  // the node at its end where that is a child of its joint, else -1
  bool has_limit = false;
};

// A bone in the axes of its joint's parent, as it was last.
struct BoneVectors {
  Vec3 offset{std::numeric_limits<double>::quiet_NaN()};  // in the joint; at first like none
  Vec3 scale{1.0};                                        // of the joint
  Vec3 animated{0.0}, rest{0.0};                          // under the two rotations
};

// Follows one motion, frame by frame.
class Follower {
 public:
  Follower(const Rig& rig, const DynamicBonesSettings& settings,
           const std::vector<SpringBone>& bones, const Skeleton& skeleton,
           const Affine& metric_from_file)
      : rig_(rig),
        settings_(settings),
        bones_(bones),
        tips_(tipsOf(rig)),
        pose_(rig, metric_from_file),
        solids_(rig.colliders.size()),
        segments_(rig.bones.size()),
        touching_(segments_.radius_m.size()),
        allowed_(allowedSolids(rig)),
        vectors_(rig.bones.size()),
        heads_(rig.bones.size()),
        positions_(rig.bones.size()),
        last_(rig.bones.size()),
        lengths_(rig.bones.size()),
        cosines_(rig.bones.size()),
        curves_(rig.colliders_of_chain.size()) {
    for (const Joint& joint : rig.joints) {
      const int node = rig.slots[static_cast<std::size_t>(joint.slot)].node;
      rest_.push_back(
          normalizedOrIdentity(skeleton.nodes[static_cast<std::size_t>(node)].rest.rotation));
    }
    capsules_.resize(solids_.size());
    for (std::size_t i = 0; i < solids_.size(); ++i) solids_[i].solid = &rig.colliders[i].solid;
    for (std::size_t b = 0; b < bones.size(); ++b) {
      segments_.radius_m[b] = std::max(bones[b].head_radius_m, bones[b].end_radius_m);
      const Bone& bone = rig.bones[b];
      brief_.push_back({static_cast<std::size_t>(bone.chain),
                        bone.path.size() == 1 ? bone.path[0] : -1, isLimited(bones[b])});
    }
    if (std::any_of(bones.begin(), bones.end(), isLimited)) animated_.resize(rig.joints.size());
  }

  // `dt_s` after the frame before; 0 for the first one. `drawn`: the rotations of the joints that
  // limits are about; empty for their own.
  void frame(std::span<const Transform> locals, std::span<const Quat> drawn, double dt_s) {
    last_.swap(positions_);
    pose_.follow(locals);
    pose_.swing(locals, [&](std::size_t joint, const JointFrame& frame) {
      const Joint& owner = rig_.joints[joint];
      if (!animated_.empty()) animated_[joint] = frame.animated;
      for (std::size_t b = owner.bones_begin; b < owner.bones_end; ++b) {
        turnBone(b, joint, offsetOf(b, locals), frame);
        const Vec3 bone = frame.toMetric(vectors_[b].animated);
        heads_[b] = frame.head_m;
        positions_[b] = frame.head_m + bone;
        lengths_[b] = lengthOf(bone);
        if (brief_[b].has_limit) {
          measureLimit(b, joint, frame, drawn.empty() ? frame.animated : drawn[joint]);
        }
      }
      return frame.animated;
    });
    measureDepth();
    if (dt_s > 0.0) measureSpeed(dt_s);
    addToCurves(dt_s);
  }

  const std::vector<double>& lengths() const { return lengths_; }
  // Local rotations of the joints; none where no bone has a limit.
  const std::vector<Quat>& animated() const { return animated_; }
  const Measures& measures() const { return measures_; }

  // To be called once, behind the last frame.
  std::vector<ChainCurves> takeCurves() {
    for (ChainCurves& curves : curves_) {
      std::vector<double>& speed = curves.tip_speed_mps;
      if (speed.size() > 1) speed[0] = speed[1];
    }
    return std::move(curves_);
  }

 private:
  Vec3 offsetOf(std::size_t b, std::span<const Transform> locals) const {
    const int tail = brief_[b].tail;
    if (tail >= 0) return locals[static_cast<std::size_t>(tail)].translation;
    return offsetInJoint(rig_.bones[b], locals);
  }

  // Anew only what changes from the frame before: mostly nothing does in the clip as it was.
  void turnBone(std::size_t b, std::size_t joint, const Vec3& offset, const JointFrame& frame) {
    BoneVectors& vectors = vectors_[b];
    const bool is_same = offset == vectors.offset && frame.scale == vectors.scale;
    if (is_same && frame.is_still) return;
    if (!is_same) {
      vectors.offset = offset;
      vectors.scale = frame.scale;
      vectors.rest = frame.inParent(offset, rest_[joint]);
    }
    vectors.animated = frame.inParent(offset, frame.animated);
    const bool rests = frame.animated == rest_[joint];
    cosines_[b] = rests ? 1.0 : cosineBetween(vectors.animated, vectors.rest);
  }

  // By how far the bone is beyond its limit about the pose that it is drawn to.
  void measureLimit(std::size_t b, std::size_t joint, const JointFrame& frame,
                    const Quat& animated) {
    const Bone& bone = rig_.bones[b];
    const ChainSettings& chain = settings_.chain[static_cast<std::size_t>(bone.chain)];
    const Quat drawn = baseOf(chain, animated, rest_[joint]).drawn;
    const PlacedLimit limit = placeLimit(bones_[b], rotationOf(frame.metric_from_parent), drawn,
                                         frame.boneInParent(bone, drawn));
    const Vec3 way = positions_[b] - heads_[b];
    const double length = lengthOf(way);
    if (!(length > 0.0)) return;
    measures_.limit_excess_rad =
        std::max(measures_.limit_excess_rad, limitExcess(limit, way / length));
  }

  void measureDepth() {
    depths_m_.assign(curves_.size(), 0.0);
    placeSolids();
    for (std::size_t b = 0; b < rig_.bones.size(); ++b) {
      segments_.head.set(b, heads_[b]);
      segments_.end.set(b, positions_[b]);
    }
    for (std::size_t first = 0; first < solids_.size(); first += kSolidBlock) {
      findTouchingCapsules(segments_, capsules_, first, touching_);
      for (std::size_t b = 0; b < rig_.bones.size(); ++b) {
        const std::uint64_t near =
            touching_[b] & allowed_[first / kSolidBlock * rig_.bones.size() + b];
        if (near != 0) measureDepth(b, first, near);
      }
    }
    for (double depth_m : depths_m_) {
      measures_.penetration_m = std::max(measures_.penetration_m, depth_m);
    }
  }

  void placeSolids() {
    const std::vector<Place>& places = pose_.placeSolids();
    for (std::size_t i = 0; i < places.size(); ++i) {
      solids_[i].before = solids_[i].now = places[i];
      encloseWay(solids_[i]);
      capsules_.set(i, wayCapsuleOf(solids_[i]));
    }
  }

  // Of a bone in the solids from `first` on whose bits are set.
  void measureDepth(std::size_t b, std::size_t first, std::uint64_t near) {
    double& depth_m = depths_m_[brief_[b].chain];
    for (std::size_t i = first; near != 0; ++i, near >>= 1) {
      if ((near & 1) == 0) continue;
      depth_m = std::max(depth_m, penetration(solids_[i].placed, heads_[b], positions_[b],
                                              bones_[b].head_radius_m, bones_[b].end_radius_m));
    }
  }

  void addToCurves(double dt_s) {
    std::vector<double> speeds_mps(curves_.size(), 0.0), cosines(curves_.size(), 1.0);
    for (std::size_t b : dt_s > 0.0 ? tips_ : std::vector<std::size_t>()) {
      double& speed_mps = speeds_mps[brief_[b].chain];
      speed_mps = std::max(speed_mps, lengthOf(positions_[b] - last_[b]) / dt_s);
    }
    for (std::size_t b = 0; b < rig_.bones.size(); ++b) {
      double& cosine = cosines[brief_[b].chain];
      cosine = std::min(cosine, cosines_[b]);
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
    for (std::size_t b = 0; b < rig_.bones.size(); ++b) {
      const Vec3 way = positions_[b] - last_[b];
      farthest_m2 = std::max(farthest_m2, glm::dot(way, way));
    }
    measures_.speed_mps = std::max(measures_.speed_mps, std::sqrt(farthest_m2) / dt_s);
  }

  const Rig& rig_;
  const DynamicBonesSettings& settings_;
  const std::vector<SpringBone>& bones_;
  const std::vector<std::size_t> tips_;
  std::vector<BriefBone> brief_;  // one a bone
  std::vector<Quat> rest_;        // local rotation of every joint at rest
  RigPose pose_;
  std::vector<MovingSolid> solids_;
  Capsules capsules_;
  ThickSegments segments_;  // the bones
  std::vector<std::uint64_t> touching_;
  std::vector<std::uint64_t> allowed_;
  std::vector<BoneVectors> vectors_;
  std::vector<Vec3> heads_;
  std::vector<Vec3> positions_, last_;  // far ends of the bones, in this frame and the last
  std::vector<double> lengths_, cosines_;
  std::vector<Quat> animated_;    // one a joint, or none
  std::vector<double> depths_m_;  // one a chain setting, in this frame
  std::vector<ChainCurves> curves_;
  Measures measures_;
};

double timeSinceLast_s(const TimeGrid& grid, std::size_t frame) {
  return frame > 0 ? grid.timeOf(frame) - grid.timeOf(frame - 1) : 0.0;
}

template <class T>
void append(const std::vector<T>& values, std::vector<T>& all) {
  all.insert(all.end(), values.begin(), values.end());
}

}  // namespace

std::vector<std::size_t> tipsOf(const Rig& rig) {
  std::vector<int> joint_nodes;
  for (const Joint& joint : rig.joints) {
    joint_nodes.push_back(rig.slots[static_cast<std::size_t>(joint.slot)].node);
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
  Follower follower(rig, settings, bones, skeleton, metric_from_file);
  ClipMeasures measured;
  measured.lengths_m.reserve(clip.grid.frame_count * rig.bones.size());
  for (std::size_t frame = 0; frame < clip.grid.frame_count; ++frame) {
    follower.frame(clip.localsOf(frame), {}, timeSinceLast_s(clip.grid, frame));
    append(follower.lengths(), measured.lengths_m);
    append(follower.animated(), measured.rotations);
  }
  measured.measures = follower.measures();
  measured.curves = follower.takeCurves();
  return measured;
}

Comparison compareWithClip(const Rig& rig, const DynamicBonesSettings& settings,
                           const Skeleton& skeleton, const Affine& metric_from_file,
                           ClipMeasures clip, const Motion& motion) {
  const std::vector<SpringBone> bones = springBones(rig, settings);
  Follower follower(rig, settings, bones, skeleton, metric_from_file);
  Comparison comparison;
  for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
    const std::span<const Quat> drawn =
        clip.rotations.empty()
            ? std::span<const Quat>()
            : std::span(clip.rotations).subspan(frame * rig.joints.size(), rig.joints.size());
    follower.frame(motion.localsOf(frame), drawn, timeSinceLast_s(motion.grid, frame));
    const double* before_m = clip.lengths_m.data() + frame * rig.bones.size();
    for (std::size_t b = 0; b < rig.bones.size(); ++b) {
      const double error_m = std::abs(follower.lengths()[b] - before_m[b]);
      comparison.length_error_m = std::max(comparison.length_error_m, error_m);
    }
  }
  comparison.has_limits = std::any_of(bones.begin(), bones.end(), isLimited);
  for (const Bone& bone : rig.bones) comparison.has_stretches |= stretches(bone, settings);
  comparison.before = clip.measures;
  comparison.after = follower.measures();
  comparison.curves_before = std::move(clip.curves);
  comparison.curves_after = follower.takeCurves();
  return comparison;
}

}  // namespace clipmill::bones
