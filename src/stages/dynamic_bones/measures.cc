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

// Where a pose of the file puts the far end of every bone, and the bones' vectors.
class BoneEnds {
 public:
  BoneEnds(const Rig& rig, const Affine& metric_from_file)
      : rig_(rig),
        pose_(rig, metric_from_file),
        positions(rig.bones.size()),
        vectors(rig.bones.size()) {}

  void measure(std::span<const Transform> locals) {
    pose_.follow(locals);
    pose_.swing(locals, [this](std::size_t joint, const JointFrame& frame) {
      const Joint& owner = rig_.joints[joint];
      for (std::size_t b = owner.bones_begin; b < owner.bones_end; ++b) {
        vectors[b] = frame.toMetric(frame.boneInParent(rig_.bones[b]));
        positions[b] = frame.head_m + vectors[b];
      }
      return frame.animated;
    });
  }
  const std::vector<WorldCollider>& colliders() const { return pose_.colliders(); }

 private:
  const Rig& rig_;
  RigPose pose_;

 public:
  std::vector<Vec3> positions, vectors;
};

double deepest(const Rig& rig, const std::vector<double>& radii_m, const BoneEnds& ends) {
  double depth = 0.0;
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    for (int i : rig.colliders_of_chain[static_cast<std::size_t>(rig.bones[b].chain)]) {
      const WorldCollider& collider = ends.colliders()[static_cast<std::size_t>(i)];
      depth = std::max(depth, penetration(collider, ends.positions[b], radii_m[b]));
    }
  }
  return depth;
}

}  // namespace

Measures measureMotion(const Rig& rig, const DynamicBonesSettings& settings,
                       const Affine& metric_from_file, const Motion& clip, const Motion& motion) {
  std::vector<double> radii_m;
  for (const Bone& bone : rig.bones) {
    const ChainSettings& chain = settings.chain[static_cast<std::size_t>(bone.chain)];
    radii_m.push_back(chain.radius_m.at(bone.depth));
  }
  Measures measures;
  BoneEnds authored(rig, metric_from_file), written(rig, metric_from_file);
  std::vector<Vec3> before;
  for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
    authored.measure(clip.localsOf(frame));
    written.measure(motion.localsOf(frame));
    const double dt_s = frame ? motion.grid.timeOf(frame) - motion.grid.timeOf(frame - 1) : 0.0;
    for (std::size_t b = 0; b < rig.bones.size(); ++b) {
      const double error_m = lengthOf(written.vectors[b]) - lengthOf(authored.vectors[b]);
      measures.length_error_m = std::max(measures.length_error_m, std::abs(error_m));
      if (!(dt_s > 0.0)) continue;
      measures.speed_mps =
          std::max(measures.speed_mps, lengthOf(written.positions[b] - before[b]) / dt_s);
    }
    measures.penetration_m = std::max(measures.penetration_m, deepest(rig, radii_m, written));
    before = written.positions;
  }
  return measures;
}

}  // namespace clipmill::bones
