// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/to_size.h"
#include "retarget/node_match.h"
#include "scene/scene.h"

/// How the rest poses of two characters correspond.
namespace clipmill::retarget {

inline const Vec3 kUp(0.0, 1.0, 0.0);

/// Rotation of a local transform, with the signs of its scales.
Mat3 signedAxes(const Transform& local);

/// Orthonormal axes of every node in metric space, mirrored where an odd number of scales up to the
/// root is negative: the product of all rotations and signs of scales.
void computeAxes(const Scene& scene, std::span<const Transform> locals, std::vector<Mat3>& axes);

/// The pose in which a character was joined to its skin, which two characters have in common more
/// than the rest pose of their files: those may be any frame of any clip. Joints whose parent is a
/// joint of the same skin are relative to it as at bind (unless that is their rest pose but for the
/// rounding of files); a topmost joint is where its skin was bound, if that is near its rest pose;
/// all other nodes are as at rest.
std::vector<Transform> bindLocals(const Scene& scene);

/// A character in that pose, in metric space.
struct RestPose {
  explicit RestPose(const Scene& scene);
  /// With another pose than bindLocals().
  RestPose(const Scene& scene, std::vector<Transform> pose);
  Vec3 positionOf(int node) const { return worlds[toSize(node)].translation; }
  std::vector<Transform> locals;
  std::vector<Affine> worlds;
  std::vector<Mat3> axes;            ///< See computeAxes().
  Mat3 file_axes;                    ///< Those above the roots.
  std::string origin = "bind pose";  ///< For people.
};

/// What leads from a source's rest pose to a target's.
struct RestAlignment {
  Quat rotation =
      kIdentityRotation;          ///< About the vertical: the source then faces as the target does.
  std::vector<Quat> corrections;  ///< One a pair: C of transferClip(), in metric space.
  double scale = 1.0;             ///< Of lengths: leg to leg, else extent of the pairs to extent.
  double rise_m = 0.0;  ///< How much higher the target's hips are with its limbs corrected.
};

/// Node of a pair above the target of pair `i`, as an index of pairs; -1 for a topmost one.
std::vector<int> pairsAbove(const Skeleton& target, std::span<const NodePair> pairs);

/// `source_facing_rad`: the direction in which the source faces, in place of the one that its pose
/// shows: about the vertical, from +z towards +x.
RestAlignment alignRests(const RestPose& source_rest, const Scene& target,
                         const RestPose& target_rest, const NodeMatch& match,
                         std::optional<double> source_facing_rad = std::nullopt);

/// The alignment of two rest poses that are T-poses because their files declare it (VRM): limbs are
/// not corrected, and lengths scale with the height of the hips, as players of VRMA files do. Both
/// scenes have a Scene::t_pose_front.
RestAlignment alignTPoses(const Scene& source, const RestPose& source_rest, const Scene& target,
                          const RestPose& target_rest, const NodeMatch& match);

/// The joint to which the limb (upper or lower, of an arm or a leg) at `node` points; -1 for other
/// nodes, and where the map does not have it.
int endOfLimb(const humanoid::HumanoidMap& map, int node);

/// Mean height of the feet; of the lowest of all nodes where the map has no feet. In metric space.
double heightOfFeet(const humanoid::HumanoidMap& map, std::span<const Affine> worlds);

/// Mean length of the legs, hip joint to ankle; 0 where the map has none.
double lengthOfLegs(const humanoid::HumanoidMap& map, std::span<const Affine> worlds);

}  // namespace clipmill::retarget
