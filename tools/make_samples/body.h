// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "anim/skeleton.h"
#include "core/math.h"
#include "core/to_size.h"

namespace clipmill::samples {

/// How a body differs from the lean one.
struct BodyShape {
  double belly = 0.0;  ///< 0 for none, 1 for a belly that hides the feet.
  double limbs = 1.0;  ///< Thickness of arms and legs.
};

/// 0 below 0, 1 above 1, level at both ends.
double smoothStep(double t);

/// The rotation whose columns are x, y and x cross y; `x` is made normal to the unit vector `y`.
Quat frameOf(const Vec3& y, const Vec3& x);

/// The skeleton of the samples, in metres, y up, facing +Z, feet on y = 0. Every joint has +Y along
/// its bone; a rotation about +X bends knees, elbows and the spine in the natural direction.
class Rig {
 public:
  /// Adds a joint at `position` in world space; returns its index. `parent` is -1 for none.
  int add(std::string_view name, int parent, const Vec3& position, const Quat& world_rotation);
  /// Adds a chain of joints named prefix1.., one at each point but the last, +Y to the next point.
  std::vector<int> addChain(std::string_view prefix, int parent, const std::vector<Vec3>& points,
                            const Vec3& hinge);
  /// Adds a node at the origin that is no joint, for the mesh. No joint may follow.
  int addMeshNode(std::string_view name);

  /// The joint of that name, which must be there.
  int at(std::string_view name) const;
  const Skeleton& skeleton() const { return skeleton_; }
  const Affine& worldAtRest(int node) const { return worlds_[toSize(node)]; }
  Vec3 positionAtRest(int node) const { return worldAtRest(node).translation; }

 private:
  Skeleton skeleton_;
  std::vector<Affine> worlds_;
  std::vector<Quat> rotations_;
};

/// Root, spine, head, arms and legs in an A-pose, without accessories.
Rig makeBodyRig();

inline constexpr double kArmDrop_rad =
    40.0 * kDegree;  ///< Of the arms at rest, below the horizontal.
inline constexpr double kUpperArm_m = 0.29;
inline constexpr double kForeArm_m = 0.26;

}  // namespace clipmill::samples
