// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "humanoid/body_parts.h"
#include "humanoid/humanoid.h"
#include "scene/scene.h"

namespace clipmill::penetration {

/// A limb, and what it may run into.
struct PartPair {
  std::string name;         ///< "left arm - trunk"
  humanoid::BodyPart limb;  ///< Its vertices are tested against the surface of the others.
  std::vector<humanoid::BodyPart> others;
};

/// Penetration of a limb into the other parts of its pair. Depth is the distance to the surface,
/// metres.
struct PairDepth {
  std::size_t vertex_count = 0;       ///< Of the limb, without those that are inside at rest.
  std::size_t penetrating_count = 0;  ///< Of them, how many are inside.
  double depth_m = 0.0;               ///< Largest penetration depth; 0 without penetration.
  Vec3 position_m{0.0};               ///< The vertex with that depth.
  Vec3 exit_m{0.0};                   ///< From there to the nearest point of the surface.
};

/// A vertex of a limb that penetrates.
struct PenetratingPoint {
  Vec3 position_m{0.0};
  Vec3 exit_m{0.0};  ///< From there to the nearest point of the surface.
};

/// Distance of a limb from the other parts of its pair.
struct PairClearance {
  double clearance_m = 0.0;  ///< Negative in penetration: minus the largest depth.
  bool is_within_reach =
      false;             ///< Else the clearance is the reach, and the positions are undefined.
  Vec3 position_m{0.0};  ///< Of the limb's vertex.
  Vec3 nearest_m{0.0};   ///< On the surface of the others.
};

/// Measures on the skin itself the penetration of limbs of a character into its other parts: the
/// reference for any cheaper test. Made once a scene; const, and shared by
/// threads.
class SelfPenetration {
 public:
  /// The skin of one pose, and scratch memory: to be used by one thread at a time.
  struct Pose;

  /// Sorts the vertices of all skinned meshes into parts and finds what is inside at rest (the pose
  /// in which the skin was bound): such vertices count in no pose. Meshes without skin, such as
  /// weapons, are not looked at. Errors: kUnsupported where no mesh is skinned to the character, it
  /// has no trunk, or no limb that could run into anything; kMalformed for positions with NaN or
  /// infinity. `upper_arms`: with the pairs of upper arms.
  static Result<SelfPenetration> make(const Scene& scene, const humanoid::HumanoidMap& map,
                                      bool upper_arms = false);

  /// Those of these that the character has:
  ///   "left arm - trunk": forearm and hand against trunk and thighs;
  ///   "left arm - head", "left arm - right arm": against the other forearm and upper arm;
  ///   "left shin - right leg": shin and foot against thigh and shin;
  ///   "left thigh - right thigh": without the part of the thigh that is near the hip;
  /// and the same for the right. Upper arms are never free of the trunk near the shoulder; with
  /// `upper_arms` what is farther away is tested, after all other pairs:
  ///   "left upper arm - trunk", "left upper arm - head", and the same for the right. Hair and
  ///   beards of a large head reach down to the armpits.
  std::span<const PartPair> pairs() const;
  double height_m() const;  ///< Of the skin at rest; depths are reported in percent of it.

  std::shared_ptr<Pose> makePose() const;
  /// Poses the whole skin. `world_from_node` is in file space, one a node; `morph_weights` of all
  /// nodes in a row, as in Pose::weights (missing ones count as 0).
  void pose(std::span<const Affine> world_from_node, std::span<const double> morph_weights,
            Pose& pose) const;
  /// Poses the vertices of one part again and leaves the others as they are, after pose() or
  /// instead of it for a pose that differs in that part only.
  void posePart(humanoid::BodyPart part, std::span<const Affine> world_from_node, Pose& pose) const;

  /// Depth of pairs()[pair] in the pose.
  PairDepth measure(std::size_t pair, const Pose& pose) const;
  /// The vertices that measure() counts.
  std::vector<PenetratingPoint> penetratingPoints(std::size_t pair, const Pose& pose) const;
  /// How far the limb of pairs()[pair] is from the others' surface, if it is nearer than `reach_m`.
  PairClearance clearance(std::size_t pair, const Pose& pose, double reach_m) const;
  /// The number alone: negative inside, at most `reach_m`.
  double clearance_m(std::size_t pair, const Pose& pose, double reach_m) const {
    return clearance(pair, pose, reach_m).clearance_m;
  }

 private:
  struct Model;

  explicit SelfPenetration(std::shared_ptr<const Model> model);

  std::shared_ptr<const Model> model_;
};

}  // namespace clipmill::penetration
