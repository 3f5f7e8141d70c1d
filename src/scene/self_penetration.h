// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "mesh/triangle_bvh.h"
#include "scene/humanoid.h"
#include "scene/scene.h"

namespace clipmill {

/// A part of a skinned figure: the vertices that are moved most by the joints of one region.
enum class BodyPart {
  kTrunk,         ///< Hips to chest, collar bones, and all that hangs on them.
  kHead,          ///< Neck and head.
  kLeftUpperArm,
  kRightUpperArm,
  kLeftForearm,   ///< Lower arm, hand and fingers.
  kRightForearm,
  kLeftThigh,
  kRightThigh,
  kLeftShin,      ///< Lower leg, foot and toes.
  kRightShin,
  kCount,
};

/// A limb, and what it may run into.
struct PartPair {
  std::string name;              ///< "left arm - trunk"
  BodyPart limb;                 ///< Its vertices are held against the surface of the others.
  std::vector<BodyPart> others;
};

/// How deep a limb is in what it was held against. Depth is the way out to the surface, metres.
struct PairDepth {
  std::size_t vertex_count = 0;  ///< Of the limb, without those that are inside at rest.
  std::size_t inside_count = 0;  ///< Of them, how many are inside.
  double depth_m = 0.0;          ///< Of the deepest; 0 where none is inside.
  Vec3 deepest_m{0.0};           ///< Its place.
  Vec3 way_out_m{0.0};           ///< From there to the nearest point of the surface.
};

/// Measures on the skin itself how deep limbs of a figure are in its other parts: the truth that
/// any cheaper test is held against. Made once a scene; const, and shared by threads.
class SelfPenetration {
 public:
  /// The skin of one pose, and room to work in; one a thread.
  struct Pose;

  /// Sorts the vertices of all skinned meshes into parts and finds what is inside at rest (the pose
  /// in which the skin was bound). Errors: kUnsupported where no mesh is skinned to the figure, or
  /// a limb or the trunk has no vertex.
  static Result<SelfPenetration> make(const Scene& scene, const HumanoidMap& map);

  /// Arms against trunk and thighs, arm against arm, leg against leg; those that the figure has.
  std::span<const PartPair> pairs() const;
  double height_m() const;  ///< Of the figure at rest; depths are told in percent of it.

  std::shared_ptr<Pose> makePose() const;
  /// Poses the whole skin. `world_from_node` (file space, one a node) and morph weights as for
  /// poseMesh().
  void pose(std::span<const Affine> world_from_node, std::span<const double> morph_weights,
            Pose& pose) const;
  /// Poses the vertices of one part again and leaves the others as they are.
  void posePart(BodyPart part, std::span<const Affine> world_from_node, Pose& pose) const;

  /// Depth of pairs()[pair] in the pose.
  PairDepth measure(std::size_t pair, const Pose& pose) const;
  /// How far the vertices of the limb of pairs()[pair] are from the others' surface: negative
  /// inside, at most `reach_m`.
  double clearance_m(std::size_t pair, const Pose& pose, double reach_m) const;
};

}  // namespace clipmill
