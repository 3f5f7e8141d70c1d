// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "humanoid/humanoid.h"
#include "scene/scene.h"

/// Which poses may be rest poses. `worlds` are metric, y up: world_from_node of every node.
namespace clipmill::humanoid {

/// How far a pose is from one in which characters are modelled (T, A or I pose), relative to what
/// is usual: 1 or less is plausible. The largest of: tilt of the trunk over 20 degrees; tilt of
/// thighs and shins over 30; bend of the elbows over 35; upper arms that are no mirror images of
/// each other over 25.
double restPoseDoubt(const HumanoidMap& map, std::span<const Affine> worlds);

/// How plausible a rest pose is, 0 to 1: 0.5 or more where restPoseDoubt() is 1 or less.
double restPoseConfidence(const HumanoidMap& map, std::span<const Affine> worlds);

/// Height of the lower of the joints of both feet; 0 without feet.
double lowestFoot_m(const HumanoidMap& map, std::span<const Affine> worlds);

/// The angle about the vertical, -pi..pi, by which a character that faces along z was rotated to
/// face as in this pose; 0 where its left and right is unknown.
double headingOf_rad(const HumanoidMap& map, std::span<const Affine> worlds);

/// The most plausible rest pose of poses that are shown one after another. Scene and map must
/// outlive it.
class RestPoseSearch {
 public:
  RestPoseSearch(const Scene& scene, const HumanoidMap& map);

  /// `locals`: one a node, in file space.
  void show(std::size_t frame, std::span<const Transform> locals);

  /// The first frame of least doubt; 0 where none had any finite doubt.
  std::size_t frame() const { return frame_; }
  /// Its restPoseDoubt(); infinite where nothing was shown.
  double doubt() const { return doubt_; }
  /// The least height of a foot in all poses; infinite where nothing was shown.
  double floor_m() const { return floor_m_; }

 private:
  const Scene& scene_;
  const HumanoidMap& map_;
  std::vector<Affine> worlds_;
  std::size_t frame_ = 0;
  double doubt_ = std::numeric_limits<double>::infinity();
  double floor_m_ = std::numeric_limits<double>::infinity();
};

}  // namespace clipmill::humanoid
