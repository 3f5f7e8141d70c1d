// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "humanoid/humanoid.h"
#include "locomotion/foot_contacts.h"
#include "scene/scene.h"

namespace clipmill::retarget {

/// The points of a part of the body that may rest on the ground.
class SupportPoints {
 public:
  /// Vertices of which at least half follows the foot and the joints below it, by linear blend
  /// skinning or with their node. A foot without a mesh has its marks (locomotion::footMarks()),
  /// both as low as the sole is in the rest pose.
  static SupportPoints ofFoot(const Scene& scene, const humanoid::HumanoidMap& map,
                              locomotion::BodySide side);
  /// Likewise of the joints of hips, spine, chest, neck and head, without those below them.
  static SupportPoints ofTrunk(const Scene& scene, const humanoid::HumanoidMap& map);
  /// Likewise of the trunk, the arms with the hands, and the legs without the feet.
  static SupportPoints ofBody(const Scene& scene, const humanoid::HumanoidMap& map);

  bool hasSkin() const { return has_skin_; }
  /// Height of the lowest point [m], HUGE_VAL without points. `worlds` are those of all nodes,
  /// metric.
  double lowest_m(std::span<const Affine> worlds) const;

 private:
  // A joint, and the space from which its influences carry points.
  struct Joint {
    int node = 0;
    Affine joint_from_point;
  };
  struct PointInfluence {
    std::size_t joint = 0;
    double weight = 0.0;
  };
  struct Point {
    Vec3 position{0.0};
    std::size_t influences_end = 0;  // those of a point start where those before it end
  };

  static SupportPoints ofRoles(const Scene& scene, const humanoid::HumanoidMap& map,
                               std::span<const humanoid::HumanoidRole> roles);
  void addMeshes(const Scene& scene, const std::vector<bool>& is_part);
  void addSkinned(const Scene& scene, const SkinnedMesh& mesh, const std::vector<bool>& is_part);
  void addMarks(const Scene& scene, const humanoid::HumanoidMap& map, locomotion::BodySide side);
  void addPoint(int node, const Vec3& offset);

  std::vector<Joint> joints_;
  std::vector<PointInfluence> influences_;
  std::vector<Point> points_;
  bool has_skin_ = false;
};

}  // namespace clipmill::retarget
