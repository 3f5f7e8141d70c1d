// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/to_size.h"
#include "humanoid/humanoid.h"
#include "scene/scene.h"
#include "stages/self_collision/obb.h"

/// Boxes and spheres around the parts of a skinned character (docs/methods.md, self-collision).
namespace clipmill::stages::self_collision {

enum class Side : std::uint8_t { kLeft, kRight };
inline constexpr std::array kSides = {Side::kLeft, Side::kRight};

/// The body regions of the published method.
enum class Region : std::uint8_t {
  kTrunk,     ///< Hips to chest, clavicles, and other nodes below them.
  kUpperArm,  ///< Adjacent to the trunk, and not tested against it.
  kForearm,   ///< Lower arm, hand and fingers, and the joint at the elbow.
  kLeg,       ///< Thigh and lower leg.
  kFoot,
  kOther,  ///< Neck, head and nodes above the hips; not tested.
};

/// A proxy for a part of the skin: a box for a rigid part, a sphere at a joint.
struct Part {
  int node = 0;  ///< The bone; for a sphere, the bone that starts at the joint.
  Region region = Region::kOther;
  Side side = Side::kLeft;  ///< Of limbs.
  bool is_joint = false;
};

/// Two parts to test for overlap: indices into Proxies::parts().
struct PartsToTest {
  std::uint32_t a = 0, b = 0;
};
using TestList = std::vector<PartsToTest>;

/// What rotates with a node: parts that move rigidly, and joints with bones on both sides, whose
/// spheres must be fitted again.
struct Subtree {
  int node = -1;                                  ///< -1 if the character has none.
  std::vector<int> nodes;                         ///< The node and all below it, ascending.
  std::vector<std::uint32_t> parts, split_parts;  ///< Indices into Proxies::parts().
};

/// The parts of a character in one pose, in metres.
struct PosedParts {
  std::vector<Affine> worlds;   ///< Metric world from node, one per node.
  std::vector<Obb> boxes;       ///< Of the parts up to Proxies::boxCount().
  std::vector<Sphere> spheres;  ///< Around every part: that of a joint, or around a box.
  Sphere whole;                 ///< The first level: around all of them.
  std::vector<Vec3> points;     ///< Scratch memory.
};

/// The skin of a character, cut by its bones. Vertices with one influence are rigid: each bone gets
/// a box that moves with it. Vertices with several influences belong to the joint at the head of
/// the lower one of their two strongest bones, which gets a sphere that is fitted again in every
/// pose. Influences below 0.001 are ignored. Meshes without skin and morph targets are left out.
/// Const; shared by threads.
class Proxies {
 public:
  Proxies(const Scene& scene, const humanoid::HumanoidMap& map);

  std::span<const Part> parts() const { return parts_; }
  std::size_t boxCount() const { return boxes_.size(); }

  /// The forearm of one side against the trunk.
  const TestList& armTrunk(Side side) const { return arm_trunk_[toSize(side)]; }
  const TestList& armArm() const { return arm_arm_; }  ///< Left against right, as those below.
  const TestList& legLeg() const { return leg_leg_; }  ///< Without foot against foot.
  const TestList& footFoot() const { return foot_foot_; }
  /// Parts that overlap in the bind pose and are in no list for that reason:
  /// "LeftForeArm - joint of Spine".
  std::span<const std::string> overlapsAtRest() const { return overlaps_at_rest_; }

  /// What rotates with a node.
  Subtree subtreeOf(int node) const;

  /// All nodes and parts of a pose given by local transforms in file space.
  void pose(std::span<const Transform> locals, PosedParts& posed) const;
  /// Rotates a subtree about its node in world space.
  void rotate(const Subtree& subtree, const Quat& world_rotation, PosedParts& posed) const;
  /// Moves all boxes and fits all spheres to the world transforms of the pose.
  void refit(PosedParts& posed) const;

  bool overlaps(const PartsToTest& test, const PosedParts& posed) const;
  bool anyOverlaps(const TestList& tests, const PosedParts& posed) const;

  /// The points of a part in a pose, for comparison with other kinds of proxies.
  void pointsOf(std::size_t part, std::span<const Affine> worlds, std::vector<Vec3>& points) const;

 private:
  // The share of a bone in a point: weight * position, which the linear part transforms, and
  // weight.
  struct Share {
    int node = 0;
    double weight = 0.0;
    Vec3 weighted_position{0.0};  // in the space of the node
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
  std::vector<std::string> overlaps_at_rest_;
};

}  // namespace clipmill::stages::self_collision
