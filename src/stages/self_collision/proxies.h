// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scene/humanoid.h"
#include "scene/scene.h"
#include "stages/self_collision/obb.h"

/// Boxes and spheres about the parts of a skinned figure (SOURCES S2).
namespace clipmill::collision {

enum class Side : std::uint8_t { kLeft, kRight };
inline constexpr std::array kSides = {Side::kLeft, Side::kRight};

/// What the published method tells apart.
enum class Region : std::uint8_t {
  kTrunk,     ///< Hips to chest, collar bones, and what else hangs on them.
  kUpperArm,  ///< The neighbour of the trunk, which is not held against it.
  kForearm,   ///< Lower arm, hand and fingers, and the joint at the elbow.
  kLeg,       ///< Thigh and lower leg.
  kFoot,
  kOther,  ///< Neck, head and what is above the hips; held against nothing.
};

/// A solid that stands for a part of the skin: a box where it is rigid, a sphere at a joint.
struct Part {
  int node = 0;  ///< The bone; of a sphere the bone whose joint it is.
  Region region = Region::kOther;
  Side side = Side::kLeft;  ///< Of limbs.
  bool is_joint = false;
};

/// Two parts to be held against each other: positions in Proxies::parts().
struct PartsToTest {
  std::uint32_t a = 0, b = 0;
};
using TestList = std::vector<PartsToTest>;

/// A turn of the whole that hangs on one node: what goes along as it is, and the joints that are
/// moved by bones on both sides, whose spheres must be fitted again.
struct Swing {
  int node = -1;                                 ///< -1 where the figure lacks it.
  std::vector<int> nodes;                        ///< It and all below, ascending.
  std::vector<std::uint32_t> parts, torn_parts;  ///< Positions in Proxies::parts().
};

/// The parts of a figure in one pose, in metres.
struct PosedParts {
  std::vector<Affine> worlds;   ///< Metric world from node, one a node.
  std::vector<Obb> boxes;       ///< Of the parts up to Proxies::boxCount().
  std::vector<Sphere> spheres;  ///< About every part: that of a joint, or around a box.
  Sphere whole;                 ///< The first level: about all of them.
  std::vector<Vec3> points;     ///< Room to work in.
};

/// The skin of a figure cut by its bones: vertices with one influence are rigid, and get a box a
/// bone that is only carried along; those with several belong to the joint at the head of the lower
/// one of their two strongest bones, and get a sphere that is fitted anew in every pose. Influences
/// below 0.001 count as none. Meshes without skin and morphs are left out. Const; shared by
/// threads.
class Proxies {
 public:
  Proxies(const Scene& scene, const HumanoidMap& map);

  std::span<const Part> parts() const { return parts_; }
  std::size_t boxCount() const { return boxes_.size(); }

  /// The forearm of one side against the trunk.
  const TestList& armTrunk(Side side) const { return arm_trunk_[static_cast<std::size_t>(side)]; }
  const TestList& armArm() const { return arm_arm_; }  ///< Left against right, as those below.
  const TestList& legLeg() const { return leg_leg_; }  ///< Without foot against foot.
  const TestList& footFoot() const { return foot_foot_; }
  /// Parts that overlap as bound to the skin already, and so tell nothing: they are in no list.
  /// "LeftForeArm - joint of Spine".
  std::span<const std::string> touchingAtRest() const { return touching_at_rest_; }

  /// What hangs on a node.
  Swing swingOf(int node) const;

  /// All nodes and parts of a pose given by local transforms in file space.
  void pose(std::span<const Transform> locals, PosedParts& posed) const;
  /// Turns what hangs on swing.node about it in the world.
  void turn(const Swing& swing, const Quat& world_turn, PosedParts& posed) const;
  /// Carries all boxes and fits all spheres to the worlds of the pose.
  void refit(PosedParts& posed) const;

  bool overlaps(const PartsToTest& test, const PosedParts& posed) const;
  bool anyOverlaps(const TestList& tests, const PosedParts& posed) const;

  /// The points of a part where the worlds carry them; for comparisons with other kinds of solids.
  void pointsOf(std::size_t part, std::span<const Affine> worlds, std::vector<Vec3>& points) const;

 private:
  // A bone's share in a point: weight * place, as the linear part moves it, and the weight itself.
  struct Share {
    int node = 0;
    double weight = 0.0;
    Vec3 weighted_place{0.0};  // in the space of the node
  };

  void listTests(const PosedParts& bound);
  void addTests(Region a_region, Side a_side, Region b_region, Side b_side, const PosedParts& bound,
                TestList& tests);
  void fitJoint(std::size_t part, PosedParts& posed) const;

  const Scene* scene_;
  std::vector<Part> parts_;               // boxes, then joints
  std::vector<Obb> boxes_;                // in the space of their nodes
  std::vector<std::size_t> first_point_;  // of every part, and the end
  std::vector<std::size_t> first_share_;  // of every point, and the end
  std::vector<Share> shares_;
  std::array<TestList, 2> arm_trunk_;
  TestList arm_arm_, leg_leg_, foot_foot_;
  std::vector<std::string> touching_at_rest_;
};

}  // namespace clipmill::collision
