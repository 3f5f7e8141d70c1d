// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/measures.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "stages/dynamic_bones/rig_pose.h"

namespace clipmill::bones {
namespace {

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

// Follows one motion, frame by frame.
class Follower {
 public:
  Follower(const Rig& rig, const std::vector<double>& radii_m, const Affine& metric_from_file)
      : rig_(rig),
        radii_m_(radii_m),
        pose_(rig, metric_from_file),
        positions_(rig.bones.size()),
        last_(rig.bones.size()),
        lengths_(rig.bones.size()) {}

  // `dt_s` after the frame before; 0 for the first one.
  void frame(std::span<const Transform> locals, double dt_s) {
    last_.swap(positions_);
    pose_.follow(locals);
    pose_.swing(locals, [this](std::size_t joint, const JointFrame& frame) {
      const Joint& owner = rig_.joints[joint];
      for (std::size_t b = owner.bones_begin; b < owner.bones_end; ++b) {
        const Vec3 bone = frame.toMetric(frame.boneInParent(rig_.bones[b]));
        positions_[b] = frame.head_m + bone;
        lengths_[b] = lengthOf(bone);
      }
      return frame.animated;
    });
    measureDepth();
    if (dt_s > 0.0) measureSpeed(dt_s);
  }

  const std::vector<double>& lengths() const { return lengths_; }
  const Measures& measures() const { return measures_; }

 private:
  void measureDepth() {
    for (std::size_t b = 0; b < rig_.bones.size(); ++b) {
      const auto chain = static_cast<std::size_t>(rig_.bones[b].chain);
      for (int i : rig_.colliders_of_chain[chain]) {
        const WorldCollider& collider = pose_.colliders()[static_cast<std::size_t>(i)];
        measures_.penetration_m =
            std::max(measures_.penetration_m, penetration(collider, positions_[b], radii_m_[b]));
      }
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
  const std::vector<double>& radii_m_;
  RigPose pose_;
  std::vector<Vec3> positions_, last_;  // far ends of the bones, in this frame and the last
  std::vector<double> lengths_;
  Measures measures_;
};

}  // namespace

Comparison compareMotions(const Rig& rig, const DynamicBonesSettings& settings,
                          const Affine& metric_from_file, const Motion& clip,
                          const Motion& motion) {
  std::vector<double> radii_m;
  for (const Bone& bone : rig.bones) {
    const ChainSettings& chain = settings.chain[static_cast<std::size_t>(bone.chain)];
    radii_m.push_back(chain.radius_m.at(bone.depth));
  }
  Follower before(rig, radii_m, metric_from_file), after(rig, radii_m, metric_from_file);
  Comparison comparison;
  for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
    const double dt_s = frame ? motion.grid.timeOf(frame) - motion.grid.timeOf(frame - 1) : 0.0;
    before.frame(clip.localsOf(frame), dt_s);
    after.frame(motion.localsOf(frame), dt_s);
    for (std::size_t b = 0; b < rig.bones.size(); ++b) {
      const double error_m = std::abs(after.lengths()[b] - before.lengths()[b]);
      comparison.length_error_m = std::max(comparison.length_error_m, error_m);
    }
  }
  comparison.before = before.measures();
  comparison.after = after.measures();
  return comparison;
}

}  // namespace clipmill::bones
